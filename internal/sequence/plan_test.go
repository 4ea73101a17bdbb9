package sequence

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/labelwright/labelwright/internal/fault"
)

func anyPlan(t *rapid.T) Plan {
	p := Plan{
		Calibration: rapid.IntRange(0, 12).Draw(t, "calibration"),
		Work:        rapid.IntRange(0, 220).Draw(t, "work"),
		BreakEvery:  rapid.IntRange(0, 40).Draw(t, "break every"),
	}
	p.Duplicates = rapid.IntRange(0, min(40, p.Work+1)).Draw(t, "duplicates")
	return p
}

// placeOf returns the place of the n-th work item.
func (p Path) placeOf(n int) int {
	at := 0
	for _, s := range p.Steps() {
		if s.Kind == Work || s.Kind == Duplicate {
			at++
		}
		if s == (Step{Work, n}) {
			return at
		}
	}
	return 0
}

func TestEveryPlanHoldsOrIsRefusedWithASentence(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plan, seed, annotator := anyPlan(t), rapid.Int64().Draw(t, "seed"), rapid.Int64().Draw(t, "annotator")
		p, err := plan.Lay(seed, annotator)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid || !strings.HasSuffix(fault.Message(err), ".") {
				t.Fatalf("refused without a sentence: %v", err)
			}
			return
		}
		if len(p.Repeats) != plan.Duplicates {
			t.Fatalf("%d duplicates, want %d", len(p.Repeats), plan.Duplicates)
		}
		checkRepeats(t, p)
		checkSteps(t, p)
		again, _ := plan.Lay(seed, annotator)
		if !slices.Equal(again.Repeats, p.Repeats) {
			t.Fatal("the same seed gave another path")
		}
	})
}

func checkRepeats(t *rapid.T, p Path) {
	length, originals := p.Work+p.Duplicates, map[int]bool{}
	for _, r := range p.Repeats {
		switch {
		case originals[r.Of]:
			t.Fatalf("item %d is repeated twice", r.Of)
		case 3*(r.At-p.placeOf(r.Of)) < length:
			t.Fatalf("the duplicate at %d is too near to its original at %d of %d", r.At, p.placeOf(r.Of), length)
		case 10*r.At <= length:
			t.Fatalf("a duplicate at %d is in the first tenth of %d", r.At, length)
		}
		originals[r.Of] = true
	}
}

func checkSteps(t *rapid.T, p Path) {
	steps, counts, since := p.Steps(), map[Kind]int{}, 0
	for i, s := range steps {
		if counts[s.Kind]++; s.Kind == Break {
			if since != p.BreakEvery || i == len(steps)-1 {
				t.Fatalf("a break after %d items, step %d of %d", since, i+1, len(steps))
			}
			since = 0
			continue
		}
		since++
		if s.Kind == Calibration && i > 0 && counts[Work] > 0 {
			t.Fatal("calibration comes after work")
		}
		if s.Kind == Duplicate && (steps[i-1].Kind == Break || i+1 < len(steps) && steps[i+1].Kind == Break) {
			t.Fatalf("the duplicate at step %d is beside a break", i+1)
		}
	}
	if counts[Calibration] != p.Calibration || counts[Work] != p.Work || counts[Duplicate] != p.Duplicates {
		t.Fatalf("the path holds %v", counts)
	}
}

// TestNoPlanIsRefusedThatCouldHold tries every placement of small plans.
func TestNoPlanIsRefusedThatCouldHold(t *testing.T) {
	t.Parallel()
	for work := range 9 {
		for duplicates := 1; duplicates <= min(3, work); duplicates++ {
			for every := range 6 {
				p := Plan{Calibration: 1, Work: work, Duplicates: duplicates, BreakEvery: every}
				_, err := p.Lay(1, 1)
				if could := p.anyHolds(nil, 1); could != (err == nil) {
					t.Errorf("%+v: could hold is %v, and the plan says %v", p, could, err)
				}
			}
		}
	}
}

// anyHolds tries all ascending places from one on.
func (p Plan) anyHolds(at []int, from int) bool {
	if len(at) == p.Duplicates {
		return p.holds(at)
	}
	for place := from; place <= p.length(); place++ {
		if place > p.Apart() && !p.besideBreak(place) && p.anyHolds(append(slices.Clone(at), place), place+1) {
			return true
		}
	}
	return false
}

func TestShortBatchesHaveFewerDuplicates(t *testing.T) {
	t.Parallel()
	for work, want := range map[int]int{150: 10, 50: 10, 49: 9, 30: 6, 10: 2, 5: 1, 4: 0, 0: 0} {
		if got := (Plan{Work: work, Duplicates: 10, BreakEvery: 30}).Fewer().Duplicates; got != want {
			t.Errorf("%d items have %d duplicates, want %d", work, got, want)
		}
	}
	if got := (Plan{Work: 100, Duplicates: 10, BreakEvery: 2}).Fewer().Duplicates; got != 0 {
		t.Errorf("%d duplicates stand beside breaks", got)
	}
}

func TestFewerAlwaysHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plan := anyPlan(t)
		fewer := plan.Fewer()
		if _, err := fewer.Lay(rapid.Int64().Draw(t, "seed"), 1); err != nil || fewer.Duplicates > plan.Duplicates {
			t.Fatalf("%+v became %+v: %v", plan, fewer, err)
		}
	})
}
