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
	}
	p.Duplicates = rapid.IntRange(0, min(40, p.Work+1)).Draw(t, "duplicates")
	p.Gold = rapid.IntRange(0, p.Work/itemsPerHidden).Draw(t, "gold")
	return p
}

// A step is one item of a sequence.
type step struct {
	kind   AssignmentKind
	itemNo int // calibration or work item, from 1; of a duplicate, its original
}

// steps returns the whole sequence if nothing is skipped.
func (p Arrangement) steps() (steps []step) {
	for i := range p.Calibration {
		steps = append(steps, step{KindCalibration, i + 1})
	}
	pending, work := p.Placed, 0
	for i := range p.length() {
		if slices.Contains(p.GoldAt, i+1) {
			steps = append(steps, step{KindGold, 0})
			continue
		}
		if len(pending) > 0 && pending[0].Position == i+1 {
			steps = append(steps, step{KindDuplicate, pending[0].OriginalNo})
			pending = pending[1:]
			continue
		}
		work++
		steps = append(steps, step{KindWork, work})
	}
	return steps
}

// positionOf returns the position of a work item.
func (p Arrangement) positionOf(itemNo int) int {
	position := 0
	for _, s := range p.steps() {
		if s.kind != KindCalibration {
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
		if !slices.Equal(repeated.Placed, p.Placed) || !slices.Equal(repeated.GoldAt, p.GoldAt) {
			t.Fatal("the same seed gave a different arrangement")
		}
	})
}

func checkDuplicates(t *rapid.T, p Arrangement) {
	length, originals := p.Work+p.Duplicates+p.Gold, map[int]bool{}
	for _, d := range p.Placed {
		switch {
		case originals[d.OriginalNo]:
			t.Fatalf("item %d is repeated twice", d.OriginalNo)
		case 3*(d.Position-p.positionOf(d.OriginalNo)) < length:
			t.Fatalf("the duplicate at %d is too close to its original at %d of %d", d.Position,
				p.positionOf(d.OriginalNo), length)
		case d.Position-p.positionOf(d.OriginalNo) < 5:
			t.Fatalf("the duplicate at %d is %d items after its original", d.Position,
				d.Position-p.positionOf(d.OriginalNo))
		case d.Position == length:
			t.Fatal("a duplicate is last")
		case 10*d.Position <= length:
			t.Fatalf("a duplicate at %d is in the first tenth of %d", d.Position, length)
		}
		originals[d.OriginalNo] = true
	}
}

func checkSteps(t *rapid.T, p Arrangement) {
	counts := map[AssignmentKind]int{}
	for i, s := range p.steps() {
		if counts[s.kind]++; s.kind == KindCalibration && i > 0 && counts[KindWork] > 0 {
			t.Fatal("calibration comes after work")
		}
	}
	if counts[KindCalibration] != p.Calibration || counts[KindWork] != p.Work ||
		counts[KindDuplicate] != p.Duplicates ||
		counts[KindGold] != p.Gold || p.Gold > 0 && p.steps()[len(p.steps())-1].kind != KindWork {
		t.Fatalf("got %v, the last of kind %s", counts, p.steps()[len(p.steps())-1].kind)
	}
}

// TestArrange_FeasiblePlan_Accepted compares small plans with every possible placement.
func TestArrange_FeasiblePlan_Accepted(t *testing.T) {
	t.Parallel()
	for work := range 14 {
		for duplicates := 1; duplicates <= min(4, work); duplicates++ {
			p := Plan{Calibration: 1, Work: work, Duplicates: duplicates}
			_, err := p.Arrange(1, 1)
			if feasible := p.isFeasible(nil, 1); feasible != (err == nil) {
				t.Errorf("%+v: feasible %v, got error %v", p, feasible, err)
			}
		}
	}
}

// isFeasible tries all ascending positions starting at from.
func (p Plan) isFeasible(positions []int, from int) bool {
	if len(positions) == p.Duplicates {
		return p.canHold(positions, nil)
	}
	for position := from; position < p.length(); position++ {
		if position > p.minDistance() && p.isFeasible(append(slices.Clone(positions), position), position+1) {
			return true
		}
	}
	return false
}

func TestFit_ShortBatch(t *testing.T) {
	t.Parallel()
	for work, want := range map[int]int{150: 10, 50: 10, 49: 9, 30: 6, 10: 2, 6: 1, 5: 0, 0: 0} {
		if got := (Plan{Work: work, Duplicates: 10}).Fit().Duplicates; got != want {
			t.Errorf("%d items: got %d duplicates, want %d", work, got, want)
		}
	}
}

func TestFit_AnyPlan_IsArrangeable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plan := drawPlan(t)
		fitted := plan.Fit()
		if _, err := fitted.Arrange(rapid.Int64().Draw(t, "seed"), 1); err != nil ||
			fitted.Duplicates > plan.Duplicates {
			t.Fatalf("fit of %+v: got %+v, error %v", plan, fitted, err)
		}
	})
}

// TestArrange_SpreadsPositions checks that each position after the least distance holds a
// duplicate about equally often, so that a position is no hint.
func TestArrange_SpreadsPositions(t *testing.T) {
	t.Parallel()
	plan, counts, gold := Plan{Work: 44, Duplicates: 10, Gold: 6}, map[int]int{}, map[int]int{}
	for annotator := range account.ID(4000) {
		p, err := plan.Arrange(1, annotator)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range p.Placed {
			counts[d.Position]++
		}
		for _, position := range p.GoldAt {
			gold[position]++
		}
	}
	for position := 2; position < 60; position++ { // the first item is often the only possible original
		rest := 4000 - counts[position] // of the 49 positions of an annotator that can hold gold, 6 do
		if n, want := gold[position], rest*6/49; n < want*3/4 || n > want*5/4 {
			t.Errorf("position %d holds gold %d times in %d, want about %d", position, n, rest, want)
		}
	}
	if len(counts) != 39 { // 21 to 59
		t.Errorf("duplicates at %d positions, want 39", len(counts))
	}
	for position, n := range counts {
		if n < 800 || n > 1500 { // 4000 × 10/39 = 1026, in stretches of 3 or 4
			t.Errorf("position %d holds a duplicate %d times in 4000", position, n)
		}
	}
}
