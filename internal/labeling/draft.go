package labeling

import (
	"encoding/json"
	"strings"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A Draft is a labeling form that is not submitted yet.
type Draft struct {
	protocol.Answers
	FilledIn *FilledIn `json:"filledIn,omitempty"` // nil: nothing
}

// FilledIn is what the script of the form filled in for edge cases, so that unticking one
// brings back what was there before, also after the page is loaded again.
type FilledIn struct {
	Answers map[string][]FilledAnswer `json:"answers,omitempty"` // by field, in the order of filling in
	Notes   []FilledNote              `json:"notes,omitempty"`
}

// A FilledAnswer is an answer that was filled in.
type FilledAnswer struct {
	Value  int          `json:"value"`
	Before AnswerBefore `json:"before"`
	Source *string      `json:"source,omitempty"` // the edge case; empty: another one that still holds; nil: none
	Title  string       `json:"title,omitempty"`
}

// An AnswerBefore is the answer to a field before one was filled in.
type AnswerBefore struct {
	Value    *int `json:"value,omitempty"` // nil: not answered
	IsUnsure bool `json:"isUnsure"`
}

// A FilledNote is a text that was added to the note.
type FilledNote struct {
	Source string `json:"source,omitempty"` // the edge case
	Text   string `json:"text"`
	Before string `json:"before"` // the whole note
	After  string `json:"after"`
}

// maxFilledInBytes bounds FilledIn, which holds the note a few times.
const maxFilledInBytes = 1 << 16

// ParseFilledIn reads FilledIn as the script sends it. It returns nil for anything else: then
// unticking an edge case leaves the answers as they are.
func ParseFilledIn(text string) *FilledIn {
	var f FilledIn
	if len(text) > maxFilledInBytes || strings.Contains(text, `\u0000`) || json.Unmarshal([]byte(text), &f) != nil {
		return nil
	}
	if len(f.Answers)+len(f.Notes) == 0 {
		return nil
	}
	return &f
}
