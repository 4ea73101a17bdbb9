package labeling

import (
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
)

// A Comment is a message in the discussion of a calibration item.
type Comment string

// Check returns c without surrounding spaces, or why it is invalid.
func (c Comment) Check() (Comment, error) {
	text, err := plaintext.ReadText(string(c), 1, 2000, fault.Invalid.Errorf("Write 1 to 2,000 characters."))
	return Comment(text), err
}
