package sequence

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

func drawPlan(t *rapid.T) Plan {
	p := Plan{
		Calibration: rapid.IntRange(0, 12).Draw(t, "calibration"),
		Work:        rapid.IntRange(0, 220).Draw(t, "work"),
		BreakEvery:  rapid.IntRange(0, 40).Draw(t, "break every"),
	}
	p.Duplicates = rapid.IntRange(0, min(40, p.Work+1)).Draw(t, "duplicates")
	return p
}

// positionOf returns the place of the n-th work item.
func (p Arrangement) positionOf(itemNo int) int {
	position := 0
	for _, s := range p.Steps() {
		if s.Kind == KindWork || s.Kind == KindDuplicate {
			position++
		}
		if s == (Step{KindWork, itemNo}) {
			return position
		}
	}
	return 0
}

func TestArrange_FitsOrExplains(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plan, seed, annotatorID := drawPlan(t), rapid.Int64().Draw(t, "seed"), rapid.Int64().Draw(t, "annotator")
		p, err := plan.Arrange(seed, account.ID(annotatorID))
		if err != nil {
			if fault.KindOf(err) != fault.Invalid || !strings.HasSuffix(fault.Message(err), ".") {
				t.Fatalf("refused without a sentence: %v", err)
			}
			return
		}
		if len(p.Placed) != plan.Duplicates {
			t.Fatalf("%d duplicates, want %d", len(p.Placed), plan.Duplicates)
		}
		checkDuplicates(t, p)
		checkSteps(t, p)
		repeated, _ := plan.Arrange(seed, account.ID(annotatorID))
		if !slices.Equal(repeated.Placed, p.Placed) {
			t.Fatal("the same seed gave another path")
		}
	})
}

func checkDuplicates(t *rapid.T, p Arrangement) {
	length, originals := p.Work+p.Duplicates, map[int]bool{}
	for _, d := range p.Placed {
		switch {
		case originals[d.OriginalNo]:
			t.Fatalf("item %d is repeated twice", d.OriginalNo)
		case 3*(d.Position-p.positionOf(d.OriginalNo)) < length:
			t.Fatalf("the duplicate at %d is too near to its original at %d of %d", d.Position, p.positionOf(d.OriginalNo), length)
		case 10*d.Position <= length:
			t.Fatalf("a duplicate at %d is in the first tenth of %d", d.Position, length)
		}
		originals[d.OriginalNo] = true
	}
}

func checkSteps(t *rapid.T, p Arrangement) {
	steps, counts, sinceBreak := p.Steps(), map[AssignmentKind]int{}, 0
	for i, s := range steps {
		if counts[s.Kind]++; s.Kind == KindBreak {
			if sinceBreak != p.BreakEvery || i == len(steps)-1 {
				t.Fatalf("a break after %d items, step %d of %d", sinceBreak, i+1, len(steps))
			}
			sinceBreak = 0
			continue
		}
		sinceBreak++
		if s.Kind == KindCalibration && i > 0 && counts[KindWork] > 0 {
			t.Fatal("calibration comes after work")
		}
		if s.Kind == KindDuplicate && (steps[i-1].Kind == KindBreak || i+1 < len(steps) && steps[i+1].Kind == KindBreak) {
			t.Fatalf("the duplicate at step %d is beside a break", i+1)
		}
	}
	if counts[KindCalibration] != p.Calibration || counts[KindWork] != p.Work || counts[KindDuplicate] != p.Duplicates {
		t.Fatalf("the path holds %v", counts)
	}
}

// TestArrange_FeasiblePlan_Accepted tries every placement of small plans.
func TestArrange_FeasiblePlan_Accepted(t *testing.T) {
	t.Parallel()
	for work := range 9 {
		for duplicates := 1; duplicates <= min(3, work); duplicates++ {
			for breakEvery := range 6 {
				p := Plan{Calibration: 1, Work: work, Duplicates: duplicates, BreakEvery: breakEvery}
				_, err := p.Arrange(1, 1)
				if feasible := p.isFeasible(nil, 1); feasible != (err == nil) {
					t.Errorf("%+v: could hold is %v, and the plan says %v", p, feasible, err)
				}
			}
		}
	}
}

// isFeasible tries all ascending places from one on.
func (p Plan) isFeasible(positions []int, from int) bool {
	if len(positions) == p.Duplicates {
		return p.canHold(positions)
	}
	for position := from; position <= p.length(); position++ {
		if position > p.minDistance() && !p.isBesideBreak(position) && p.isFeasible(append(slices.Clone(positions), position), position+1) {
			return true
		}
	}
	return false
}

func TestFit_ShortBatch(t *testing.T) {
	t.Parallel()
	for work, want := range map[int]int{150: 10, 50: 10, 49: 9, 30: 6, 10: 2, 5: 1, 4: 0, 0: 0} {
		if got := (Plan{Work: work, Duplicates: 10, BreakEvery: 30}).Fit().Duplicates; got != want {
			t.Errorf("%d items have %d duplicates, want %d", work, got, want)
		}
	}
	if got := (Plan{Work: 100, Duplicates: 10, BreakEvery: 2}).Fit().Duplicates; got != 0 {
		t.Errorf("%d duplicates stand beside breaks", got)
	}
}

func TestFit_AnyPlan_IsArrangeable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plan := drawPlan(t)
		fitted := plan.Fit()
		if _, err := fitted.Arrange(rapid.Int64().Draw(t, "seed"), 1); err != nil || fitted.Duplicates > plan.Duplicates {
			t.Fatalf("%+v became %+v: %v", plan, fitted, err)
		}
	})
}
