package stats

import (
	"math/rand/v2"
	"testing"
)

// TestAlphaInterval_CoversTruth checks the coverage of the intervals of α.
func TestAlphaInterval_CoversTruth(t *testing.T) {
	t.Parallel()
	requireFullSize(t)
	studies, low, high := 2000, 0.93, 0.97
	for _, d := range kappaDesigns {
		m := SuitableAlpha(d.scale)
		truth := m.Compute(d.simulate(t, rand.New(rand.NewPCG(40, 40)), 300_000)).Value
		covered, defined, _ := d.countCovered(t, m, truth, studies)
		coverage := float64(covered) / float64(defined)
		t.Logf("%s: α %.3f, coverage %.1f%%", d.name, truth, 100*coverage)
		if coverage < low || coverage > high || defined < studies*9/10 {
			t.Errorf("%s: %d of %d intervals contain α", d.name, covered, defined)
		}
	}
}
