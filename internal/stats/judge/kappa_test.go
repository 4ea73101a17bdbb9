package judge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
)

// pairs returns the labeled items of a population, with the weights of the draws or equal ones.
func (p *drawnPopulation) pairs(isWeighted bool) (pairs []WeightedPair) {
	weights, _ := WeightLabels(p.isLabeled, p.draws)
	for i, isLabeled := range p.isLabeled {
		if isLabeled {
			weight := 1.0
			if isWeighted {
				weight = weights.Items[i]
			}
			pairs = append(pairs, WeightedPair{float64(p.labels[i]), float64(p.judgments[i]), weight, i / p.study.perRecord})
		}
	}
	return pairs
}

// TestEstimateKappa_Drawn_CoversTruth compares κ, the bias of a judge and that at one value of the labels with
// those of very many items.
func TestEstimateKappa_Drawn_CoversTruth(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	studies, low, high := 1000, 0.92, 0.98
	if require.FullSize() {
		studies, low, high = 4000, 0.93, 0.97
	}
	for _, s := range drawStudies {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			all := drawStudy{items: 400_000, first: 400_000, perRecord: s.perRecord, newItem: s.newItem, scale: s.scale}.run(rand.New(rand.NewPCG(11, 1)))
			atValue := func(pairs []WeightedPair) WeightedFigure {
				return EstimateWeightedMean(slices.DeleteFunc(pairs, func(p WeightedPair) bool { return p.First != float64(s.scale[len(s.scale)/2]) }))
			}
			for name, estimate := range map[string]func([]WeightedPair) WeightedFigure{"κ": EstimateKappa, "bias of the judge": EstimateWeightedMean, "bias at a value": atValue} {
				truth := estimate(all.pairs(false)).Value
				covered, biased, plain, intervals := 0.0, 0.0, 0.0, 0.0
				for seed := range studies {
					p, share := s.run(rand.New(rand.NewPCG(12, uint64(seed)))), 1/float64(studies)
					f := estimate(p.pairs(true))
					intervals += float64(boolToInt(f.HasInterval))
					covered += float64(boolToInt(f.HasInterval && f.Low <= truth && truth <= f.High))
					biased += share * (f.Value - truth)
					plain += share * (estimate(p.pairs(false)).Value - truth)
				}
				covered /= intervals
				t.Logf("%s %.3f: coverage %.1f%% of %.0f intervals, bias %+.4f, without weights %+.4f", name, truth, 100*covered, intervals, biased, plain)
				low, maxBias := low, 0.01
				if name == "bias at a value" { // of about 25 effective items, where the judge misses few
					low, maxBias = 0.91, 0.02
				}
				if covered < low || covered > high || math.Abs(biased) > maxBias || math.Abs(plain) < 1.5*math.Abs(biased) {
					t.Errorf("%s %.3f: coverage %.1f%%, bias %+.4f, without weights %+.4f", name, truth, 100*covered, biased, plain)
				}
			}
		})
	}
}
