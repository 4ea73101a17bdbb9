package labeling

import (
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
)

// A SkipReason is why an annotator skips an item.
type SkipReason string

// The reasons.
const (
	InvalidOrUnrealistic SkipReason = "invalid_or_unrealistic"
	Unclear              SkipReason = "unclear"
	OutsideExpertise     SkipReason = "outside_expertise"
	Distressing          SkipReason = "distressing"
)

// IsPersonal reports whether the reason is about the annotator, not the item. Leads cannot
// tell personal reasons apart, so that no one learns who skipped an item as distressing. The
// item does not come back. There is no comment, because no lead may read it.
func (r SkipReason) IsPersonal() bool { return r == OutsideExpertise || r == Distressing }

// SkipReasons lists the reasons in the order of the form.
var SkipReasons = []SkipReason{Unclear, InvalidOrUnrealistic, OutsideExpertise, Distressing}

// A Skip is why one item was skipped.
type Skip struct {
	Reason  SkipReason
	Comment string
}

// Check returns s without surrounding spaces, or why it is invalid.
func (s Skip) Check() (Skip, error) {
	var err error
	s.Comment, err = plaintext.ReadText(s.Comment, 0, reasonLimit, fault.Invalid.Errorf(
		"Use at most 1,000 characters for the comment."))
	switch {
	case s.Reason.Text() == "":
		return s, fault.Invalid.Errorf("Choose a reason.")
	case s.Reason.IsPersonal():
		s.Comment, err = "", nil
	case s.Comment == "":
		return s, fault.Invalid.Errorf("Add a short comment that says what is wrong with the item.")
	}
	return s, err
}

// A SkipPolicy is what happens to a skipped item.
type SkipPolicy string

// The policies.
const (
	SkipReassign    SkipPolicy = "reassign"     // to another annotator
	SkipReturnLater SkipPolicy = "return_later" // to the same annotator at the end, once
	SkipDrop        SkipPolicy = "drop"         // the label stays missing, and is reported as missing
)

// SkipPolicies lists the policies in the order of the form.
var SkipPolicies = []SkipPolicy{SkipReassign, SkipReturnLater, SkipDrop}

// Apply returns what happens to an item skipped for a reason. One skipped for a personal
// reason never returns to its annotator, and an item returns only once.
func (p SkipPolicy) Apply(reason SkipReason, skippedBefore bool) SkipPolicy {
	if p == SkipReturnLater && (skippedBefore || reason.IsPersonal()) {
		return SkipReassign
	}
	return p
}
