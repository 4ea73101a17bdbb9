//go:build !linux

package pgtest

import "os"

// fastTempDir returns the default temporary directory.
func fastTempDir() string { return os.TempDir() }
