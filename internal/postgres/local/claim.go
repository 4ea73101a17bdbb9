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

// ErrClaimed means that another process holds a directory.
var ErrClaimed = errors.New("in use by another process")

// Claim takes dir for this process until release is called or the process ends,
// however it ends. It does not wait: the error is ErrClaimed where another holds it.
func Claim(dir string) (release func(), err error) {
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%s belongs to another account. Please start as that account, or choose another data directory", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("claiming the data directory: %w", err)
	}
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		_ = lock.Close()
		return nil, fmt.Errorf("%s is %w. Please stop that one first, or choose another data directory", dir, ErrClaimed)
	}
	if err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("claiming %s: %w", dir, err)
	}
	return func() { unlock(lock) }, nil
}

// unlock frees the lock before the file: a program that is being launched at this
// moment has the file open as well, until it runs.
func unlock(lock *os.File) {
	_ = syscall.Flock(int(lock.Fd()), syscall.LOCK_UN)
	_ = lock.Close()
}
