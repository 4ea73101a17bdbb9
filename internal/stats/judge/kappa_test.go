package judge

import (
	"math"
	"math/rand/v2"
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

// TestEstimateKappa_Drawn_CoversTruth compares κ and the bias of a judge with those of very many items.
func TestEstimateKappa_Drawn_CoversTruth(t *testing.T) {
	t.Parallel()
	studies, low, high := 1000, 0.92, 0.98
	if require.FullSize() {
		studies, low, high = 4000, 0.93, 0.97
	}
	for _, s := range drawStudies {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			all := drawStudy{items: 400_000, first: 400_000, perRecord: s.perRecord, newItem: s.newItem, scale: s.scale}.run(rand.New(rand.NewPCG(11, 1)))
			for name, estimate := range map[string]func([]WeightedPair) WeightedFigure{"κ": EstimateKappa, "bias of the judge": EstimateWeightedMean} {
				truth := estimate(all.pairs(false)).Value
				covered, biased, plain := 0.0, 0.0, 0.0
				for seed := range studies {
					p, share := s.run(rand.New(rand.NewPCG(12, uint64(seed)))), 1/float64(studies)
					f := estimate(p.pairs(true))
					if f.HasInterval && f.Low <= truth && truth <= f.High {
						covered += share
					}
					biased += share * (f.Value - truth)
					plain += share * (estimate(p.pairs(false)).Value - truth)
				}
				t.Logf("%s %.3f: coverage %.1f%%, bias %+.4f, without weights %+.4f", name, truth, 100*covered, biased, plain)
				if covered < low || covered > high || math.Abs(biased) > 0.01 || math.Abs(plain) < 1.5*math.Abs(biased) {
					t.Errorf("%s %.3f: coverage %.1f%%, bias %+.4f, without weights %+.4f", name, truth, 100*covered, biased, plain)
				}
			}
		})
	}
}
