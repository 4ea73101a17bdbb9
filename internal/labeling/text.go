package labeling

import (
	"math"

	"github.com/labelwright/labelwright/internal/locale"
)

// Text returns the name of the cause; empty for an unknown one.
func (c DisagreementCause) Text() string {
	return map[DisagreementCause]string{
		UnclearGuideline: "Unclear guideline",
		AnnotatorMistake: "Annotator mistake",
		AmbiguousItem:    "Ambiguous item",
		BadData:          "Bad data",
	}[c]
}

// Text returns the policy as leads read it.
func (p MissPolicy) Text() string {
	return map[MissPolicy]string{
		MissContinue: "Read the guide sections again, then continue",
		MissRetake:   "Read the guide sections again, then retake the calibration set",
		MissWait:     "Wait until a lead lets them continue",
	}[p]
}

// Text returns the reason as annotators read it; empty for an unknown one.
func (r SkipReason) Text() string {
	return map[SkipReason]string{
		InvalidOrUnrealistic: "Invalid or unrealistic",
		Unclear:              "Unclear: I cannot tell what is meant",
		OutsideExpertise:     "Outside my expertise",
		Distressing:          "Distressing (no comment needed)",
	}[r]
}

// LeadText returns a reason about the item as leads read it; empty for a personal one.
func (r SkipReason) LeadText() string {
	return map[SkipReason]string{InvalidOrUnrealistic: "Invalid or unrealistic", Unclear: "Unclear"}[r]
}

// Text returns the policy as leads read it.
func (p SkipPolicy) Text() string {
	return map[SkipPolicy]string{
		SkipReassign:    "Reassign it to another annotator",
		SkipReturnLater: "Return it to the same annotator at the end, once; then reassign it",
		SkipDrop:        "Drop it: the label stays missing",
	}[p]
}

// Text returns the limit as annotators read it.
func (l Limit) Text() string {
	return map[Limit]string{
		DailyLimit:   "You reached the daily item limit of this project. Your answers are saved. Come back tomorrow.",
		SessionLimit: "You reached the session limit of this project. Take a break of at least 30 minutes, then continue.",
	}[l]
}

// Message describes the bias for the annotator.
func (b Bias) Message(l *locale.Locale) string {
	switch {
	case !b.Sufficient():
		return b.describeTooFew(l)
	case b.Field.Scale.IsBinary():
		return b.describeBinary(l)
	}
	return b.describeScale(l)
}

// describeTooFew describes a bias that is not sufficient.
func (b Bias) describeTooFew(l *locale.Locale) string {
	if b.N == 0 {
		return l.T("No calibration item has an answer to “%s” to compare.", b.Field.Title)
	}
	tooFew := l.T("Too few items to estimate your bias on “%s”: %d items.", b.Field.Title, b.N)
	switch {
	case b.ExactCount == b.N:
		return tooFew + " " + l.T("Your answers equal the reference.")
	case b.N == 1:
		return tooFew + " " + l.T("You differ on it.")
	}
	return tooFew + " " + l.T("You differ on %d of them.", b.N-b.ExactCount)
}

// describeScale describes the bias on an ordinal field.
func (b Bias) describeScale(l *locale.Locale) string {
	title, isLower := b.Field.Title, b.Mean < 0
	switch {
	case b.ExactCount == b.N:
		return l.T("Your scores for “%s” equal the reference.", title)
	case math.Abs(b.Mean) < negligibleBias:
		return l.T("On average your scores for “%s” equal the reference. You differ on %d of %d items.", title,
			b.N-b.ExactCount, b.N)
	case b.boundary != nil && isLower:
		return l.T("You score “%s” %.1f lower than the reference, mostly at the boundary between %d and %d.", title,
			b.Magnitude(), *b.boundary, *b.boundary+1)
	case b.boundary != nil:
		return l.T("You score “%s” %.1f higher than the reference, mostly at the boundary between %d and %d.", title,
			b.Magnitude(), *b.boundary, *b.boundary+1)
	case isLower:
		return l.T("You score “%s” %.1f lower than the reference.", title, b.Magnitude())
	}
	return l.T("You score “%s” %.1f higher than the reference.", title, b.Magnitude())
}

// describeBinary describes the bias on a yes/no field.
func (b Bias) describeBinary(l *locale.Locale) string {
	title, differing, higher, lower := b.Field.Title, b.N-b.ExactCount, b.HigherCount, b.LowerCount()
	switch {
	case differing == 0:
		return l.T("Your answers to “%s” equal the reference.", title)
	case lower == 0:
		return l.T("You answer yes to “%s” where the reference says no, on %d of %d items.", title, higher, b.N)
	case higher == 0:
		return l.T("You answer no to “%s” where the reference says yes, on %d of %d items.", title, lower, b.N)
	}
	return l.T("You differ from the reference on “%s” on %d of %d items: yes instead of no on %d, no instead of yes on %d.", title, differing, b.N, higher, lower)
}
