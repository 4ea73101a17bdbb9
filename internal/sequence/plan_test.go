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

// kindBreak marks a break among the steps of a sequence.
const kindBreak AssignmentKind = "break"

// A step is one item or break of a sequence.
type step struct {
	kind   AssignmentKind
	itemNo int // calibration or work item, from 1; of a duplicate, its original
}

// steps returns the whole sequence if nothing is skipped.
func (p Arrangement) steps() []step {
	var steps []step
	pending, work, shown := p.Placed, 0, 0
	total := p.Calibration + p.length()
	add := func(s step) {
		steps = append(steps, s)
		if shown++; p.BreakEvery > 0 && shown%p.BreakEvery == 0 && shown < total {
			steps = append(steps, step{kind: kindBreak})
		}
	}
	for i := range p.Calibration {
		add(step{KindCalibration, i + 1})
	}
	for i := range p.length() {
		if len(pending) > 0 && pending[0].Position == i+1 {
			add(step{KindDuplicate, pending[0].OriginalNo})
			pending = pending[1:]
			continue
		}
		work++
		add(step{KindWork, work})
	}
	return steps
}

// positionOf returns the position of a work item.
func (p Arrangement) positionOf(itemNo int) int {
	position := 0
	for _, s := range p.steps() {
		if s.kind == KindWork || s.kind == KindDuplicate {
			position++
		}
		if s == (step{KindWork, itemNo}) {
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
				t.Fatalf("got error %v, want an invalid plan with a message", err)
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
			t.Fatal("the same seed gave a different arrangement")
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
			t.Fatalf("the duplicate at %d is too close to its original at %d of %d", d.Position, p.positionOf(d.OriginalNo), length)
		case 10*d.Position <= length:
			t.Fatalf("a duplicate at %d is in the first tenth of %d", d.Position, length)
		}
		originals[d.OriginalNo] = true
	}
}

func checkSteps(t *rapid.T, p Arrangement) {
	steps, counts, sinceBreak := p.steps(), map[AssignmentKind]int{}, 0
	for i, s := range steps {
		if counts[s.kind]++; s.kind == kindBreak {
			if sinceBreak != p.BreakEvery || i == len(steps)-1 {
				t.Fatalf("a break after %d items, step %d of %d", sinceBreak, i+1, len(steps))
			}
			sinceBreak = 0
			continue
		}
		sinceBreak++
		if s.kind == KindCalibration && i > 0 && counts[KindWork] > 0 {
			t.Fatal("calibration comes after work")
		}
		if s.kind == KindDuplicate && (steps[i-1].kind == kindBreak || i+1 < len(steps) && steps[i+1].kind == kindBreak) {
			t.Fatalf("the duplicate at step %d is next to a break", i+1)
		}
	}
	if counts[KindCalibration] != p.Calibration || counts[KindWork] != p.Work || counts[KindDuplicate] != p.Duplicates {
		t.Fatalf("got %v", counts)
	}
}

// TestArrange_FeasiblePlan_Accepted compares small plans with every possible placement.
func TestArrange_FeasiblePlan_Accepted(t *testing.T) {
	t.Parallel()
	for work := range 9 {
		for duplicates := 1; duplicates <= min(3, work); duplicates++ {
			for breakEvery := range 6 {
				p := Plan{Calibration: 1, Work: work, Duplicates: duplicates, BreakEvery: breakEvery}
				_, err := p.Arrange(1, 1)
				if feasible := p.isFeasible(nil, 1); feasible != (err == nil) {
					t.Errorf("%+v: feasible %v, got error %v", p, feasible, err)
				}
			}
		}
	}
}

// isFeasible tries all ascending positions starting at from.
func (p Plan) isFeasible(positions []int, from int) bool {
	if len(positions) == p.Duplicates {
		return p.canHold(positions)
	}
	for position := from; position <= p.length(); position++ {
		if position > p.minDistance() && !p.isNextToBreak(position) && p.isFeasible(append(slices.Clone(positions), position), position+1) {
			return true
		}
	}
	return false
}

func TestFit_ShortBatch(t *testing.T) {
	t.Parallel()
	for work, want := range map[int]int{150: 10, 50: 10, 49: 9, 30: 6, 10: 2, 5: 1, 4: 0, 0: 0} {
		if got := (Plan{Work: work, Duplicates: 10, BreakEvery: 30}).Fit().Duplicates; got != want {
			t.Errorf("%d items: got %d duplicates, want %d", work, got, want)
		}
	}
	if got := (Plan{Work: 100, Duplicates: 10, BreakEvery: 2}).Fit().Duplicates; got != 0 {
		t.Errorf("got %d duplicates next to breaks, want 0", got)
	}
}

func TestFit_AnyPlan_IsArrangeable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plan := drawPlan(t)
		fitted := plan.Fit()
		if _, err := fitted.Arrange(rapid.Int64().Draw(t, "seed"), 1); err != nil || fitted.Duplicates > plan.Duplicates {
			t.Fatalf("fit of %+v: got %+v, error %v", plan, fitted, err)
		}
	})
}
