package stats

import (
	"cmp"
	"slices"
)

// AdjustHolm returns p-values adjusted for their number (Holm 1979, Scandinavian Journal of
// Statistics 6): the error rate over all of them is at most that of one.
func AdjustHolm(pValues []float64) []float64 {
	order := make([]int, len(pValues))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(pValues[a], pValues[b]) })
	adjusted, largest := make([]float64, len(pValues)), 0.0
	for rank, i := range order {
		largest = max(largest, min(1, pValues[i]*float64(len(pValues)-rank)))
		adjusted[i] = largest
	}
	return adjusted
}
