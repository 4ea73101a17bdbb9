//go:build unix

package local

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// longestSocket is how many bytes the path of a socket may have on every Unix.
const longestSocket = 103

// makeSockets makes the private directory of the socket: run/ in Dir, or where
// that path is too long for a socket, a directory in /tmp that run leads to.
func (s *Server) makeSockets(context.Context) error {
	s.removeSockets()
	run := s.runPath()
	s.sockets = run
	if len(run)+len("/.s.PGSQL."+port) <= longestSocket {
		return s.emptyDir(run)
	}
	short, err := os.MkdirTemp("/tmp", "labelwright-")
	if err != nil {
		return fmt.Errorf("making a directory for the socket: %w", err)
	}
	s.sockets = short
	if err := os.Symlink(short, run); err != nil {
		return fmt.Errorf("remembering the directory of the socket: %w", err)
	}
	return s.runAs.give(short)
}

// removeSockets clears what this or an earlier run left. A socket's lock file must
// go as well: it may name a process number that another program has by now.
func (s *Server) removeSockets() {
	run := s.runPath()
	if short, err := os.Readlink(run); err == nil {
		clearSockets(short)
	}
	clearSockets(run)
}

// clearSockets removes nothing but sockets, their locks and then an empty
// directory (or the link to one).
func clearSockets(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, ".s.PGSQL.*"))
	for _, path := range left {
		_ = os.Remove(path)
	}
	_ = os.Remove(dir)
}

func (s *Server) runPath() string { return filepath.Join(s.with.Dir, "run") }
