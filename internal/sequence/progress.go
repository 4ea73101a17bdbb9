package sequence

import (
	"math/rand/v2"
	"slices"
)

// A AssignmentKind says what stands at a step of a path.
type AssignmentKind string

// The kinds of steps.
const (
	KindCalibration AssignmentKind = "calibration"
	KindWork        AssignmentKind = "work"
	KindDuplicate   AssignmentKind = "duplicate"
	KindInvalidated AssignmentKind = "spoiled" // a duplicate that a break came to stand beside: it counts for nothing
	KindBreak       AssignmentKind = "break"
)

// A Step is one thing an annotator meets.
type Step struct {
	Kind   AssignmentKind
	ItemNo int // which calibration or work item, from 1; of a duplicate, the work item it repeats
}

// Steps returns the whole path, were everything to go as expected.
func (p Arrangement) Steps() []Step {
	var steps []Step
	pending, work, shown := p.Placed, 0, 0
	total := p.Calibration + p.length()
	add := func(s Step) {
		steps = append(steps, s)
		if shown++; p.BreakEvery > 0 && shown%p.BreakEvery == 0 && shown < total {
			steps = append(steps, Step{Kind: KindBreak})
		}
	}
	for calibrationItem := range p.Calibration {
		add(Step{KindCalibration, calibrationItem + 1})
	}
	for i := range p.length() {
		if len(pending) > 0 && pending[0].Position == i+1 {
			add(Step{KindDuplicate, pending[0].OriginalNo})
			pending = pending[1:]
			continue
		}
		work++
		add(Step{KindWork, work})
	}
	return steps
}

// A Progress is how far an annotator has come along a path. What was set aside is
// not counted: the n-th work item is the n-th that was labelled.
type Progress struct {
	Pending           []Duplicate // those not given yet, by place
	WorkLabeled       int         // work items labelled
	DuplicatesLabeled int         // duplicates labelled
	ItemsSinceBreak   int         // items since the last break
	HadBreak          bool        // there was a break
	BreakEvery        int
}

// NextDuplicate returns the duplicate whose turn it is. One whose turn comes beside a
// break waits for the next work item to pass, and then follows.
//
// Where the work goes on for longer than expected, no more duplicates come.
func (p Progress) NextDuplicate() (Duplicate, bool) {
	if len(p.Pending) == 0 || p.Pending[0].Position > p.nextPosition() || p.isBesideBreak() {
		return Duplicate{}, false
	}
	return p.Pending[0], p.Pending[0].OriginalNo <= p.WorkLabeled
}

// RemainingDuplicate returns a duplicate to give where the work has ended, perhaps sooner
// than expected: the first whose turn it is, or whose original lies a third of
// the sequence behind, as long as that can still become. The others are left
// out, and so are those that a break would have to come before.
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

// nextPosition is the one that comes next.
func (p Progress) nextPosition() int { return p.WorkLabeled + p.DuplicatesLabeled + 1 }

func (p Progress) isBesideBreak() bool {
	breakBefore := p.ItemsSinceBreak == 0 && p.HadBreak
	breakAfter := p.BreakEvery > 0 && p.ItemsSinceBreak+1 >= p.BreakEvery
	return breakBefore || breakAfter
}

// Replacement returns a duplicate in place of one that a break came to stand
// beside: at a place still to come, of a work item labelled already that none
// of taken, all the annotator's duplicates so far, repeats, and a third of the
// sequence or more behind it. The sequence has length places, of which walked
// have been shown. It reports false where there is no such place any more.
func (p Progress) Replacement(length, shown int, existing []Duplicate, rng *rand.Rand) (Duplicate, bool) {
	var candidates []Duplicate
	distance := minDistance(length + 1)
	for position := p.nextPosition() + 1; position <= length; position++ {
		isTaken := func(d Duplicate) bool { return d.Position == position }
		// The n-th work item was shown at n + walked − Work or before.
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
