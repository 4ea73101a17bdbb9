package local

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Holds reports whether dir holds a private PostgreSQL, running or not.
func Holds(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "data", "PG_VERSION"))
	return !errors.Is(err, fs.ErrNotExist)
}
