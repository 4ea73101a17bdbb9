//go:build !linux

package pgtest

import "os"

// quickDir returns the ordinary place for temporary files.
func quickDir() string { return os.TempDir() }
