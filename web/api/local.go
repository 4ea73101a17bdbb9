package api

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"sync"

	"github.com/labelwright/labelwright/internal/account"
)

// localCall is a call in this process: the account that acts, and the error that the response
// describes, which says more than the response.
type localCall struct {
	actor account.Account
	err   error
}

type localCallKey struct{}

func localCallFrom(ctx context.Context) *localCall {
	call, _ := ctx.Value(localCallKey{}).(*localCall)
	return call
}

// NewLocalClient returns a client of an API in this process. An account acts without a token, in all
// scopes and projects; its rights are checked as always.
func NewLocalClient(c Config, actor account.Account) *Client {
	return &Client{transport: localTransport{New(c), actor}}
}

// A localTransport passes requests to an API.
type localTransport struct {
	api   *API
	actor account.Account
}

// RoundTrip returns the response of the API when its first byte, or the error of the operation, is
// there.
func (t localTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	call := &localCall{actor: t.actor}
	r = r.WithContext(context.WithValue(r.Context(), localCallKey{}, call))
	if r.Body == nil {
		r.Body = http.NoBody
	}
	reader, writer := io.Pipe()
	w := &localResponse{header: http.Header{}, body: writer, started: make(chan struct{})}
	go func() {
		defer func() {
			if cause := recover(); cause != nil { // a stream that was aborted
				w.start(http.StatusInternalServerError)
				writer.CloseWithError(fmt.Errorf("the answer is not complete: %v", cause))
			}
		}()
		t.api.ServeHTTP(w, r)
		w.start(http.StatusOK)
		_ = writer.Close() // never fails
	}()
	<-w.started
	if call.err != nil {
		_ = reader.Close() // never fails
		return nil, call.err
	}
	return &http.Response{StatusCode: w.status, Header: w.sent, Body: reader, Request: r}, nil
}

// A localResponse is the response to a local call.
type localResponse struct {
	header, sent http.Header
	status       int
	body         *io.PipeWriter
	once         sync.Once
	started      chan struct{}
}

// Header returns the header, which is sent with the first byte.
func (w *localResponse) Header() http.Header { return w.header }

// WriteHeader starts the response.
func (w *localResponse) WriteHeader(status int) { w.start(status) }

// Write sends a part of the body.
func (w *localResponse) Write(p []byte) (int, error) {
	w.start(http.StatusOK)
	return w.body.Write(p)
}

// Flush does nothing: each part is sent at once.
func (w *localResponse) Flush() {}

func (w *localResponse) start(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, maps.Clone(w.header)
		close(w.started)
	})
}

type progressKey struct{}

// WithProgress returns a context in which an operation in this process reports how far it is.
func WithProgress(ctx context.Context, report func(done, total int)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

func progressFrom(ctx context.Context) func(done, total int) {
	if report, ok := ctx.Value(progressKey{}).(func(done, total int)); ok {
		return report
	}
	return func(int, int) {}
}
