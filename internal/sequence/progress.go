package sequence

import (
	"math/rand/v2"
	"slices"
)

// A Progress is how far an annotator has come in the work of a batch. Skipped items
// do not count: the n-th work item is the n-th that was labeled.
type Progress struct {
	Pending           []Duplicate // duplicates not shown yet, by position
	WorkLabeled       int
	DuplicatesLabeled int
	ItemsSinceBreak   int
	HadBreak          bool
	BreakEvery        int // items; 0: no planned breaks
}

// NextDuplicate returns the duplicate that is due. A duplicate that is due next to a
// break is shown one work item later. Once the work is longer than expected, there
// are no more duplicates.
func (p Progress) NextDuplicate() (Duplicate, bool) {
	if len(p.Pending) == 0 || p.Pending[0].Position > p.nextPosition() || p.isNextToBreak() {
		return Duplicate{}, false
	}
	return p.Pending[0], p.Pending[0].OriginalNo <= p.WorkLabeled
}

// RemainingDuplicate returns a duplicate to show after the last work item: the first
// that is due, or whose original is a third of the sequence back. Duplicates next to
// a break are left out.
func (p Progress) RemainingDuplicate() (Duplicate, bool) {
	if p.ItemsSinceBreak == 0 && p.HadBreak || p.BreakEvery > 0 && p.ItemsSinceBreak >= p.BreakEvery {
		return Duplicate{}, false
	}
	distance := minDistance(p.WorkLabeled + p.DuplicatesLabeled + len(p.Pending))
	for _, d := range p.Pending {
		if d.OriginalNo <= p.WorkLabeled && (d.Position <= p.nextPosition() || p.WorkLabeled+1-d.OriginalNo >= distance) {
			return d, true
		}
	}
	return Duplicate{}, false
}

func (p Progress) nextPosition() int { return p.WorkLabeled + p.DuplicatesLabeled + 1 }

// isNextToBreak reports whether a break is just before or just after the next item.
func (p Progress) isNextToBreak() bool {
	breakBefore := p.ItemsSinceBreak == 0 && p.HadBreak
	breakAfter := p.BreakEvery > 0 && p.ItemsSinceBreak+1 >= p.BreakEvery
	return breakBefore || breakAfter
}

// Replacement returns a duplicate in place of an invalidated one, at a later position
// and a third of the sequence or more after its original. The sequence has length
// positions, of which shown were shown; existing are all duplicates of the annotator.
// It returns false if no position is left.
func (p Progress) Replacement(length, shown int, existing []Duplicate, rng *rand.Rand) (Duplicate, bool) {
	var candidates []Duplicate
	distance := minDistance(length + 1)
	for position := p.nextPosition() + 1; position <= length; position++ {
		isTaken := func(d Duplicate) bool { return d.Position == position }
		// The n-th work item was shown at n + shown − WorkLabeled or before.
		if lastOriginal := min(p.WorkLabeled, position-distance-(shown-p.WorkLabeled)); lastOriginal > 0 && !slices.ContainsFunc(existing, isTaken) {
			candidates = append(candidates, Duplicate{Position: position, OriginalNo: lastOriginal})
		}
	}
	for _, i := range rng.Perm(len(candidates)) {
		for _, n := range rng.Perm(candidates[i].OriginalNo) {
			isRepeated := func(d Duplicate) bool { return d.OriginalNo == n+1 }
			if !slices.ContainsFunc(existing, isRepeated) {
				return Duplicate{Position: candidates[i].Position, OriginalNo: n + 1}, true
			}
		}
	}
	return Duplicate{}, false
}
