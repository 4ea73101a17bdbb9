// Package project says what is labelled and by whom: items of one protocol
// version, the people who work on them, and the batches they are given.
package project

import (
	"regexp"

	"github.com/labelwright/labelwright/internal/fault"
)

var keyForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// CheckKey reports whether key can name a project in addresses and commands.
func CheckKey(key string) error {
	if !keyForm.MatchString(key) {
		return fault.Invalid.Says("A project's key has 1 to 63 lower-case letters, digits and hyphens, and starts with a letter or digit. “%s” does not.", key)
	}
	return nil
}
