package labeling

import (
	"fmt"
	"math"
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

// describeTooFew describes a bias that is not sufficient.
func (b Bias) describeTooFew() string {
	items, differ := fmt.Sprintf("%d items", b.N), fmt.Sprintf("You differ on %d of them.", b.N-b.ExactCount)
	switch {
	case b.N == 0:
		return "No calibration item has an answer to “" + b.Field.Title + "” to compare."
	case b.ExactCount == b.N:
		differ = "Your answers equal the reference."
	case b.N == 1:
		differ = "You differ on it."
	}
	if b.N == 1 {
		items = "1 item"
	}
	return fmt.Sprintf("Too few items to estimate your bias on “%s”: %s. %s", b.Field.Title, items, differ)
}

// describeScale describes the bias on an ordinal field.
func (b Bias) describeScale(boundary int, hasBoundary bool) string {
	title := "“" + b.Field.Title + "”"
	switch {
	case b.ExactCount == b.N:
		return fmt.Sprintf("Your scores for %s equal the reference.", title)
	case math.Abs(b.Mean) < negligibleBias:
		return fmt.Sprintf("On average your scores for %s equal the reference. You differ on %d of %d items.", title, b.N-b.ExactCount, b.N)
	}
	direction := "higher"
	if b.Mean < 0 {
		direction = "lower"
	}
	message := fmt.Sprintf("You score %s %.1f %s than the reference", title, b.Magnitude(), direction)
	if hasBoundary {
		message += fmt.Sprintf(", mostly at the boundary between %d and %d", boundary, boundary+1)
	}
	return message + "."
}

// describeBinary describes the bias on a yes/no field.
func (b Bias) describeBinary() string {
	title, differing, higher, lower := "“"+b.Field.Title+"”", b.N-b.ExactCount, b.HigherCount, b.LowerCount()
	switch {
	case differing == 0:
		return fmt.Sprintf("Your answers to %s equal the reference.", title)
	case lower == 0:
		return fmt.Sprintf("You answer yes to %s where the reference says no, on %d of %d items.", title, higher, b.N)
	case higher == 0:
		return fmt.Sprintf("You answer no to %s where the reference says yes, on %d of %d items.", title, lower, b.N)
	}
	return fmt.Sprintf("You differ from the reference on %s on %d of %d items: yes instead of no on %d, no instead of yes on %d.", title, differing, b.N, higher, lower)
}
