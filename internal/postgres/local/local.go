// Package local runs a private PostgreSQL as a child process, so that the application
// runs without a database server. The server listens on a Unix socket that only its account
// can reach, and accepts this account, its own and root only. It stops with the process that
// started it, even if that is killed.
package local

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
)

// Database is the database that Start creates if it is missing. Role owns it, and is the
// superuser of the server.
const (
	Database = "labelwright"
	Role     = "labelwright"
)

// minMajor is the oldest major version of PostgreSQL that this application supports.
const minMajor = 14

// Options configure a private server.
type Options struct {
	// Dir holds the cluster in data/ and the socket in run/. It is created if
	// missing. Required.
	Dir string
	// BinDir holds postgres and initdb. If empty, they are searched in PATH and in
	// the usual directories, and downloaded as a last resort.
	BinDir string
	// CacheDir stores downloaded binaries. The default is Dir/postgresql.
	CacheDir string
	// Account is an unprivileged account to run the server if this process is root
	// and the machine has no account named postgres.
	Account string
	// Volatile trades durability for speed: a crash of the machine may lose all
	// data. For tests.
	Volatile bool
	// Log receives the server's output (as Debug) and what Start does about earlier
	// runs. The default is slog.Default().
	Log *slog.Logger
}

// DefaultDir returns the default data directory: /var/lib/labelwright for root, else a
// directory in the data home of this account. dataHome is $XDG_DATA_HOME, which may be
// empty. DefaultDir returns "" for an account without a home directory.
func DefaultDir(dataHome string) string {
	if os.Geteuid() == 0 {
		return "/var/lib/labelwright"
	}
	if filepath.IsAbs(dataHome) {
		return filepath.Join(dataHome, "labelwright")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "labelwright")
	}
	return filepath.Join(home, ".local", "share", "labelwright")
}
