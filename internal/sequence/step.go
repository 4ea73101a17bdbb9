package sequence

import (
	"math/rand/v2"
	"slices"
)

// A Kind says what stands at a step of a path.
type Kind string

// The kinds of steps.
const (
	Calibration Kind = "calibration"
	Work        Kind = "work"
	Duplicate   Kind = "duplicate"
	Spoiled     Kind = "spoiled" // a duplicate that a break came to stand beside: it counts for nothing
	Break       Kind = "break"
)

// A Step is one thing an annotator meets.
type Step struct {
	Kind Kind
	Nth  int // which calibration or work item, from 1; of a duplicate, the work item it repeats
}

// Steps returns the whole path, were everything to go as expected.
func (p Path) Steps() []Step {
	var steps []Step
	repeats, work, walked := p.Repeats, 0, 0
	last := p.Calibration + p.length()
	add := func(s Step) {
		steps = append(steps, s)
		if walked++; p.BreakEvery > 0 && walked%p.BreakEvery == 0 && walked < last {
			steps = append(steps, Step{Kind: Break})
		}
	}
	for n := range p.Calibration {
		add(Step{Calibration, n + 1})
	}
	for at := range p.length() {
		if len(repeats) > 0 && repeats[0].At == at+1 {
			add(Step{Duplicate, repeats[0].Of})
			repeats = repeats[1:]
			continue
		}
		work++
		add(Step{Work, work})
	}
	return steps
}

// A Walk is how far an annotator has come along a path. What was set aside is
// not counted: the n-th work item is the n-th that was labelled.
type Walk struct {
	Repeats    []Repeat // those not given yet, by place
	Work       int      // work items labelled
	Given      int      // duplicates labelled
	SinceBreak int      // items since the last break
	Rested     bool     // there was a break
	BreakEvery int
}

// Due returns the duplicate whose turn it is. One whose turn comes beside a
// break waits for the next work item to pass, and then follows.
//
// Where the work goes on for longer than expected, no more duplicates come.
func (w Walk) Due() (Repeat, bool) {
	if len(w.Repeats) == 0 || w.Repeats[0].At > w.place() || w.besideBreak() {
		return Repeat{}, false
	}
	return w.Repeats[0], w.Repeats[0].Of <= w.Work
}

// Last returns a duplicate to give where the work has ended, perhaps sooner
// than expected: the first whose turn it is, or whose original lies a third of
// the sequence behind, as long as that can still become. The others are left
// out, and so are those that a break would have to come before.
func (w Walk) Last() (Repeat, bool) {
	if w.SinceBreak == 0 && w.Rested || w.BreakEvery > 0 && w.SinceBreak >= w.BreakEvery {
		return Repeat{}, false
	}
	apart := Third(w.Work + w.Given + len(w.Repeats))
	for _, r := range w.Repeats {
		if r.Of <= w.Work && (r.At <= w.place() || w.Work+1-r.Of >= apart) {
			return r, true
		}
	}
	return Repeat{}, false
}

// place is the one that comes next.
func (w Walk) place() int { return w.Work + w.Given + 1 }

func (w Walk) besideBreak() bool {
	before := w.SinceBreak == 0 && w.Rested
	after := w.BreakEvery > 0 && w.SinceBreak+1 >= w.BreakEvery
	return before || after
}

// Instead returns a duplicate in place of one that a break came to stand
// beside: at a place still to come, of a work item labelled already that none
// of taken, all the annotator's duplicates so far, repeats, and a third of the
// sequence or more behind it. The sequence has length places, of which walked
// have been shown. It reports false where there is no such place any more.
func (w Walk) Instead(length, walked int, taken []Repeat, order *rand.Rand) (Repeat, bool) {
	var places []Repeat
	apart := Third(length + 1)
	for at := w.place() + 1; at <= length; at++ {
		isAt := func(r Repeat) bool { return r.At == at }
		// The n-th work item was shown at n + walked − Work or before.
		if last := min(w.Work, at-apart-(walked-w.Work)); last > 0 && !slices.ContainsFunc(taken, isAt) {
			places = append(places, Repeat{At: at, Of: last})
		}
	}
	for _, i := range order.Perm(len(places)) {
		for _, n := range order.Perm(places[i].Of) {
			isOf := func(r Repeat) bool { return r.Of == n+1 }
			if !slices.ContainsFunc(taken, isOf) {
				return Repeat{At: places[i].At, Of: n + 1}, true
			}
		}
	}
	return Repeat{}, false
}
