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

// ErrLocked means that another process holds a directory.
var ErrLocked = errors.New("in use by another process")

// LockDir takes dir for this process until release is called or the process ends,
// however it ends. It does not wait: the error is ErrLocked where another holds it.
func LockDir(dir string) (release func(), err error) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%s belongs to another account. Please start as that account, or choose another data directory", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("claiming the data directory: %w", err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		_ = file.Close()
		return nil, fmt.Errorf("%s is %w. Please stop that one first, or choose another data directory", dir, ErrLocked)
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("claiming %s: %w", dir, err)
	}
	return func() { unlock(file) }, nil
}

// unlock frees the lock before the file: a program that is being launched at this
// moment has the file open as well, until it runs.
func unlock(file *os.File) {
	_ = syscall.Flock(int(file.Fd()), syscall.LOCK_UN)
	_ = file.Close()
}
