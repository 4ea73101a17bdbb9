package labeling

import (
	"strings"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A Comment is a message in the discussion of a calibration item.
type Comment string

// Check returns c without surrounding spaces, or why it is invalid.
func (c Comment) Check() (Comment, error) {
	c = Comment(strings.Trim(string(c), protocol.BlankChars))
	if n := utf8.RuneCountInString(string(c)); n == 0 || n > 2000 {
		return c, fault.Invalid.Errorf("Write 1 to 2,000 characters.")
	}
	return c, nil
}
