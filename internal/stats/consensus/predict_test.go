package consensus

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/stats"
)

// The posterior of an item of the fit is that of the fit, and annotators that it does not know
// change nothing.
func TestPosterior_FittedItems_Equal(t *testing.T) {
	t.Parallel()
	r, items := rand.New(rand.NewPCG(3, 4)), make([][]int, 80)
	for i := range items {
		for g := range 3 {
			value := i % 3
			if r.IntN(4+4*g) == 0 {
				value = r.IntN(3)
			}
			items[i] = append(items[i], value)
		}
	}
	d := newDimension(t, stats.NewRangeScale(0, 2), items...)
	for name, f := range map[string]Fit{"free": FitDawidSkene(d.Table, AtConvergence), "ordered": FitOrdinal(d.Table)} {
		for i, answers := range items {
			for c, p := range f.Posterior([]int{0, -1, 1, 2}, []int{answers[0], 2, answers[1], answers[2]}) {
				if math.Abs(p-f.ItemPosterior(i)[c]) > 1e-6 {
					t.Fatalf("%s: item %d has posterior %g of %d, want %g", name, i, p, c, f.ItemPosterior(i)[c])
				}
			}
		}
	}
}
