package judge

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// An Inclusion says what a draw did with an item that it could draw.
type Inclusion struct {
	Probability float64 // of being drawn, above 0
	IsDrawn     bool
}

// uniformShare is the part of a draw that ignores the gain, so that every item has a
// chance, and no weight is more than twice that of a draw at random.
const uniformShare = 0.5

// DrawNext draws n items without replacement, with probabilities in proportion to their gain, and
// never 0, by systematic sampling in random order (Madow 1949, Annals of Mathematical
// Statistics 20): the number of items is fixed, and the probabilities are exact. The same
// gains and seed give the same draw. It returns an Inclusion for each item.
func DrawNext(gains []float64, n int, seed uint64) []Inclusion {
	items, n := make([]Inclusion, len(gains)), min(n, len(gains))
	if n <= 0 {
		return items
	}
	r := rand.New(rand.NewPCG(seed, 0))
	probabilities, position := inclusionProbabilities(gains, n), r.Float64()
	for _, i := range r.Perm(len(gains)) {
		items[i].Probability = probabilities[i]
		if position -= probabilities[i]; position < 0 {
			items[i].IsDrawn = true
			position++
		}
	}
	return items
}

// inclusionProbabilities returns probabilities of at most 1 with the sum n.
func inclusionProbabilities(gains []float64, n int) []float64 {
	if n == len(gains) {
		return slices.Repeat([]float64{1}, n)
	}
	sizes, total := make([]float64, len(gains)), 0.0
	for _, gain := range gains {
		total += max(gain, 0)
	}
	order := make([]int, len(gains))
	for i, gain := range gains {
		order[i], sizes[i] = i, 1/float64(len(gains))
		if total > 0 {
			sizes[i] = uniformShare*sizes[i] + (1-uniformShare)*max(gain, 0)/total
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })
	// Items that would be drawn more than once are certain; the others share the rest.
	probabilities, certain, rest := make([]float64, len(gains)), 0, 1.0
	for certain < n && float64(n-certain)*sizes[order[certain]] >= rest {
		probabilities[order[certain]] = 1
		rest -= sizes[order[certain]]
		certain++
	}
	for _, i := range order[certain:] {
		probabilities[i] = min(float64(n-certain)*sizes[i]/rest, 1)
	}
	return probabilities
}
