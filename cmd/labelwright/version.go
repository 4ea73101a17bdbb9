package main

import (
	"fmt"
	"runtime"

	"github.com/labelwright/labelwright/internal/version"
)

type versionCommand struct{}

// Run prints the version of the program.
func (versionCommand) Run(s streams) error {
	_, err := fmt.Fprintf(s.out, "labelwright %s (%s %s/%s)\n", version.String(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
