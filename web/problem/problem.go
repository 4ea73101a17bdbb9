// Package problem describes errors to clients, as RFC 9457 has them. The pages and the API
// share it, so that an error has the same status, code and text in both.
package problem

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// The kinds of a request that no page or operation takes.
const (
	Malformed            fault.Kind = "malformed"              // an address that is not text
	UnsupportedMediaType fault.Kind = "unsupported_media_type" // a body of another type
	MethodNotAllowed     fault.Kind = "method_not_allowed"     // the path takes other methods
	NotAcceptable        fault.Kind = "not_acceptable"         // no response of the type that the client asks for
	Scope                fault.Kind = "insufficient_scope"     // the token lacks the scope
)

// RetryAfter is the Retry-After header of an unavailable service, in seconds.
const RetryAfter = "5"

type outcome struct {
	status int
	title  locale.Text
}

var outcomes = map[fault.Kind]outcome{
	fault.SignedOut:            {http.StatusUnauthorized, locale.Text("Signed out")},
	fault.Forbidden:            {http.StatusForbidden, locale.Text("Not allowed")},
	fault.NotFound:             {http.StatusNotFound, locale.Text("Not found")},
	fault.Conflict:             {http.StatusConflict, locale.Text("Conflict")},
	fault.Invalid:              {http.StatusUnprocessableEntity, locale.Text("Invalid input")},
	fault.TooLarge:             {http.StatusRequestEntityTooLarge, locale.Text("Too large")},
	fault.Limited:              {http.StatusTooManyRequests, locale.Text("Too many attempts")},
	fault.Unavailable:          {http.StatusServiceUnavailable, locale.Text("Not available")},
	fault.Internal:             {http.StatusInternalServerError, locale.Text("Something went wrong")},
	postgres.RequestInProgress: {http.StatusConflict, "Request in progress"},
	postgres.VersionChanged:    {http.StatusPreconditionFailed, "Changed since it was read"},
	postgres.ReusedKey:         {http.StatusUnprocessableEntity, "Idempotency key used before"},
	Malformed:                  {http.StatusBadRequest, locale.Text("Malformed request")},
	UnsupportedMediaType:       {http.StatusUnsupportedMediaType, locale.Text("Unsupported media type")},
	MethodNotAllowed:           {http.StatusMethodNotAllowed, locale.Text("Method not allowed")},
	NotAcceptable:              {http.StatusNotAcceptable, "Not acceptable"},
	Scope:                      {http.StatusForbidden, "Missing scope"},
}

// Status returns the HTTP status of a kind.
func Status(kind fault.Kind) int {
	return cmp.Or(outcomes[kind].status, http.StatusInternalServerError)
}

// Title returns the title of a kind.
func Title(kind fault.Kind) locale.Text {
	return cmp.Or(outcomes[kind].title, locale.Text("Something went wrong"))
}

// FromStatus returns the kind of a status that a library chose.
func FromStatus(status int) fault.Kind {
	switch status {
	case http.StatusBadRequest:
		return Malformed
	case http.StatusUnsupportedMediaType:
		return UnsupportedMediaType
	case http.StatusNotAcceptable:
		return NotAcceptable
	case http.StatusRequestEntityTooLarge:
		return fault.TooLarge
	case http.StatusUnprocessableEntity:
		return fault.Invalid
	}
	return fault.Internal
}

// ToFault returns err as the error to render: a kind, a message and the problems of fields.
func ToFault(err error) *fault.Error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.From(fault.TooLarge)
	}
	if problems, ok := errors.AsType[protocol.Problems](err); ok {
		fields := make([]fault.FieldProblem, len(problems))
		for i, p := range problems {
			fields[i] = fault.FieldProblem{Field: p.Key, Code: p.Rule, Message: p.Message}
		}
		return invalidFields(fault.Invalid, fields)
	}
	if problems, ok := errors.AsType[project.FormProblems](err); ok {
		fields := make([]fault.FieldProblem, len(problems))
		for i, p := range problems {
			f := fault.From(p.Err)
			fields[i] = fault.FieldProblem{Field: p.Field, Message: f.Message, Format: f.Format, Args: f.Args}
		}
		return invalidFields(fault.KindOf(err), fields)
	}
	if problems, ok := errors.AsType[protocol.DefinitionErrors](err); ok {
		fields := make([]fault.FieldProblem, len(problems))
		for i, p := range problems {
			fields[i] = fault.FieldProblem{Row: p.Line, Message: p.Message}
		}
		return &fault.Error{Kind: fault.Invalid, Message: problems.Error(), Fields: fields}
	}
	if problems, ok := errors.AsType[importer.FileErrors](err); ok {
		fields := make([]fault.FieldProblem, len(problems))
		for i, p := range problems {
			fields[i] = fault.FieldProblem{Field: p.Column, Row: p.Row, Message: p.Message}
		}
		return &fault.Error{Kind: fault.Invalid, Message: problems.Error(), Fields: fields}
	}
	return fault.From(postgres.Classify(err))
}

func invalidFields(kind fault.Kind, fields []fault.FieldProblem) *fault.Error {
	return &fault.Error{Kind: kind, Message: JoinMessages(fields), Fields: fields}
}

// JoinMessages returns the messages about fields as one.
func JoinMessages(fields []fault.FieldProblem) string {
	messages := make([]string, len(fields))
	for i, p := range fields {
		messages[i] = p.Message
	}
	return strings.Join(messages, " ")
}

// Details is an error as RFC 9457 has it. Clients rely on Code, which does not change with the
// wording.
type Details struct {
	Title     string     `json:"title" doc:"Summary, the same for every error with this code."`
	Status    int        `json:"status" doc:"HTTP status."`
	Detail    string     `json:"detail" doc:"What is wrong and what to do, in English. The wording may change."`
	Code      fault.Kind `json:"code" doc:"Stable code. Programs rely on it, not on the text."`
	Errors    []Field    `json:"errors,omitempty" doc:"The errors by field or row."`
	RequestID string     `json:"request_id,omitempty" doc:"Id of the request, as in the log of the server."`
}

// A Field is what is wrong with one field of a form or body.
type Field struct {
	Field  string `json:"field,omitempty" doc:"Name of the field or column. Missing: an error of the whole request or row."`
	Row    int    `json:"row,omitempty" doc:"Line of the body or of the definition, from 1."`
	Code   string `json:"code,omitempty" doc:"The rule of the protocol that it breaks."`
	Detail string `json:"detail" doc:"What is wrong and what to do."`
}

// New returns the details of an error.
func New(f *fault.Error, requestID string) Details {
	d := Details{Title: string(Title(f.Kind)), Status: Status(f.Kind), Detail: f.Message, Code: f.Kind,
		RequestID: requestID}
	for _, p := range f.Fields {
		d.Errors = append(d.Errors, Field{p.Field, p.Row, p.Code, p.Message})
	}
	return d
}

// Kinds returns all kinds.
func Kinds() []fault.Kind { return slices.Sorted(maps.Keys(outcomes)) }
