package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// A Download is an operation that answers with a file. I is its input.
type Download[I any] struct {
	endpoint
	describe func(responses map[string]*huma.Response)
	send     func(ctx context.Context, a *API, c caller, in *I) (*huma.StreamResponse, error)
}

func (d Download[I]) register(a *API) {
	d.method = http.MethodGet
	op := a.operation(d.endpoint)
	d.describe(op.Responses)
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
		response, err := d.send(ctx, a, callerFrom(ctx), in)
		if err != nil {
			return nil, a.toProblem(ctx, err)
		}
		return response, nil
	})
}
