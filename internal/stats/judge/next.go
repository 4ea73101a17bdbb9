package judge

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// A Candidate is an item that could be labeled next.
type Candidate struct {
	Item string
	// Gain is what a label is expected to add, at least 0: larger for a disagreement of judge
	// and annotator, a tie, a rare value.
	Gain float64
}

// A Draw is an item drawn for labeling.
type Draw struct {
	Item string
	// Probability is that with which the item was drawn. Store it with the item: estimates
	// weight the label by its inverse, as LabeledJudgment.Weight, and stay unbiased.
	Probability float64
}

// uniformShare is the part of a draw that ignores the gain, so that every item has a
// chance and no weight is extreme.
const uniformShare = 0.2

// DrawNext draws n candidates without replacement, with probabilities in proportion to their
// gain and never 0, by systematic sampling in random order (Madow 1949, Annals of Mathematical
// Statistics 20). The same seed gives the same draw. The draws are sorted by gain, largest first.
func DrawNext(candidates []Candidate, n int, seed uint64) []Draw {
	n = min(n, len(candidates))
	if n <= 0 {
		return nil
	}
	candidates = slices.Clone(candidates)
	slices.SortFunc(candidates, func(a, b Candidate) int { return cmp.Or(cmp.Compare(b.Gain, a.Gain), cmp.Compare(a.Item, b.Item)) })
	probabilities := inclusionProbabilities(candidates, n)
	r := rand.New(rand.NewPCG(seed, 0))
	position, drawn := r.Float64(), make([]bool, len(candidates))
	for _, i := range r.Perm(len(candidates)) {
		if position -= probabilities[i]; position < 0 {
			drawn[i] = true
			position++
		}
	}
	var draws []Draw
	for i, c := range candidates {
		if drawn[i] {
			draws = append(draws, Draw{c.Item, probabilities[i]})
		}
	}
	return draws
}

// inclusionProbabilities returns probabilities of at most 1 with the sum n.
func inclusionProbabilities(candidates []Candidate, n int) []float64 {
	sizes, total := make([]float64, len(candidates)), 0.0
	for _, c := range candidates {
		total += max(c.Gain, 0)
	}
	for i, c := range candidates {
		sizes[i] = 1 / float64(len(candidates))
		if total > 0 {
			sizes[i] = uniformShare*sizes[i] + (1-uniformShare)*max(c.Gain, 0)/total
		}
	}
	// Items that would be drawn more than once are certain; the others share the rest.
	probabilities, certain, rest := make([]float64, len(candidates)), 0, 1.0
	for certain < n && float64(n-certain)*sizes[certain] >= rest { // sizes descend
		probabilities[certain] = 1
		rest -= sizes[certain]
		certain++
	}
	for i := certain; i < len(candidates); i++ {
		probabilities[i] = float64(n-certain) * sizes[i] / rest
	}
	return probabilities
}

// Gain returns the expected gain of a label, from 0 to 3: the distance of the judge's answer from the
// annotators' mean as a share of the scale, whether their answers are tied, and the rarity of the
// answer, 1 − its share among all answers.
func Gain(distance float64, isTied bool, share float64) float64 {
	gain := min(max(distance, 0), 1) + min(max(1-share, 0), 1)
	if isTied {
		gain++
	}
	return gain
}
