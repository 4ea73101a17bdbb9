package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The normal interval for a bootstrap of too many draws is that of the bootstrap, nearly.
func TestNormalInterval_AgreesWithBootstrap(t *testing.T) {
	t.Parallel()
	table := newTable(t, NewRangeScale(1, 5), simulateStudy(rand.New(rand.NewPCG(4, 4)), 700, 3, 3))
	draws := ComputeEstimates(table, IntervalOptions{Resamples: 2000, Seed: 5, Method: Percentile}, everyMeasure()...)
	normal := ComputeEstimates(table, IntervalOptions{Resamples: maxDraws/700 + 1, Seed: 5, Method: Percentile},
		everyMeasure()...)
	compared := 0
	for n, d := range draws {
		a, b := d.Interval, normal[n].Interval
		if !a.Defined() || !b.Defined() || a.Resamples == 0 {
			continue
		}
		compared++
		if b.Resamples != 0 {
			t.Fatalf("measure %d: %d resamples, want none", n, b.Resamples)
		}
		if margin := (a.High - a.Low) / 10; math.Abs(a.Low-b.Low) > margin || math.Abs(a.High-b.High) > margin {
			t.Errorf("measure %d: %.4f to %.4f, by the bootstrap %.4f to %.4f", n, b.Low, b.High, a.Low, a.High)
		}
	}
	if compared < 5 {
		t.Errorf("only %d measures compared", compared)
	}
}
