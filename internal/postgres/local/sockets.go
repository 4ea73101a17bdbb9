//go:build unix

package local

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// maxSocketPath is how many bytes the path of a socket may have on every Unix.
const maxSocketPath = 103

// makeSocketDir makes the private directory of the socket: run/ in Dir, or where
// that path is too long for a socket, a directory in /tmp that run leads to.
func (s *Server) makeSocketDir(context.Context) error {
	s.removeSocketDir()
	runDir := s.runPath()
	s.socketDir = runDir
	if len(runDir)+len("/.s.PGSQL."+port) <= maxSocketPath {
		return s.makeEmptyDir(runDir)
	}
	shortDir, err := os.MkdirTemp("/tmp", "labelwright-")
	if err != nil {
		return fmt.Errorf("making a directory for the socket: %w", err)
	}
	s.socketDir = shortDir
	if err := os.Symlink(shortDir, runDir); err != nil {
		return fmt.Errorf("remembering the directory of the socket: %w", err)
	}
	return s.runAs.chown(shortDir)
}

// removeSocketDir clears what this or an earlier run left. A socket's lock file must
// go as well: it may name a process number that another program has by now.
func (s *Server) removeSocketDir() {
	runDir := s.runPath()
	if shortDir, err := os.Readlink(runDir); err == nil {
		clearSocketDir(shortDir)
	}
	clearSocketDir(runDir)
}

// clearSocketDir removes nothing but sockets, their locks and then an empty
// directory (or the link to one).
func clearSocketDir(dir string) {
	leftovers, _ := filepath.Glob(filepath.Join(dir, ".s.PGSQL.*"))
	for _, path := range leftovers {
		_ = os.Remove(path)
	}
	_ = os.Remove(dir)
}

func (s *Server) runPath() string { return filepath.Join(s.options.Dir, "run") }
