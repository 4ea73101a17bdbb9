package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/labelwright/labelwright/internal/plaintext"
)

// An Upload is an operation whose body is a file. I is its input, and B the body of its answer.
type Upload[I, B any] struct {
	endpoint
	body    fileBody
	receive func(ctx context.Context, a *API, e endpoint, in *I) (*writeOutput[B], error)
}

// newUpload returns an operation on a file that is read at once. With an idempotency key it is made
// once.
func newUpload[I, B any](e endpoint, body fileBody, handle func(ctx context.Context, a *API, c caller, in *I,
	file uploadedFile) (B, error)) Upload[I, B] {
	return Upload[I, B]{e, body, func(ctx context.Context, a *API, e endpoint, in *I) (*writeOutput[B], error) {
		file, err := a.openBody(ctx, readLimit, body.types...)
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
			return handle(ctx, a, callerFrom(ctx), in, uploadedFile{kind: file.kind, content: content})
		})
	}}
}

func (u Upload[I, B]) register(a *API) {
	op := a.operation(u.endpoint)
	op.RequestBody = u.body.describe()
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*writeOutput[B], error) {
		return u.receive(ctx, a, u.endpoint, in)
	})
}

// A fileBody is what the body of an upload is.
type fileBody struct {
	text  string
	types []string // by which clients can say what it is; AnyFile is one of them
}

// describe returns a body of bytes. Generated clients know no body of the other types, so they are in the text only.
func (b fileBody) describe() *huma.RequestBody {
	text := b.text
	if others := b.types[:len(b.types)-1]; len(others) > 0 {
		text = fmt.Sprintf("%s The content type can also be %s. For %s, `file` is needed.", text,
			strings.Join(others, ", "), AnyFile)
	}
	return &huma.RequestBody{Required: true, Description: text, Content: map[string]*huma.MediaType{
		AnyFile: {Schema: &huma.Schema{Type: "string", Format: "binary"}}}}
}

// An uploadedFile is a body that was read at once.
type uploadedFile struct {
	kind    string // type of the body
	content []byte
}

// FileParams name the file of an upload.
type FileParams struct {
	File string `query:"file" maxLength:"255" doc:"Name of the file, such as labels.csv or labels.jsonl.gz: its extension says how it is read, and it is in messages and the audit log. Default: by the type of the body."`
}

// name returns the name by which the importer knows the format of a file of rows.
func (f uploadedFile) name(p FileParams, stem string) (string, error) {
	if p.File != "" {
		return path.Base(p.File), plaintext.CheckLine(p.File)
	}
	switch f.kind {
	case csvType:
		return stem + ".csv", nil
	case jsonLines:
		return stem + ".jsonl", nil
	}
	return stem, nil // which the importer refuses: it needs an extension
}

// rowBody describes a file with one row for each object.
func rowBody(text string) fileBody { return fileBody{text, []string{jsonLines, csvType, AnyFile}} }
