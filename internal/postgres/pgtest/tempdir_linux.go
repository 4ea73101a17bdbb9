package pgtest

import (
	"os"
	"syscall"
)

// fastTempDir returns a directory in memory, or the default temporary directory if the
// memory is too small for several test binaries. Containers often have only 64 MB.
func fastTempDir() string {
	const shm, minFree = "/dev/shm", 2 << 30
	var fs syscall.Statfs_t
	if err := syscall.Statfs(shm, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < minFree {
		return os.TempDir()
	}
	return shm
}
