//go:build unix

package local

import (
	"net"
	"path/filepath"
)

// FindRunning returns the URL of Database on the server that another process runs in
// dir, if there is one.
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
	if err != nil { // no socket, or the socket of a killed server
		return "", false
	}
	_ = conn.Close()
	s := Server{socketDir: socketDir}
	return s.URL(Database), true
}
