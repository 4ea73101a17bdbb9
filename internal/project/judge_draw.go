package project

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
)

// A JudgeDraw draws the items of a batch from those that a model judge has answered and no
// annotator has labeled.
type JudgeDraw struct {
	Judge  string    `json:"judge"`
	By     DrawOrder `json:"by"`
	Size   int       `json:"size"`
	Seed   int64     `json:"seed,omitempty"`   // of a random draw; 0: random
	Digest string    `json:"digest,omitempty"` // of the items; empty: whatever they are
}

// A DrawOrder is how a draw chooses items.
type DrawOrder string

// The orders. Items on which judges differ are no sample, so their labels are kept out of comparisons with judges.
const (
	DrawAtRandom       DrawOrder = "random"
	DrawByDisagreement DrawOrder = "disagreement" // of judges, largest first
)

// ErrDrawChanged is returned if a batch would not get the items that were shown.
var ErrDrawChanged = fault.Conflict.Errorf(
	"The items that can be drawn changed since this draw was shown: items, judgments or batches did. Draw again on the page “What to label next”, or with judge --next.")

// Check returns an error if d cannot be drawn in any project.
func (d JudgeDraw) Check() error {
	switch {
	case strings.TrimSpace(d.Judge) == "":
		return fault.Invalid.Errorf("Choose a judge.")
	case d.Size < 1 || d.Size > MaxDrawnItems:
		return fault.Invalid.Errorf("Enter a number of items from 1 to %s.", formatCount(MaxDrawnItems))
	case d.By != DrawAtRandom && d.By != DrawByDisagreement:
		return fault.Invalid.Errorf("“%s” is no order of a draw. Choose random or disagreement.", d.By)
	case d.Seed < 0:
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
		return nil, fault.Invalid.Errorf(
			"“%s” is not a draw. Copy it from the page “What to label next”, or from judge --next.",
			Truncate(token, 40))
	}
	return &d, nil
}
