package sequence

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// met is what an annotator met at a place, walking.
type met struct {
	Repeat     // zero: work
	sinceBreak int
}

// walk goes along a path whose work ends after real items. The annotator rests
// whenever rests says so, besides the breaks that are due.
func (p Path) walk(real int, rests func() bool) (all []met) {
	w := Walk{Repeats: p.Repeats, BreakEvery: p.BreakEvery, SinceBreak: p.Calibration}
	if p.BreakEvery > 0 {
		w.SinceBreak, w.Rested = p.Calibration%p.BreakEvery, p.Calibration >= p.BreakEvery
	}
	for {
		r, due := w.Due()
		if !due && w.Work == real {
			r, due = w.Last()
		}
		switch {
		case due:
			w.Given++
			w.Repeats = slices.DeleteFunc(slices.Clone(w.Repeats), func(o Repeat) bool { return o == r })
		case w.Work < real:
			w.Work++
		default:
			return all
		}
		all = append(all, met{r, w.SinceBreak})
		if w.SinceBreak++; p.BreakEvery > 0 && w.SinceBreak >= p.BreakEvery || r == (Repeat{}) && rests() {
			w.SinceBreak, w.Rested = 0, true
		}
	}
}

func TestHoweverTheWalkGoesDuplicatesStayApartAndClearOfBreaks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, err := anyPlan(t).Fewer().Lay(rapid.Int64().Draw(t, "seed"), 1)
		if err != nil {
			t.Fatal(err)
		}
		real := rapid.IntRange(0, p.Work*2).Draw(t, "real")
		often := rapid.IntRange(0, 9).Draw(t, "rests")
		all := p.walk(real, func() bool { return often > 0 && rapid.IntRange(0, 20).Draw(t, "rest") < often })
		places, given := []int{0}, map[int]bool{}
		for i, m := range all {
			if m.Repeat == (Repeat{}) {
				places = append(places, i+1)
				continue
			}
			apart := min(p.Apart(), Third(len(all)))
			if given[m.Of] || m.Of >= len(places) || i+1-places[m.Of] < apart {
				t.Fatalf("item %d again at place %d of %d", m.Of, i+1, len(all))
			}
			if m.sinceBreak == 0 && i > 0 {
				t.Fatalf("the duplicate at place %d follows a break", i+1)
			}
			given[m.Of] = true
		}
		if len(places)-1 != real {
			t.Fatalf("%d work items, want %d", len(places)-1, real)
		}
	})
}

func TestAWalkAsExpectedIsThePath(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, err := anyPlan(t).Fewer().Lay(rapid.Int64().Draw(t, "seed"), 1)
		if err != nil {
			t.Fatal(err)
		}
		var at []int
		for i, m := range p.walk(p.Work, func() bool { return false }) {
			if m.Repeat != (Repeat{}) {
				at = append(at, i+1)
			}
		}
		for i, r := range p.Repeats {
			if i >= len(at) || at[i] != r.At {
				t.Fatalf("duplicates came at %v, planned %v", at, p.Repeats)
			}
		}
	})
}
