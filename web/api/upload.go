package api

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// An Upload is an operation whose body is a file. I is its input, and B the body of its answer.
type Upload[I, B any] struct {
	endpoint
	body    *huma.RequestBody
	receive func(ctx context.Context, a *API, e endpoint, in *I) (*writeOutput[B], error)
}

// newUpload returns an operation on a file that is read at once. With an idempotency key it is made
// once.
func newUpload[I, B any](e endpoint, body *huma.RequestBody, handle func(ctx context.Context, a *API, c caller, in *I,
	content []byte) (B, error)) Upload[I, B] {
	types := slices.Sorted(maps.Keys(body.Content))
	return Upload[I, B]{e, body, func(ctx context.Context, a *API, e endpoint, in *I) (*writeOutput[B], error) {
		file, err := a.openBody(ctx, readLimit, types...)
		if err != nil {
			return nil, a.toProblem(ctx, err)
		}
		defer file.release()
		content, err := io.ReadAll(file)
		if err != nil {
			return nil, a.toProblem(ctx, classifyBodyError(err))
		}
		sent, err := json.Marshal(in)
		if err != nil {
			return nil, a.toProblem(ctx, err)
		}
		return runOnce(ctx, a, e, append(sent, file.sum()...), func() (B, error) {
			return handle(ctx, a, callerFrom(ctx), in, content)
		})
	}}
}

func (u Upload[I, B]) register(a *API) {
	op := a.operation(u.endpoint)
	op.RequestBody = u.body
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*writeOutput[B], error) {
		return u.receive(ctx, a, u.endpoint, in)
	})
}

// lineBody describes a body with one JSON object per line.
func lineBody(text string) *huma.RequestBody {
	lines := &huma.MediaType{Schema: &huma.Schema{Type: "string"}}
	return &huma.RequestBody{Required: true, Description: text,
		Content: map[string]*huma.MediaType{jsonLines: lines}}
}
