package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/web/problem"
)

// A Problem is the body of an error response.
type Problem struct{ problem.Details }

// Error returns what is wrong.
func (p *Problem) Error() string { return p.Detail }

// GetStatus returns the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType returns the type of RFC 9457.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// newHumaError returns an error that huma found, such as a missing field, as a Problem. It does
// not repeat the values that were sent.
func newHumaError(status int, message string, errs ...error) huma.StatusError {
	f := &fault.Error{Kind: problem.FromStatus(status), Message: "The request is not valid: " + message + "."}
	if f.Kind == fault.Internal {
		f.Message = fault.Internal.Text()
	}
	for _, err := range errs {
		detail, ok := err.(huma.ErrorDetailer)
		if !ok {
			continue
		}
		d := detail.ErrorDetail()
		field := strings.TrimPrefix(d.Location, "body.")
		f.Fields = append(f.Fields, fault.FieldErrorf(field, "%s: %s.", field, d.Message))
	}
	return &Problem{problem.New(f, "")}
}

// toProblem logs an error of an operation and returns it for the response.
func (a *API) toProblem(ctx context.Context, err error) error {
	r := exchangeFrom(ctx).r
	if call := localCallFrom(r.Context()); call != nil {
		call.err = err
	}
	f := problem.ToFault(err)
	a.logError(r, f.Kind, err)
	p := &Problem{problem.New(f, a.RequestID(r))}
	if f.Kind == fault.Unavailable || f.Kind == postgres.RequestInProgress {
		return huma.ErrorWithHeaders(p, http.Header{"Retry-After": {problem.RetryAfter}})
	}
	return p
}

// writeError answers a request that reaches no operation.
func (a *API) writeError(w http.ResponseWriter, r *http.Request, err error) {
	if call := localCallFrom(r.Context()); call != nil {
		call.err = err
	}
	f := problem.ToFault(err)
	a.logError(r, f.Kind, err)
	if f.Kind == fault.Unavailable {
		w.Header().Set("Retry-After", problem.RetryAfter)
	}
	d := problem.New(f, a.RequestID(r))
	body, err := json.Marshal(d)
	if err != nil {
		panic(err) // texts and numbers only
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(d.Status)
	_, _ = w.Write(body) // the client may be gone
}

func (a *API) logError(r *http.Request, kind fault.Kind, err error) {
	if localCallFrom(r.Context()) != nil {
		return // the command shows it
	}
	switch kind {
	case fault.Internal:
		a.Log.ErrorContext(r.Context(), "request failed", "method", r.Method, "error", postgres.Redact(err))
	case fault.Unavailable:
		a.Log.WarnContext(r.Context(), "service unavailable", "method", r.Method, "error", postgres.Redact(err))
	case fault.SignedOut, fault.Forbidden, problem.Scope:
		a.OnDenial(r, string(kind))
	}
}
