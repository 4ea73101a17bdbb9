package labeling

import (
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
)

// A MissPolicy is what follows a calibration attempt that missed the reference.
type MissPolicy string

// The policies. In each, the annotator first reads the guide sections again.
const (
	MissContinue MissPolicy = "continue" // with the work
	MissRetake   MissPolicy = "retake"   // the calibration set
	MissWait     MissPolicy = "wait"     // for a lead
)

// MissPolicies lists the policies in the order of the form.
var MissPolicies = []MissPolicy{MissContinue, MissRetake, MissWait}

// A CalibrationAttempt is one attempt of an annotator at a calibration set.
type CalibrationAttempt struct {
	Completed    bool
	Resolved     bool     // the annotator continued, or retakes the set
	MissedFields []string // keys of the fields that are far from the reference
	ReadSections []string // keys of the missed fields whose guide sections were read again
	MissPolicy   MissPolicy
	IsPractice   bool // its items were seen before with their reference
	IsLatest     bool // no other attempt started after it
	HasStarted   bool // the annotator started work before, so that a retake does not decide about it
}

// A CalibrationStatus is what an attempt waits for.
type CalibrationStatus string

// The statuses.
const (
	CalibrationLabeling    CalibrationStatus = "labeling"
	CalibrationReading     CalibrationStatus = "reading" // sections of the guide, again
	CalibrationCanContinue CalibrationStatus = "can_continue"
	CalibrationMustRetake  CalibrationStatus = "must_retake"
	CalibrationWaits       CalibrationStatus = "waits_for_lead"
	CalibrationContinued   CalibrationStatus = "continued"
)

// Text returns the status in English.
func (s CalibrationStatus) Text() string {
	if s == CalibrationWaits {
		return "waits for a lead"
	}
	return strings.ReplaceAll(string(s), "_", " ")
}

// Status returns what the attempt waits for.
func (a CalibrationAttempt) Status() CalibrationStatus {
	switch {
	case a.Resolved:
		return CalibrationContinued
	case !a.Completed:
		return CalibrationLabeling
	case len(a.UnreadFields()) > 0:
		return CalibrationReading
	case a.CheckContinue() == nil:
		return CalibrationCanContinue
	case a.CheckRetake() == nil:
		return CalibrationMustRetake
	}
	return CalibrationWaits
}

// UnreadFields returns the missed fields whose guide sections were not read again.
func (a CalibrationAttempt) UnreadFields() []string {
	return slices.DeleteFunc(slices.Clone(a.MissedFields), func(key string) bool {
		return slices.Contains(a.ReadSections, key)
	})
}

// IsLast reports whether no other attempt follows, as far as is known: only then others' scores
// and comments are shown.
func (a CalibrationAttempt) IsLast() bool {
	return a.Completed && a.IsLatest && (a.Resolved || a.IsPractice || !a.missed(MissRetake))
}

// missed reports whether the attempt missed the reference under a policy.
func (a CalibrationAttempt) missed(policy MissPolicy) bool {
	return len(a.MissedFields) > 0 && a.MissPolicy == policy
}

// CheckContinue reports why the annotator may not start work.
func (a CalibrationAttempt) CheckContinue() error {
	if err := a.checkReviewed(); err != nil {
		return err
	}
	switch {
	case a.IsPractice && !a.HasStarted:
		return fault.Conflict.Errorf("You had seen these items with their reference, so this attempt is practice. A lead decides whether you can start work.")
	case !a.IsPractice && a.missed(MissRetake):
		return fault.Conflict.Errorf("Your answers to some questions are far from the reference. Retake the calibration set.")
	case !a.IsPractice && a.missed(MissWait):
		return fault.Conflict.Errorf("A lead reviews your calibration first. You can start work here after the review.")
	}
	return nil
}

// CheckRetake reports why the annotator may not retake the set.
func (a CalibrationAttempt) CheckRetake() error {
	if err := a.checkReviewed(); err != nil {
		return err
	}
	if a.IsPractice || !a.missed(MissRetake) {
		return fault.Conflict.Errorf("You do not need to retake the calibration set.")
	}
	return nil
}

func (a CalibrationAttempt) checkReviewed() error {
	switch {
	case a.Resolved:
		return fault.Conflict.Errorf("You already continued after this calibration set.")
	case !a.Completed:
		return fault.Conflict.Errorf("The calibration set is not complete. Label its remaining items first.")
	case len(a.UnreadFields()) > 0:
		return fault.Conflict.Errorf("Read the listed sections of the guide again, and mark each as read.")
	}
	return nil
}
