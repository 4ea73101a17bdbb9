package api

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/problem"
)

// The types of bodies. Lines are one JSON object per line.
const (
	jsonLines   = "application/x-ndjson"
	jsonLType   = "application/jsonl" // the same, by another name
	jsonType    = "application/json"
	csvType     = "text/csv"
	parquetType = "application/vnd.apache.parquet"

	AnyFile = "application/octet-stream" // its name says what it is
)

// The time in which a client must send a large body, and in which it must read the next part of
// a stream.
const (
	maxSendTime = 10 * time.Minute
	maxReadTime = time.Minute
)

// A bodyReader reads a large body and hashes it.
type bodyReader struct {
	io.Reader
	kind    string // its type
	hash    hash.Hash
	release func()
}

// sum returns the hash of what was read.
func (b *bodyReader) sum() []byte { return b.hash.Sum(nil) }

// openBody returns the body of a request, which has one of the types. Only a few are read at once.
func (a *API) openBody(ctx context.Context, limit int64, types ...string) (*bodyReader, error) {
	x := exchangeFrom(ctx)
	kind, _, _ := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	if !slices.Contains(types, kind) {
		return nil, problem.UnsupportedMediaType.Errorf("Send a body with Content-Type: %s.",
			strings.Join(types, " or "))
	}
	select {
	case a.bodySlots <- struct{}{}:
	default:
		return nil, fault.Unavailable.Errorf("Other large requests are running. Try again in a moment.")
	}
	c, deadline := http.NewResponseController(x.w), time.Now().Add(maxSendTime)
	_ = c.SetReadDeadline(deadline) // a test recorder has no deadlines
	_ = c.SetWriteDeadline(deadline)
	b := &bodyReader{kind: kind, hash: sha256.New(), release: func() { <-a.bodySlots }}
	content := io.Reader(x.r.Body)
	if localCallFrom(ctx) == nil {
		content = http.MaxBytesReader(x.w, x.r.Body, limit)
	}
	b.Reader = io.TeeReader(content, b.hash)
	return b, nil
}

// classifyBodyError distinguishes a body that is too large from one that did not arrive.
func classifyBodyError(err error) error {
	if fault.KindOf(err) != fault.Internal {
		return err
	}
	if _, isTooLarge := errors.AsType[*http.MaxBytesError](err); isTooLarge {
		return fault.TooLarge
	}
	return fault.Unavailable.Errorf("The request did not arrive completely. Send it again.")
}

// streamPages writes pages of rows, one JSON object per line, until a page is nil. Between pages
// nothing is held, so that a slow reader does not delay others; one that reads nothing for a while is
// disconnected. The first page is there already, so that its error could be answered.
func streamPages[T any](a *API, ctx huma.Context, x exchange, page []T, next pages[T]) {
	ctx.SetHeader("Content-Type", jsonLines)
	controller, w := http.NewResponseController(x.w), bufio.NewWriter(ctx.BodyWriter())
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for len(page) > 0 {
		_ = controller.SetWriteDeadline(time.Now().Add(maxReadTime))
		for _, row := range page {
			if err := encoder.Encode(row); err != nil {
				return // the client is gone
			}
		}
		if err := errors.Join(w.Flush(), controller.Flush()); err != nil {
			return
		}
		var err error
		if page, err = next(); err != nil {
			a.abortStream(x.r.Context(), err)
		}
	}
}

// A deadlineWriter writes a large response. It disconnects a client that reads nothing for a while.
type deadlineWriter struct {
	io.Writer
	controller *http.ResponseController
}

// Write sends a part of the response.
func (d deadlineWriter) Write(p []byte) (int, error) {
	_ = d.controller.SetWriteDeadline(time.Now().Add(maxReadTime)) // a test recorder has no deadlines
	return d.Writer.Write(p)
}

// pages returns the next rows of a stream each time; none: it ends.
type pages[T any] func() ([]T, error)

// A Stream is an operation that streams rows of type T, one JSON object per line. I is its input.
type Stream[I, T any] struct {
	endpoint
	open func(ctx context.Context, a *API, c caller, in *I) (pages[T], error)
}

// newIDStream returns a stream whose cursor is the number of an item. next returns the rows after
// an item, and the number of the last one.
func newIDStream[I, T any](e endpoint, next func(ctx context.Context, a *API, c caller, in *I,
	after project.ItemID) ([]T, project.ItemID, error), cursor func(*I) string) Stream[I, T] {
	return Stream[I, T]{e, func(ctx context.Context, a *API, c caller, in *I) (pages[T], error) {
		after, err := parseIDCursor(cursor(in))
		return func() (rows []T, err error) {
			rows, after, err = next(ctx, a, c, in, after)
			return rows, err
		}, err
	}}
}

func (s Stream[I, T]) register(a *API) {
	s.method = http.MethodGet
	op := a.operation(s.endpoint)
	op.Responses["200"] = &huma.Response{Description: "One object per line.",
		Content: map[string]*huma.MediaType{jsonLines: {Schema: &huma.Schema{Type: "string"}}}}
	delete(op.Responses, "304")
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
		next, err := s.open(ctx, a, callerFrom(ctx), in)
		if err != nil {
			return nil, a.toProblem(ctx, err)
		}
		first, err := next()
		if err != nil {
			return nil, a.toProblem(ctx, err)
		}
		x := exchangeFrom(ctx)
		return &huma.StreamResponse{Body: func(ctx huma.Context) { streamPages(a, ctx, x, first, next) }}, nil
	})
}

// abortStream ends a response that has started: a partial stream must not pass for a complete one.
func (a *API) abortStream(ctx context.Context, err error) {
	if localCallFrom(ctx) != nil {
		panic(err)
	}
	a.Log.ErrorContext(ctx, "stream aborted", "error", postgres.Redact(err))
	panic(http.ErrAbortHandler)
}
