//go:build !unix

package local

import (
	"context"
	"errors"
)

var errUnsupported = errors.New("a private PostgreSQL does not run on this system. " +
	"Set DATABASE_URL to your own PostgreSQL")

// Binaries are a PostgreSQL installation that can run on this machine.
type Binaries struct {
	Dir     string
	Version string
	Major   int
}

// FindBinaries returns an error on this system.
func FindBinaries(context.Context, Options) (Binaries, error) { return Binaries{}, errUnsupported }

// LockDir returns an error on this system.
func LockDir(string) (release func(), err error) { return nil, errUnsupported }

// ErrLocked means that another process uses the directory.
var ErrLocked = errors.New("in use by another process")

// Remove returns an error on this system.
func Remove(context.Context, string) error { return errUnsupported }

// Server is a running private PostgreSQL. There is none on this system.
type Server struct{}

// Start returns an error on this system.
func Start(context.Context, Options) (*Server, error) { return nil, errUnsupported }

// URL returns "".
func (*Server) URL(string) string { return "" }

// Version returns 0.
func (*Server) Version() int { return 0 }

// Exited returns nil, a channel that is never closed.
func (*Server) Exited() <-chan struct{} { return nil }

// Stop does nothing.
func (*Server) Stop(context.Context) error { return nil }

// FindRunning finds no server on this system.
func FindRunning(string) (address Address, running bool) { return Address{}, false }

// An Address is where a server would listen.
type Address struct{}

// URL returns "" on this system.
func (Address) URL(_, _ string) string { return "" }

// Address returns no address on this system.
func (*Server) Address() Address { return Address{} }
