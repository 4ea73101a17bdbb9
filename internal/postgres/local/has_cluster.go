package local

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// HasCluster reports whether dir holds a private PostgreSQL, running or not.
func HasCluster(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "data", "PG_VERSION"))
	return !errors.Is(err, fs.ErrNotExist)
}
