//go:build !unix

package local

import (
	"context"
	"errors"
)

var errElsewhere = errors.New("a private PostgreSQL cannot be started on this system. " +
	"Set DATABASE_URL to a PostgreSQL of your own")

// Binaries are a PostgreSQL that can be run here: none, on this system.
type Binaries struct {
	Dir     string
	Version string
	Major   int
}

// Find reports that no private PostgreSQL can be run on this system.
func Find(context.Context, Options) (Binaries, error) { return Binaries{}, errElsewhere }

// Claim reports that no directory can be claimed on this system.
func Claim(string) (release func(), err error) { return nil, errElsewhere }

// ErrClaimed means that another process holds a directory.
var ErrClaimed = errors.New("in use by another process")

// Remove reports that there is nothing to remove on this system.
func Remove(context.Context, string) error { return errElsewhere }

// Server is a private PostgreSQL: never one, on this system.
type Server struct{}

// Start says to set DATABASE_URL.
func Start(context.Context, Options) (*Server, error) { return nil, errElsewhere }

// URL returns "".
func (*Server) URL(string) string { return "" }

// Version returns 0.
func (*Server) Version() int { return 0 }

// Exited returns a channel that never closes.
func (*Server) Exited() <-chan struct{} { return nil }

// Stop does nothing.
func (*Server) Stop(context.Context) error { return nil }

// Join finds no server on this system.
func Join(string) (url string, running bool) { return "", false }
