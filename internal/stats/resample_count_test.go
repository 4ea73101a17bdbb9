package stats_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/stats"
)

// A resampleCount counts the resamples of a figure of some items.
type resampleCount struct {
	total, dropped, constant int
	values                   map[float64]bool
}

// countResamples bootstraps a figure of n items, and returns the interval and what each resample gave. The
// figure returns its value, whether it has one, and whether it does not vary.
func countResamples(n int, o stats.IntervalOptions, figure func(weights []float64) (value float64, ok,
	isConstant bool)) (stats.Interval, resampleCount) {
	c, calls := resampleCount{values: map[float64]bool{}}, 0
	o.Workers, o.Method = 1, stats.Percentile
	interval := stats.BootstrapInterval(n, o, func(weights []float64) (float64, bool) {
		value, ok, isConstant := figure(weights)
		if calls++; calls <= 2 { // for the figure itself, of all items
			return value, ok
		}
		c.total++
		if !ok {
			c.dropped++
		} else if c.values[value] = true; isConstant {
			c.constant++
		}
		return value, ok
	})
	return interval, c
}

// TestIntervals_DroppedResamples_AreCounted checks the number of excluded resamples, and the reasons of an interval
// that is missing for the resamples, on figures that have no value without certain items.
func TestIntervals_DroppedResamples_AreCounted(t *testing.T) {
	t.Parallel()
	r, seen := rand.New(rand.NewPCG(63, 0)), map[stats.ReasonCode]int{}
	for n := range 400 {
		items, isFlat := 1+r.IntN(12), r.IntN(4) == 0
		needed := r.IntN(min(items, 3) + 1) // items of which a resample needs each
		interval, c := countResamples(items, stats.IntervalOptions{Resamples: []int{3, 40}[r.IntN(2)], Seed: uint64(n)},
			func(weights []float64) (float64, bool, bool) {
				sum := 0.0
				for i, w := range weights {
					if i < needed && w == 0 {
						return 0, false, false
					}
					sum += w * float64(i) / float64(items)
				}
				if isFlat {
					sum = 1
				}
				return sum, true, false
			})
		used := c.total - c.dropped
		var want stats.ReasonCode
		switch {
		case items < 2:
			want = stats.TooFewUnits
		case used < c.dropped:
			want = stats.FewResamples
		case len(c.values) == 1:
			want = stats.ConstantResamples
		}
		if interval.Undefined.Code != want || items > 1 && interval.DroppedResamples != c.dropped {
			t.Fatalf("set %d, %d items of which %d are needed: %+v, want %q: %+v", n, items, needed, interval, want, c)
		}
		seen[want]++
	}
	if len(seen) != 4 {
		t.Errorf("%d reasons, want 4: %v", len(seen), seen)
	}
	if i := stats.BootstrapInterval(3, stats.IntervalOptions{},
		func([]float64) (float64, bool) { return 0, false }); i.Undefined.Code != stats.NoFigure {
		t.Errorf("without a value: %+v", i)
	}
}

// TestIntervals_ConstantResamples_AreCounted checks the number of resamples that do not vary, on the
// answers of two annotators to a few items. The same seed draws the same items.
func TestIntervals_ConstantResamples_AreCounted(t *testing.T) {
	t.Parallel()
	r, some, none := rand.New(rand.NewPCG(64, 0)), 0, 0
	for n := range 200 {
		var ratings []stats.Rating
		items := 10 + r.IntN(8)
		answers := make([][]int, items)
		for i := range answers {
			answers[i] = []int{1 + r.IntN(9)/8, 1 + r.IntN(9)/8}[:1+(r.IntN(4)+3)/4]
			for g, v := range answers[i] {
				ratings = append(ratings, stats.Rating{Item: fmt.Sprintf("i%02d", i),
					Annotator: []string{"ada", "bo"}[g], Value: v})
			}
		}
		table, err := stats.NewRatingTable(stats.NewRangeScale(1, 3), ratings)
		if err != nil {
			t.Fatal(err)
		}
		o := stats.IntervalOptions{Resamples: 60, Seed: uint64(n), Workers: 1}
		estimate := stats.ComputeEstimates(table, o, stats.Alpha(stats.OrdinalDistance))[0]
		if !estimate.Defined() || !estimate.Interval.Defined() {
			continue
		}
		_, c := countResamples(items, o, func(weights []float64) (float64, bool, bool) {
			used := map[int]bool{}
			for i, a := range answers {
				for _, v := range a {
					if len(a) > 1 && weights[i] > 0 {
						used[v] = true
					}
				}
			}
			return weights[0], len(used) > 0, len(used) == 1
		})
		if got := estimate.Interval.ConstantResamples; got != c.constant {
			t.Fatalf("set %d: %d, want %d: %+v, %v", n, got, c.constant, c, answers)
		}
		if c.constant > 0 {
			some++
		} else {
			none++
		}
	}
	if some < 20 || none < 15 {
		t.Errorf("%d sets with constant resamples, %d without", some, none)
	}
}
