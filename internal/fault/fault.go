// Package fault defines the errors a user can act on. Each has a Kind, the code
// that pages and the API map to a status, and a message to show. An error
// without a Kind is internal: its text is for the log only.
package fault

import (
	"errors"
	"fmt"
)

// A Kind is a stable code. It is an error by itself, so that
// errors.Is(err, fault.NotFound) holds however deep err is wrapped.
type Kind string

// The kinds of error. Their default texts are in text.go.
const (
	SignedOut   Kind = "signed_out"
	Forbidden   Kind = "forbidden"
	NotFound    Kind = "not_found"
	Conflict    Kind = "conflict"
	Invalid     Kind = "invalid"
	TooLarge    Kind = "too_large"
	Limited     Kind = "limited"     // too many requests of one client
	Unavailable Kind = "unavailable" // for a moment: a retry may succeed
	Internal    Kind = "internal"
)

// Error returns the default text of k.
func (k Kind) Error() string { return k.Text() }

// Errorf returns an error of kind k with its own message.
func (k Kind) Errorf(format string, args ...any) error {
	return &Error{Kind: k, Message: fmt.Sprintf(format, args...), Format: format, Args: args}
}

// WithText returns an error of kind k with a message without arguments.
func (k Kind) WithText(message string) error {
	return &Error{Kind: k, Message: message, Format: message}
}

// An Error is an error of a Kind with its own message and, for a form, the
// problems of its fields.
type Error struct {
	Kind    Kind
	Message string
	Format  string // of Message, as in the catalog of package locale; empty: not in it
	Args    []any  // of Format
	Fields  []FieldProblem
}

// A FieldProblem is what is wrong with one field of a form.
type FieldProblem struct {
	Field   string // its name; empty for a problem of the whole form or row
	Row     int    // of a file, from 1; 0: none
	Code    string // the rule it breaks; may be empty
	Message string
	Format  string // as in Error
	Args    []any
}

// A Text is an argument of a message that is translated with it.
type Text string

// FieldErrorf returns a problem of a field with its own message.
func FieldErrorf(field, format string, args ...any) FieldProblem {
	return FieldProblem{Field: field, Message: fmt.Sprintf(format, args...), Format: format, Args: args}
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }

// From returns err as an Error. One without a Kind becomes Internal, and its
// text is not shown.
func From(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	kind, ok := errors.AsType[Kind](err)
	if !ok {
		kind = Internal
	}
	return &Error{Kind: kind, Message: kind.Text(), Format: kind.Text()}
}

// Message returns the text to show for err.
func Message(err error) string { return From(err).Message }

// KindOf returns the Kind of err, or "" for nil.
func KindOf(err error) Kind {
	if err == nil {
		return ""
	}
	return From(err).Kind
}
