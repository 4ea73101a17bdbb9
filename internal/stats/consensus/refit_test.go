package consensus

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/stats"
)

// A fit without some items is that of a table without them.
func TestRefitWithout_EqualsFitOfTheRest(t *testing.T) {
	t.Parallel()
	r, items := rand.New(rand.NewPCG(11, 2)), make([][]int, 240)
	for i := range items {
		for g := range 4 {
			value := i % 3
			if r.IntN(3+2*g) == 0 {
				value = r.IntN(3)
			}
			items[i] = append(items[i], value)
		}
	}
	isLeftOut := func(item int) bool { return item >= 200 || item%20 == 7 }
	var rest [][]int
	var numbers []int
	for i, answers := range items {
		if !isLeftOut(i) {
			rest, numbers = append(rest, answers), append(numbers, i)
		}
	}
	scale := stats.NewRangeScale(0, 2)
	fits := map[string]func(table stats.RatingTable) Fit{
		"free":    func(table stats.RatingTable) Fit { return FitDawidSkene(table, AtConvergence) },
		"ordered": FitOrdinal,
		"tied":    func(table stats.RatingTable) Fit { return FitTied(table, relevantOrNot) },
	}
	for name, fit := range fits {
		want := fit(newDimension(t, scale, rest...).Table)
		got := fit(newDimension(t, scale, items...).Table).RefitWithout(isLeftOut)
		requireEqual(t, name+": prior", got.Prior, want.Prior)
		for n, i := range numbers {
			requireEqual(t, name+": posterior", got.ItemPosterior(i), want.ItemPosterior(n))
		}
	}
}

// Values and annotators that only the items left out have leave finite probabilities.
func TestRefitWithout_LostValuesAndAnnotators_AreFinite(t *testing.T) {
	t.Parallel()
	var items [][]int
	for i := range 30 {
		items = append(items, []int{i % 2, i % 2, (i + i/9) % 2})
	}
	items = append(items, []int{2, 2, 2, 2})
	table := newDimension(t, stats.NewRangeScale(0, 2), items...).Table
	for name, f := range map[string]Fit{"free": FitDawidSkene(table, AtConvergence), "ordered": FitOrdinal(table), "tied": FitTied(table, relevantOrNot)} {
		refitted := f.RefitWithout(func(item int) bool { return item == 30 })
		if refitted.IsGiven[2] {
			t.Errorf("%s: a value is given that no item has", name)
		}
		for i := range 30 {
			if p := refitted.ItemPosterior(i); p[2] != 0 || math.Abs(p[0]+p[1]-1) > 1e-9 {
				t.Errorf("%s: item %d has posterior %v", name, i, p)
			}
		}
	}
}
