package report_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// simulateSystems returns the comparison of systems whose first field has the given means.
func simulateSystems(t *testing.T, r *rand.Rand, items int, means ...float64) *report.Breakdown {
	t.Helper()
	d := newDataBuilder(t, "empathy")
	for i := range items {
		for system, mean := range means {
			id := d.addItem(func(item *study.ItemData) {
				item.Meta, item.MatchKey = map[string]string{"system": string(rune('a' + system))}, fmt.Sprint(i)
			})
			for n := range 2 {
				score := func(mean float64) int { return max(1, min(5, int(mean+r.NormFloat64()+0.5))) }
				d.addLabel(id, fmt.Sprint("a", (i+n)%3), study.Work, score(mean), score(3), score(3), score(3), score(3))
			}
		}
	}
	return d.build().Breakdown
}

func TestAllPairs_ThreeSystems_FindsTheOther(t *testing.T) {
	t.Parallel()
	b := simulateSystems(t, rand.New(rand.NewPCG(1, 2)), 60, 2.5, 2.5, 3.7)
	if len(b.AllPairs) != 3 {
		t.Fatalf("%d pairs of 3 groups", len(b.AllPairs))
	}
	var pValues []float64
	for _, p := range b.AllPairs {
		for _, f := range p.Fields {
			if f.Difference.Paired.P != nil {
				pValues = append(pValues, *f.Difference.Paired.P)
			}
		}
	}
	adjusted, n := stats.AdjustHolm(pValues), 0
	for i, p := range b.AllPairs {
		if names := p.Value + p.Baseline; names != []string{"ba", "ca", "cb"}[i] {
			t.Errorf("pair %d is %s", i, names)
		}
		if isHigher := p.Fields[0].Difference.Conclusion == report.Higher; isHigher != (i > 0) || p.ShowsDifference() != (i > 0) {
			t.Errorf("%s: %s", p.Summary, p.Fields[0].Difference.Conclusion)
		}
		for _, f := range p.Fields {
			if f.Difference.Paired.P != nil {
				if got := *f.Difference.Paired.HolmP; got != adjusted[n] {
					t.Errorf("p adjusted to %g, want %g", got, adjusted[n])
				}
				n++
			}
		}
	}
	with, first := b.AllPairs[1].Fields[0].Difference, b.Groups[2].Fields[0].Difference
	if with != first || b.Comparisons != 3*len(b.AllPairs[0].Fields) {
		t.Errorf("the pair with the first group is %+v, and the group %+v, of %d comparisons", with, first, b.Comparisons)
	}
	if two := simulateSystems(t, rand.New(rand.NewPCG(1, 2)), 20, 2.5, 3.7); two.AllPairs != nil {
		t.Error("two groups have a list of pairs")
	}
}

// Without differences, any pair of a study is reported in at most 5% of studies.
func TestAllPairs_EqualSystems_ErrorRateHolds(t *testing.T) {
	t.Parallel()
	r, wrong := rand.New(rand.NewPCG(5, 6)), 0
	const studies = 60
	for range studies {
		if _, shown := simulateSystems(t, r, 20, 3, 3, 3).CountPairDifferences(); shown > 0 {
			wrong++
		}
	}
	t.Logf("a difference is shown in %d of %d studies without one", wrong, studies)
	if wrong > 10 { // 5%, and chance
		t.Errorf("a difference is shown in %d of %d studies without one", wrong, studies)
	}
}
