package labeling

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
)

// An AfterMiss says what follows when an annotator's calibration was far from
// the reference.
type AfterMiss string

// What a project can choose to follow a miss.
const (
	GoOn  AfterMiss = "go_on" // read the sections again, and go on
	Again AfterMiss = "again" // take the set again
	Wait  AfterMiss = "wait"  // for the lead
)

// AfterMisses lists every choice, as forms show them.
var AfterMisses = []AfterMiss{GoOn, Again, Wait}

// Says returns a as leads read it.
func (a AfterMiss) Says() string {
	return map[AfterMiss]string{
		GoOn:  "They read the sections again and go on",
		Again: "They read the sections again and take the set once more",
		Wait:  "They wait until a lead lets them go on",
	}[a]
}

// A Passage is one passage of an annotator through a calibration set.
type Passage struct {
	Done      bool
	Settled   bool     // the annotator has gone on from it
	Missed    []string // fields far from the reference
	Read      []string // of their sections, those read again
	AfterMiss AfterMiss
}

// Unread returns the fields whose sections wait to be read again.
func (p Passage) Unread() []string {
	return slices.DeleteFunc(slices.Clone(p.Missed), func(key string) bool { return slices.Contains(p.Read, key) })
}

// GoesOn reports why the annotator may not go on to the work, if so.
func (p Passage) GoesOn() error {
	if err := p.looked(); err != nil {
		return err
	}
	switch {
	case len(p.Missed) > 0 && p.AfterMiss == Again:
		return fault.Conflict.Says("Please take the calibration set once more: on some questions you were far from the reference.")
	case len(p.Missed) > 0 && p.AfterMiss == Wait:
		return fault.Conflict.Says("Your lead looks at your calibration first. The work opens here when they have let you go on.")
	}
	return nil
}

// TakesAgain reports why the annotator may not take the set once more, if so.
func (p Passage) TakesAgain() error {
	if err := p.looked(); err != nil {
		return err
	}
	if len(p.Missed) == 0 || p.AfterMiss != Again {
		return fault.Conflict.Says("There is no need to take the calibration set again.")
	}
	return nil
}

func (p Passage) looked() error {
	switch {
	case p.Settled:
		return fault.Conflict.Says("You have gone on from this calibration set already.")
	case !p.Done:
		return fault.Conflict.Says("The calibration set is not finished yet. Go on with it first.")
	case len(p.Unread()) > 0:
		return fault.Conflict.Says("Please read the sections of the guide again that are listed, and say of each that you have.")
	}
	return nil
}

// A Word is what somebody says of a calibration item to the others.
type Word string

// Check returns w tidied of what is blank, or a fault.
func (w Word) Check() (Word, error) {
	w = Word(strings.Trim(string(w), protocol.Blank))
	if n := utf8.RuneCountInString(string(w)); n == 0 || n > 2000 {
		return w, fault.Invalid.Says("Please write 1 to 2,000 characters.")
	}
	return w, nil
}
