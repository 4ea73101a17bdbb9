package stats_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
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
	interval := stats.BootstrapInterval(n, "queries", o, func(weights []float64) (float64, bool) {
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

// TestNotes_Resamples_AreTrue checks the number of excluded resamples, and the reasons of an interval that
// is missing for the resamples, on figures that have no value without certain items.
func TestNotes_Resamples_AreTrue(t *testing.T) {
	t.Parallel()
	r, seen := rand.New(rand.NewPCG(63, 0)), map[string]int{}
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
		note, used := interval.Note(), c.total-c.dropped
		var want string
		switch {
		case items < 2:
			want = "an interval needs at least 2 queries"
		case used < c.dropped:
			want = "fewer than half of the resamples have a value"
		case len(c.values) == 1:
			want = "every resample has the same value, so the uncertainty cannot be estimated"
		default:
			want = fmt.Sprintf(
				"accounts for the sampling of %d queries, not of annotators; approximate, with fewer than 30 queries",
				items)
			switch c.dropped {
			case 0:
			case 1:
				want += "; 1 resample without a value is excluded"
			default:
				want += fmt.Sprintf("; %d resamples without a value are excluded", c.dropped)
			}
		}
		if note != want {
			t.Fatalf("set %d, %d items of which %d are needed: %q, want %q: %+v", n, items, needed, note, want, c)
		}
		seen[strings.NewReplacer("0", "", "1", "", "2", "", "3", "", "4", "", "5", "", "6", "", "7", "", "8", "", "9",
			"").Replace(note)]++
	}
	if len(seen) != 6 {
		t.Errorf("%d kinds of notes, want 6: %v", len(seen), seen)
	}
	if i := stats.BootstrapInterval(3, "queries", stats.IntervalOptions{},
		func([]float64) (float64, bool) { return 0, false }); i.Note() != "there is no value" {
		t.Errorf("without a value: %s", i.Note())
	}
}

// TestNotes_ConstantResamples_AreTrue checks the number of resamples that are said not to vary, on the
// answers of two annotators to a few items. The same seed draws the same items.
func TestNotes_ConstantResamples_AreTrue(t *testing.T) {
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
		note := estimate.Interval.Note()
		want := fmt.Sprintf("; %d of %d resamples do not vary and count as full agreement", c.constant,
			c.total-c.dropped)
		if c.constant == 1 {
			want = fmt.Sprintf("; 1 of %d resamples does not vary and counts as full agreement", c.total-c.dropped)
		}
		if got := strings.Contains(note, want); got != (c.constant > 0) {
			t.Fatalf("set %d: %q, want %q: %+v, %v", n, note, want, c, answers)
		}
		if strings.Contains(note, "vary") != (c.constant > 0) {
			t.Fatalf("set %d: %q, but %d do not vary", n, note, c.constant)
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
