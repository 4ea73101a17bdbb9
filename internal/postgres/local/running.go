//go:build unix

package local

import (
	"net"
	"path/filepath"
)

// FindRunning returns how to reach Database on the server that another process runs
// in dir, if one does.
func FindRunning(dir string) (url string, running bool) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", false
	}
	socketDir, err := filepath.EvalSymlinks(filepath.Join(dir, "run"))
	if err != nil {
		return "", false
	}
	conn, err := net.Dial("unix", filepath.Join(socketDir, ".s.PGSQL."+port))
	if err != nil { // none, or one that a killed server left
		return "", false
	}
	_ = conn.Close()
	s := Server{socketDir: socketDir}
	return s.URL(Database), true
}
