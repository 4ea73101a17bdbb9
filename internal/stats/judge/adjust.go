package judge

import (
	"cmp"
	"slices"
)

// AdjustFalseDiscovery returns the p-values adjusted by the procedure of Benjamini & Yekutieli (2001,
// Annals of Statistics 29): a hypothesis is rejected at a false discovery rate if its adjusted value
// is at most that rate.
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
