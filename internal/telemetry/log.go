package telemetry

import (
	"context"
	"log/slog"

	"github.com/labelwright/labelwright/internal/account"
)

// A Request is what the log says about the request that a line belongs to.
type Request struct {
	ID      string
	Client  string     // the address of the client
	Account account.ID // 0: signed out
}

type contextKey struct{}

// WithRequest returns a context for the work of a request. The account may be set later.
func WithRequest(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, contextKey{}, r)
}

// RequestFrom returns the request of a context; an empty one without.
func RequestFrom(ctx context.Context) *Request {
	if r, ok := ctx.Value(contextKey{}).(*Request); ok {
		return r
	}
	return &Request{}
}

// A logHandler adds the request of the context to each record.
type logHandler struct{ slog.Handler }

// NewLogHandler returns a handler that adds to each record the id of the request that it
// belongs to, the address of its client and its account.
func NewLogHandler(h slog.Handler) slog.Handler {
	if known, ok := h.(logHandler); ok {
		return known
	}
	return logHandler{h}
}

// Handle adds the request and passes the record on.
func (h logHandler) Handle(ctx context.Context, record slog.Record) error {
	record = record.Clone()
	if r, ok := ctx.Value(contextKey{}).(*Request); ok {
		record.AddAttrs(slog.String("request_id", r.ID), slog.String("client", r.Client))
		if r.Account != 0 {
			record.AddAttrs(slog.Int64("account_id", int64(r.Account)))
		}
	}
	return h.Handler.Handle(ctx, record)
}

// WithAttrs returns a handler with attributes.
func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup returns a handler with a group.
func (h logHandler) WithGroup(name string) slog.Handler { return logHandler{h.Handler.WithGroup(name)} }
