//go:build unix

package pgtest

import (
	"os"
	"syscall"
)

// ours tells whether this account owns the file.
func ours(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
