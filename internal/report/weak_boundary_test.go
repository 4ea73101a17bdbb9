package report_test

import (
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/require"
)

// A boundaryDesign is studies of one field from 1 to 5 in which annotators err by one point or, between
// 2 and 3, answer by chance.
type boundaryDesign struct {
	items, annotators int
	error             float64
	isRandom          bool
}

func (d boundaryDesign) countNamed(t *testing.T, studies int) (named int) {
	t.Helper()
	for n := range studies {
		b, r := newDataBuilder(t, "empathy"), rand.New(rand.NewPCG(17, uint64(n)))
		b.Protocol.Fields = b.Protocol.Fields[:1]
		for range d.items {
			id, truth := b.addItem(nil), 1+r.IntN(5)
			for g := range d.annotators {
				v := truth
				if r.Float64() < d.error {
					v = min(max(v+2*r.IntN(2)-1, 1), 5)
				}
				if d.isRandom && (truth == 2 || truth == 3) {
					v = 2 + r.IntN(2)
				}
				b.addLabel(id, string(rune('a'+g)), study.Work, v)
			}
		}
		built, err := report.Build(b.Data, report.BuildOptions{Resamples: 20, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if w := built.Fields[0].WeakBoundary; w != nil {
			if d.isRandom && (w.Lower != 2 || w.Upper != 3) {
				t.Errorf("%+v, study %d: %s", d, n, w.Message)
			}
			named++
		}
	}
	return named
}

// TestWeakBoundary_OnlyWhereRandom checks how often a boundary is named: between two points that annotators
// mix up, and where they err equally often everywhere.
func TestWeakBoundary_OnlyWhereRandom(t *testing.T) {
	t.Parallel()
	studies := 25
	if require.FullSize() {
		studies = 500
	}
	for _, c := range []struct {
		boundaryDesign
		low, high float64 // of the share of studies
	}{
		{boundaryDesign{120, 3, 0.15, true}, 0.8, 1},
		{boundaryDesign{100, 2, 0.15, true}, 0.45, 1},
		{boundaryDesign{300, 2, 0.15, true}, 0.85, 1},
		{boundaryDesign{100, 2, 0.1, false}, 0, 0.01},
		{boundaryDesign{100, 3, 0.3, false}, 0, 0.03},
		{boundaryDesign{300, 2, 0.4, false}, 0, 0.03},
		{boundaryDesign{1000, 3, 0.5, false}, 0, 0.03},
	} {
		named := c.countNamed(t, studies)
		share := float64(named) / float64(studies)
		t.Logf("%+v: named in %d of %d", c.boundaryDesign, named, studies)
		if share < c.low || share > c.high+0.03*float64(boolToInt(!require.FullSize())) {
			t.Errorf("%+v: named in %d of %d, want %.0f–%.0f%%", c.boundaryDesign, named, studies, 100*c.low, 100*c.high)
		}
	}
}
