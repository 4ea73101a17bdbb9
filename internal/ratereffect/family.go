package ratereffect

import (
	"cmp"
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// errorOf returns the error rate of all tests for one effect: half of that of the study for careless and a fifth for
// copied answers, which change what all figures are worth, and equal parts of the rest for the others.
func errorOf(effect Effect) float64 {
	switch effect {
	case Careless:
		return familyError / 2
	case Copied:
		return familyError / 5
	}
	return familyError * 3 / 10 / 7
}

const (
	normalQuantile80  = 0.8416
	normalQuantile975 = 1.96
)

// significant returns the findings among the tests for one effect, by Holm's method, the clearest first.
func significant(tests []test) (found []FoundEffect) {
	pValues := make([]float64, len(tests))
	for i, t := range tests {
		pValues[i] = t.P
	}
	adjusted := stats.AdjustHolm(pValues)
	for i, t := range tests {
		if t.P = adjusted[i] * familyError / errorOf(t.Effect); t.P <= familyError {
			found = append(found, t.FoundEffect)
		}
	}
	slices.SortStableFunc(found, func(a, b FoundEffect) int { return cmp.Compare(a.P, b.P) })
	return withoutRepeated(found)
}

// withoutRepeated keeps the clearest finding on each annotator.
func withoutRepeated(found []FoundEffect) (kept []FoundEffect) {
	for _, f := range found {
		if !slices.ContainsFunc(kept, func(k FoundEffect) bool {
			return k.Annotator == f.Annotator || k.IsEither && f.IsEither && k.Annotator == f.Other &&
				k.Other == f.Annotator
		}) {
			kept = append(kept, f)
		}
	}
	return kept
}

// explains lists the effects that another one gives rise to.
var explains = map[Effect][]Effect{
	Careless:     {DifferentStandard, Drift},
	EqualAnswers: {Careless, Halo, NarrowUse},
	Halo:         {Careless, TooFast},
}

// withoutExplained leaves out the findings that another finding on the same annotator explains.
func withoutExplained(findings []FoundEffect) []FoundEffect {
	return slices.DeleteFunc(slices.Clone(findings), func(f FoundEffect) bool {
		return slices.ContainsFunc(findings, func(cause FoundEffect) bool {
			return cause.Annotator == f.Annotator && !cause.IsEither &&
				slices.Contains(explains[cause.Effect], f.Effect)
		})
	})
}

// powerOf returns what half of the tests could have found.
func powerOf(tests []test) Power {
	annotators, values := map[string]bool{}, make([]float64, len(tests))
	critical := stats.StudentQuantile(1-errorOf(tests[0].Effect)/float64(len(tests)), 1e6)
	for i, t := range tests {
		annotators[t.Annotator] = true
		values[i] = t.detectable(critical)
	}
	slices.Sort(values)
	return Power{tests[0].Effect, len(annotators), stats.Quantile(values, 0.5)}
}

// minVariance is that of values without any: their number is no evidence that the next one is the same.
const minVariance = 0.02 * 0.02

// A sample is the mean of independent values.
type sample struct {
	mean, standardError float64
	n                   int
}

func sampleOf(values []float64) sample {
	mean, squares, n := 0.0, 0.0, float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return sample{mean, math.Sqrt(max(squares/max(n-1, 1), minVariance) / n), len(values)}
}

// above returns the one-sided p-value of a mean above a limit.
func (s sample) above(limit float64) float64 {
	if s.standardError <= 0 {
		return 1
	}
	return stats.StudentCDF((limit-s.mean)/s.standardError, float64(s.n-1))
}

// beyond returns the p-value of a mean further from 0 than a margin.
func (s sample) beyond(margin float64) float64 {
	s.mean = math.Abs(s.mean)
	return min(1, 2*s.above(margin))
}

func (s sample) interval() (low, high float64) {
	width := stats.StudentQuantile(0.975, float64(max(s.n-1, 1))) * s.standardError
	return s.mean - width, s.mean + width
}

// detectable returns the mean that is found above a limit with 80% power.
func (s sample) detectable(limit float64) func(critical float64) float64 {
	return func(critical float64) float64 { return limit + (critical+normalQuantile80)*s.standardError }
}

// normalTail returns the probability that a standard normal variable is at least z.
func normalTail(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
