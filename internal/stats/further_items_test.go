package stats

import (
	"testing"
)

func TestFurtherItems_Range(t *testing.T) {
	t.Parallel()
	limits := []float64{0.25, 0.4}
	for _, c := range []struct {
		name      string
		low, high float64
		items     int
		ok        bool
		from, to  int // of ItemRange.Low
	}{
		{"wide", 0.1, 0.6, 40, true, 4, 200},
		{"around a limit, narrow", 0.39, 0.41, 2000, true, 100, 1000},
		{"no interval", 0.3, 0.3, 40, false, 0, 0},
	} {
		r, ok := Interval{Low: c.low, High: c.high, Level: 0.95, Units: c.items}.FurtherItems(c.items, limits, 1)
		if ok != c.ok || ok && (r.Low < c.from || r.Low > c.to || !r.Unbounded && r.High < r.Low) {
			t.Errorf("%s: %+v, %v", c.name, r, ok)
		}
	}
}

// TestIsDecided_IntervalBeyondLimit checks both sides of the condition.
func TestIsDecided_IntervalBeyondLimit(t *testing.T) {
	t.Parallel()
	limits := []float64{0.25, 0.4}
	for κ, want := range map[float64]bool{0.1: true, 0.24: false, 0.32: true, 0.41: false, 0.6: true} {
		if got := isDecided(κ, 0.04, limits); got != want {
			t.Errorf("κ %.2f: %v, want %v", κ, got, want)
		}
	}
}

func TestMostInfluential_FindsItem(t *testing.T) {
	t.Parallel()
	table := newGridTable(t, NewRangeScale(0, 2), []int{1, 1, 1, 0, 2, 2, 0, 1, 1, 1},
		[]int{1, 1, 1, 0, 0, 2, 0, 1, 1, 1})
	most, ok := table.MostInfluential(CongerKappa(Linear))
	if !ok || most.Item != table.items[4] || most.Value != 1 {
		t.Errorf("%+v, %v", most, ok)
	}
}
