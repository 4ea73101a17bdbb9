package pgtest

import (
	"os"
	"syscall"
)

// quickDir returns a directory in memory where there is room in it for the
// databases of several test binaries; containers often give it 64 MB.
func quickDir() string {
	const memory, enough = "/dev/shm", 2 << 30
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memory, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < enough {
		return os.TempDir()
	}
	return memory
}
