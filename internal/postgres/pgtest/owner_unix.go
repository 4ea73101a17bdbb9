//go:build unix

package pgtest

import (
	"os"
	"syscall"
)

// isOwned reports whether this account owns the file.
func isOwned(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
