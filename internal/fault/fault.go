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

// Says returns an error of kind k with a sentence of its own.
func (k Kind) Says(format string, args ...any) error {
	return &told{k, fmt.Sprintf(format, args...)}
}

type told struct {
	kind Kind
	says string
}

func (t *told) Error() string { return t.says }
func (t *told) Unwrap() error { return t.kind }

// Ours is what a person is told of an error that has no Kind.
const Ours = "Something went wrong on our side. What you saved is kept; please try again."

// Message returns the sentence to show for err.
func Message(err error) string {
	if t, ok := errors.AsType[*told](err); ok {
		return t.says
	}
	if k, ok := errors.AsType[Kind](err); ok {
		return string(k)
	}
	return Ours
}

// KindOf returns the Kind of err, or "" where err is our own.
func KindOf(err error) Kind {
	k, _ := errors.AsType[Kind](err)
	return k
}
