// Package fault sorts errors by what the person who met them can do next, and
// carries the sentence that tells them. An error of no Kind is our own: what it
// says is for the log alone.
package fault

import (
	"errors"
	"fmt"
)

// A Kind is an error in itself, so that errors.Is(err, fault.NotFound) holds
// however deep err is wrapped.
type Kind string

// The kinds, each with the sentence used when nothing more precise is known.
const (
	SignedOut Kind = "Please sign in."
	Forbidden Kind = "You do not have access to this."
	NotFound  Kind = "There is nothing here."
	Conflict  Kind = "This has changed since you opened it. Open it again to see how it stands."
	Invalid   Kind = "That could not be read. Please check it and try again."
	TooLarge  Kind = "That is larger than we accept."
	Busy      Kind = "We are busy for a moment. Please try again shortly."
)

// Error returns what k says by itself.
func (k Kind) Error() string { return string(k) }

// Errorf returns an error of kind k with a sentence of its own.
func (k Kind) Errorf(format string, args ...any) error {
	return &messageError{k, fmt.Sprintf(format, args...)}
}

type messageError struct {
	kind    Kind
	message string
}

func (e *messageError) Error() string { return e.message }
func (e *messageError) Unwrap() error { return e.kind }

// InternalMessage is what a person is told of an error that has no Kind.
const InternalMessage = "Something went wrong on our side. What you saved is kept; please try again."

// Message returns the sentence to show for err.
func Message(err error) string {
	if e, ok := errors.AsType[*messageError](err); ok {
		return e.message
	}
	if k, ok := errors.AsType[Kind](err); ok {
		return string(k)
	}
	return InternalMessage
}

// KindOf returns the Kind of err, or "" where err is our own.
func KindOf(err error) Kind {
	k, _ := errors.AsType[Kind](err)
	return k
}
