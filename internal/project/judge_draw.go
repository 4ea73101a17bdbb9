package project

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
)

// A JudgeDraw draws the items of a batch from those that a model judge has answered and no
// annotator has labeled. Its probabilities grow with what a label is expected to add.
type JudgeDraw struct {
	Judge string `json:"judge"`
	Field string `json:"field,omitempty"` // key of the field that the draw is for; empty: all fields
	Size  int    `json:"size"`
	Seed  int64  `json:"seed,omitempty"` // 0: random
	// LastLabelID is that of the labels that the expected gain follows from, so that labels of
	// open batches do not change a draw that was shown. 0: of the newest one.
	LastLabelID int64  `json:"last_label,omitempty"`
	Digest      string `json:"digest,omitempty"` // of the items and their probabilities; empty: whatever they are
}

// A BatchDraw is how the items of an open or closed batch were drawn.
type BatchDraw struct {
	Judge      string // that the draw was for
	Field      string // empty: all fields
	Items      int    // drawn
	Candidates int    // that could be drawn
	Seed       int64
}

// ErrDrawChanged is returned if a batch would not get the items that were shown.
var ErrDrawChanged = fault.Conflict.Errorf("The items that can be drawn changed since this draw was shown: items, judgments, labels or batches did. Draw again on the page “What to label next”, or with judge --next.")

// maxDrawnItems is the number of items that one draw can have.
const maxDrawnItems = 100_000

// Check returns an error if d cannot be drawn in any project.
func (d JudgeDraw) Check() error {
	switch {
	case strings.TrimSpace(d.Judge) == "":
		return fault.Invalid.Errorf("Choose a judge.")
	case d.Size < 1 || d.Size > maxDrawnItems:
		return fault.Invalid.Errorf("Enter a number of items from 1 to %s.", formatCount(maxDrawnItems))
	case d.Seed < 0 || d.LastLabelID < 0:
		return fault.Invalid.Errorf("The seed must be a whole number above 0.")
	}
	return nil
}

// Token returns d as one word, so that pages, commands and programs open the draw that was shown.
func (d JudgeDraw) Token() string {
	text, err := json.Marshal(d)
	if err != nil {
		panic(err) // texts and numbers
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// ParseJudgeDraw reads a token. The empty text is nil: no draw.
func ParseJudgeDraw(token string) (*JudgeDraw, error) {
	if token = strings.TrimSpace(token); token == "" {
		return nil, nil //nolint:nilnil // no draw is not an error
	}
	text, err := base64.RawURLEncoding.DecodeString(token)
	var d JudgeDraw
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil || d.Check() != nil {
		return nil, fault.Invalid.Errorf("“%s” is not a draw. Copy it from the page “What to label next”, or from judge --next.", Truncate(token, 40))
	}
	return &d, nil
}
