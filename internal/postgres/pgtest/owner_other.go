//go:build !unix

package pgtest

import "os"

// isOwned reports true on this system, where no private server runs.
func isOwned(os.FileInfo) bool { return true }
