package judge

import (
	"cmp"
	"slices"
)

// AdjustFalseDiscovery returns the p-values adjusted by the procedure of Benjamini and Yekutieli: a
// hypothesis is rejected at a false discovery rate if its adjusted value is at most that rate.
func AdjustFalseDiscovery(pValues []float64) []float64 {
	order, harmonic := make([]int, len(pValues)), 0.0
	for i := range order {
		order[i] = i
		harmonic += 1 / float64(i+1)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(pValues[a], pValues[b]) })
	adjusted, lowest := make([]float64, len(pValues)), 1.0
	for rank := len(order); rank > 0; rank-- {
		i := order[rank-1]
		lowest = min(lowest, pValues[i]*float64(len(pValues))*harmonic/float64(rank))
		adjusted[i] = lowest
	}
	return adjusted
}

// EstimateLabels returns the mean label of the labeled items alone, with the same weights and
// clusters as EstimateMean.
func EstimateLabels(s Sample) Estimate {
	s = s.withoutJudge()
	if reason := s.undefinedReason(); reason != "" {
		return Estimate{Undefined: reason}
	}
	s.normalizeWeights()
	p := s.estimate(0)
	p.EquivalentLabels = float64(len(s.Labeled))
	return p.withInterval()
}

// withoutJudge returns the labeled items, with judgments that count for nothing if λ is 0.
func (s Sample) withoutJudge() Sample {
	s.Judged = make([]Judgment, 2)
	return s
}

// Text returns a reason as a clause; empty without a reason.
func (c ReasonCode) Text() string { return reasonText(c) }
