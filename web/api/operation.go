package api

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
)

// scopeKey is the key of the scope in the metadata of an operation.
const scopeKey = "scope"

// An endpoint describes an operation.
type endpoint struct {
	id      string
	method  string // of a write; a read is GET
	path    string
	tag     string
	scope   account.Scope // empty: any token
	summary string
	text    string
	status  int                      // of success; 0: 200
	object  postgres.VersionedObject // that a write changes, for If-Match; empty: none
}

// ID returns the id of the operation in the OpenAPI document.
func (e endpoint) ID() string { return e.id }

// A ProjectPath is the input of an operation on a project.
type ProjectPath struct {
	Project string `path:"project" maxLength:"68" doc:"Key of the project. KEY@VERSION has what was labeled under an earlier version of its protocol." example:"support-tone"`
}

// NoInput is the input of an operation that needs none.
type NoInput struct{}

// A BodyInput is the input of an operation that needs only a body.
type BodyInput[B any] struct{ Body B }

// A ProjectBody is the input of an operation on a project with a body.
type ProjectBody[B any] struct {
	ProjectPath
	Body B
}

// PageParams select a part of a list.
type PageParams struct {
	Cursor string `query:"cursor" maxLength:"300" doc:"Where to continue: next_cursor of the page before."`
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"Number of entries."`
}

// operation returns the description of an endpoint, and keeps it for the readable page.
func (a *API) operation(e endpoint) huma.Operation {
	a.order = append(a.order, e.id)
	op := huma.Operation{OperationID: e.id, Method: e.method, Path: e.path, Tags: []string{e.tag}, Summary: e.summary,
		Description: e.text, DefaultStatus: e.status,
		MaxBodyBytes: bodyLimit, Metadata: map[string]any{scopeKey: e.scope},
		Security:  []map[string][]string{{"token": {}}},
		Errors:    []int{400, 401, 403, 404, 409, 413, 415, 422, 429, 503},
		Responses: map[string]*huma.Response{}}
	if e.scope != "" {
		op.Description = strings.TrimSpace(op.Description + "\n\nScope: `" + string(e.scope) + "`.")
	}
	if e.method == http.MethodGet {
		op.Responses["304"] = &huma.Response{Description: "Not changed since the ETag in If-None-Match."}
		return op
	}
	maxLength, maxIfMatch := maxKeyLength, 1000
	op.Errors = append(op.Errors, http.StatusPreconditionFailed)
	if e.object != "" {
		op.Metadata[objectKey] = e.object
		op.Parameters = append(op.Parameters, &huma.Param{Name: "If-Match", In: "header", Example: `W/"v3-5f0c"`,
			Description: "ETag of the " + string(e.object) +
				". It is changed only if no one else changed it since; otherwise the answer is 412.",
			Schema: &huma.Schema{Type: "string", MaxLength: &maxIfMatch}})
	}
	op.Parameters = append(op.Parameters, &huma.Param{Name: idempotencyKey, In: "header", Example: "3f0a6c1e",
		Description: "A text that no other request of the token has. The same request again gets the same response.",
		Schema:      &huma.Schema{Type: "string", MaxLength: &maxLength, Pattern: "^[!-~]+$"}})
	return op
}

// An Operation is what a program can do: over HTTP with a token, or as a command in the process. I
// is its input, and B the body of its answer.
type Operation[I, B any] struct {
	endpoint
	handle func(ctx context.Context, a *API, c caller, in *I) (B, error)
}

// newRead returns an operation that changes nothing. Its response has an ETag.
func newRead[I, B any](e endpoint, handle func(context.Context, *API, caller, *I) (B, error)) Operation[I, B] {
	e.method = http.MethodGet
	return Operation[I, B]{e, handle}
}

// newWrite returns an operation that changes something. A request with an idempotency key is made
// once.
func newWrite[I, B any](e endpoint, handle func(context.Context, *API, caller, *I) (B, error)) Operation[I, B] {
	return Operation[I, B]{e, handle}
}

func (o Operation[I, B]) register(a *API) {
	if o.method == http.MethodGet {
		huma.Register(a.huma, a.operation(o.endpoint), func(ctx context.Context, in *I) (*readOutput[B], error) {
			return o.read(ctx, a, in)
		})
		return
	}
	huma.Register(a.huma, a.operation(o.endpoint), func(ctx context.Context, in *I) (*writeOutput[B], error) {
		sent, err := json.Marshal(in)
		if err != nil {
			return nil, a.toProblem(ctx, err)
		}
		return runOnce(ctx, a, o.endpoint, sent, func() (B, error) { return o.handle(ctx, a, callerFrom(ctx), in) })
	})
}

type readOutput[B any] struct {
	Status int
	ETag   string `header:"ETag"`
	Body   encoded[B]
}

func (o Operation[I, B]) read(ctx context.Context, a *API, in *I) (*readOutput[B], error) {
	body, err := o.handle(ctx, a, callerFrom(ctx), in)
	if err != nil {
		return nil, a.toProblem(ctx, err)
	}
	out := &readOutput[B]{Status: http.StatusOK}
	if out.Body, err = encode(body); err != nil {
		return nil, a.toProblem(ctx, err)
	}
	out.ETag = newETag(body, out.Body.text)
	if matchesETag(exchangeFrom(ctx).r, out.ETag) {
		out.Status = http.StatusNotModified
	}
	return out, nil
}

type writeOutput[B any] struct {
	Status   int
	ETag     string `header:"ETag" doc:"Of an account, project, member, batch or webhook, for If-Match."`
	Replayed string `header:"Idempotency-Replayed" doc:"true if this is the response to an earlier request with the same key."`
	Body     B
}

// setETag sets the tag of a body with a version.
func (o *writeOutput[B]) setETag() error {
	if _, ok := any(o.Body).(versioned); !ok {
		return nil
	}
	text, err := json.Marshal(o.Body)
	o.ETag = newETag(o.Body, text)
	return err
}

// idempotencyKey is the header with the idempotency key of a write.
const idempotencyKey = "Idempotency-Key"

// maxKeyLength is the number of characters of an idempotency key.
const maxKeyLength = 200

// runOnce makes a request, or returns the response to an earlier request with the same
// idempotency key. sent is everything that distinguishes the request from others of the
// operation.
func runOnce[B any](ctx context.Context, a *API, e endpoint, sent []byte, run func() (B, error)) (out *writeOutput[B],
	err error) {
	c, key := callerFrom(ctx), exchangeFrom(ctx).r.Header.Get(idempotencyKey)
	out = &writeOutput[B]{Status: max(e.status, http.StatusOK)}
	if key == "" {
		if out.Body, err = run(); err != nil {
			return nil, a.toProblem(ctx, err)
		}
		return out, out.setETag()
	}
	if len(key) > maxKeyLength || strings.ContainsFunc(key, func(r rune) bool { return r < '!' || r > '~' }) {
		return nil, a.toProblem(ctx, fault.Invalid.Errorf(
			"The idempotency key must be 1 to %d printable ASCII characters without spaces.", maxKeyLength))
	}
	fingerprint := sha256.Sum256(append([]byte(e.id+"\n"+c.project.Key+"\n"+exchangeFrom(ctx).r.Header.Get("If-Match")+
		"\n"), sent...))
	stored, err := a.DB.StartRequest(ctx, c.TokenID, key, fingerprint[:])
	if err != nil {
		return nil, a.toProblem(ctx, err)
	}
	if stored != nil {
		if err := json.Unmarshal(stored, &out.Body); err != nil {
			return nil, a.toProblem(ctx, err)
		}
		out.Replayed = strconv.FormatBool(true)
		return out, nil
	}
	var response []byte
	defer func() { // also after a panic
		if finishErr := a.DB.FinishRequest(ctx, c.TokenID, key, response); finishErr != nil {
			a.Log.WarnContext(ctx, "response not stored", "error", finishErr)
		}
	}()
	if out.Body, err = run(); err != nil {
		return nil, a.toProblem(ctx, err)
	}
	if response, err = json.Marshal(forStorage(out.Body)); err != nil {
		return nil, a.toProblem(ctx, err)
	}
	return out, out.setETag()
}

// forStorage returns what of a response is stored for a repeated request: without secrets that
// the database has nowhere else.
func forStorage(body any) any {
	if secret, ok := body.(interface{ forStorage() any }); ok {
		return secret.forStorage()
	}
	return body
}

// notNil returns an empty list for nil, which JSON would show as null.
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// mapped converts each element of a list.
func mapped[T, U any](list []T, convert func(T) U) []U {
	out := make([]U, len(list))
	for i, element := range list {
		out[i] = convert(element)
	}
	return out
}
