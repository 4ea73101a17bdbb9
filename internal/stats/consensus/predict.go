package consensus

import "math"

// Posterior returns the probability of each category of an item with some answers, which need
// not be among those of the fit. Answers of annotators below 0, whom the fit does not know, do
// not count.
func (f Fit) Posterior(annotators []int, categories []int) []float64 {
	logs, posterior := make([]float64, len(f.Prior)), make([]float64, len(f.Prior))
	for c, p := range f.Prior {
		logs[c] = logPrior(p, f.IsGiven[c])
		for i, g := range annotators {
			if g >= 0 {
				logs[c] += math.Log(max(f.Confusion[g][c][categories[i]], minProbability))
			}
		}
	}
	exponentiate(logs, posterior)
	return posterior
}
