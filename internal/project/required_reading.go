package project

import (
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
)

// A RequiredDocument is a text that annotators must read before the items of a batch, and again
// when it changes.
type RequiredDocument string

// The documents, in reading order.
const (
	ContentWarningDocument RequiredDocument = "content_warning" // also read again each day
	InstructionsDocument   RequiredDocument = "instructions"
	GuideDocument          RequiredDocument = "guide" // its version is the revision of the protocol
)

// maxInstructions is the number of characters of a project's instructions.
const maxInstructions = 20_000

func readInstructions(text string) (string, error) {
	return plaintext.ReadText(text, 0, maxInstructions, fault.Invalid.Errorf(
		"The instructions are longer than %s characters. Shorten them.", formatCount(maxInstructions)))
}

// NeedsInstructions reports whether the questions of the protocol refer to things outside
// the item, which only instructions of the project can state.
func (p Project) NeedsInstructions() bool { return p.Protocol.Unit.RecordKind != "" }

// LacksInstructions reports whether the project needs instructions before a batch is opened.
func (p Project) LacksInstructions() bool {
	return p.NeedsInstructions() && strings.TrimSpace(p.Instructions) == ""
}

// CheckRequiredTexts returns FormProblems if a batch of the project cannot be opened: it
// has a content warning without a support link, or lacks instructions.
func (p Project) CheckRequiredTexts() error {
	var problems FormProblems
	problems.add("support_url", p.CheckSupportLink())
	if p.LacksInstructions() {
		problems.add("instructions", fault.Conflict.Errorf(
			"This project has no instructions. Questions of %s refer to rules outside the item, such as the citation format. "+
				"Add instructions under Settings, or run `labelwright project settings --project %s --instructions FILE`.",
			p.Protocol.Key, p.Key))
	}
	return problems.err()
}
