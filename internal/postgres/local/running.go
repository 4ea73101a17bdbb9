//go:build unix

package local

import (
	"net"
	"path/filepath"
)

// FindRunning returns the address of the server that another process runs in dir, if there
// is one.
func FindRunning(dir string) (address Address, running bool) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Address{}, false
	}
	socketDir, err := filepath.EvalSymlinks(filepath.Join(dir, "run"))
	if err != nil {
		return Address{}, false
	}
	conn, err := net.Dial("unix", filepath.Join(socketDir, ".s.PGSQL."+port))
	if err != nil { // no socket, or the socket of a killed server
		return Address{}, false
	}
	_ = conn.Close()
	return Address{socketDir}, true
}
