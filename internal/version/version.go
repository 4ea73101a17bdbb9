// Package version knows the version of this program. Exports record it, so that a dataset
// can be traced to the code that wrote it.
package version

import (
	"cmp"
	"runtime/debug"
	"sync"
)

// linked is set with -ldflags "-X …/internal/version.linked=v1.2.3", where the sources have
// no git history.
var linked string

// String returns the version: the linked one, else the tag or commit of the build, else
// "(devel)".
func String() string { return read() }

// read is called once, because reading the build's information parses it.
var read = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return cmp.Or(linked, "(devel)")
	}
	return cmp.Or(linked, info.Main.Version, "(devel)")
})
