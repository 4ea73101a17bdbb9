//go:build unix

package local

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// maxSocketPath is the longest path of a socket, in bytes, that every Unix accepts.
const maxSocketPath = 103

// makeSocketDir creates the private directory of the socket: run/ in Dir. If that path
// is too long for a socket, run is a link to a directory in /tmp.
func (s *Server) makeSocketDir(context.Context) error {
	s.removeSocketDir()
	runDir := s.runPath()
	s.socketDir = runDir
	if len(runDir)+len("/.s.PGSQL."+port) <= maxSocketPath {
		return s.makeEmptyDir(runDir)
	}
	shortDir, err := os.MkdirTemp("/tmp", "labelwright-")
	if err != nil {
		return fmt.Errorf("creating a directory for the socket: %w", err)
	}
	s.socketDir = shortDir
	if err := os.Symlink(shortDir, runDir); err != nil {
		return fmt.Errorf("linking the directory of the socket: %w", err)
	}
	return s.runAs.chown(shortDir)
}

// removeSocketDir removes the socket directory of this or an earlier run. It also
// removes the lock file of the socket, whose PID another program may have now.
func (s *Server) removeSocketDir() {
	runDir := s.runPath()
	if shortDir, err := os.Readlink(runDir); err == nil {
		clearSocketDir(shortDir)
	}
	clearSocketDir(runDir)
}

// clearSocketDir removes sockets and their lock files from dir, and then dir if it is
// empty or a link.
func clearSocketDir(dir string) {
	leftovers, _ := filepath.Glob(filepath.Join(dir, ".s.PGSQL.*"))
	for _, path := range leftovers {
		_ = os.Remove(path)
	}
	_ = os.Remove(dir)
}

func (s *Server) runPath() string { return filepath.Join(s.options.Dir, "run") }
