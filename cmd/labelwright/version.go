package main

import (
	"runtime"

	"github.com/labelwright/labelwright/internal/version"
)

type versionCommand struct{ resultFlags }

// Run prints the version of the program.
func (v versionCommand) Run(s streams) error {
	return v.print(s, map[string]any{"version": version.String(), "go": runtime.Version(), "os": runtime.GOOS,
		"arch": runtime.GOARCH},
		"labelwright %s (%s %s/%s)\n", version.String(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
