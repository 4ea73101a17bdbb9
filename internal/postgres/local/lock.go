//go:build unix

package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrLocked means that another process uses the directory.
var ErrLocked = errors.New("in use by another process")

// LockDir locks dir for this process until release is called or the process ends. It
// does not wait: it returns ErrLocked if another process has locked dir.
func LockDir(dir string) (release func(), err error) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%s belongs to another account. Start as that account, or choose another data directory",
			dir)
	}
	if err != nil {
		return nil, fmt.Errorf("locking the data directory: %w", err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		_ = file.Close()
		return nil, fmt.Errorf("%s is %w. Stop that process, or choose another data directory", dir, ErrLocked)
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}
	return func() { unlock(file) }, nil
}

// unlock releases the lock before it closes the file, because a program that is being
// launched also has the file open for a moment.
func unlock(file *os.File) {
	_ = syscall.Flock(int(file.Fd()), syscall.LOCK_UN)
	_ = file.Close()
}
