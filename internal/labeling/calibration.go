package labeling

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
)

// An MissPolicy says what follows when an annotator's calibration was far from
// the reference.
type MissPolicy string

// What a project can choose to follow a miss.
const (
	MissContinue MissPolicy = "go_on" // read the sections again, and go on
	MissRetake   MissPolicy = "again" // take the set again
	MissWait     MissPolicy = "wait"  // for the lead
)

// MissPolicies lists every choice, as forms show them.
var MissPolicies = []MissPolicy{MissContinue, MissRetake, MissWait}

// Text returns a as leads read it.
func (p MissPolicy) Text() string {
	return map[MissPolicy]string{
		MissContinue: "They read the sections again and go on",
		MissRetake:   "They read the sections again and take the set once more",
		MissWait:     "They wait until a lead lets them go on",
	}[p]
}

// A CalibrationAttempt is one passage of an annotator through a calibration set.
type CalibrationAttempt struct {
	Completed    bool
	Resolved     bool     // the annotator has gone on from it
	MissedFields []string // fields far from the reference
	ReadSections []string // of their sections, those read again
	MissPolicy   MissPolicy
}

// UnreadFields returns the fields whose sections wait to be read again.
func (a CalibrationAttempt) UnreadFields() []string {
	return slices.DeleteFunc(slices.Clone(a.MissedFields), func(key string) bool { return slices.Contains(a.ReadSections, key) })
}

// CheckContinue reports why the annotator may not go on to the work, if so.
func (a CalibrationAttempt) CheckContinue() error {
	if err := a.checkReviewed(); err != nil {
		return err
	}
	switch {
	case len(a.MissedFields) > 0 && a.MissPolicy == MissRetake:
		return fault.Conflict.Errorf("Please take the calibration set once more: on some questions you were far from the reference.")
	case len(a.MissedFields) > 0 && a.MissPolicy == MissWait:
		return fault.Conflict.Errorf("Your lead looks at your calibration first. The work opens here when they have let you go on.")
	}
	return nil
}

// CheckRetake reports why the annotator may not take the set once more, if so.
func (a CalibrationAttempt) CheckRetake() error {
	if err := a.checkReviewed(); err != nil {
		return err
	}
	if len(a.MissedFields) == 0 || a.MissPolicy != MissRetake {
		return fault.Conflict.Errorf("There is no need to take the calibration set again.")
	}
	return nil
}

func (a CalibrationAttempt) checkReviewed() error {
	switch {
	case a.Resolved:
		return fault.Conflict.Errorf("You have gone on from this calibration set already.")
	case !a.Completed:
		return fault.Conflict.Errorf("The calibration set is not finished yet. Go on with it first.")
	case len(a.UnreadFields()) > 0:
		return fault.Conflict.Errorf("Please read the sections of the guide again that are listed, and say of each that you have.")
	}
	return nil
}

// A Comment is what somebody says of a calibration item to the others.
type Comment string

// Check returns w tidied of what is blank, or a fault.
func (c Comment) Check() (Comment, error) {
	c = Comment(strings.Trim(string(c), protocol.BlankChars))
	if n := utf8.RuneCountInString(string(c)); n == 0 || n > 2000 {
		return c, fault.Invalid.Errorf("Please write 1 to 2,000 characters.")
	}
	return c, nil
}
