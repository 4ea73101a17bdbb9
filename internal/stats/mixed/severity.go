package mixed

import "math"

// A Severity is how far the labels of an annotator are above those of others.
type Severity struct {
	Value float64
	Error float64 // standard error
}

// Severities returns those of all annotators next to one of mean severity: the best linear unbiased prediction
// (Henderson 1975, Biometrics 31), which is closer to 0 the fewer labels there are. Annotators who have equal labels on
// every item that they share count as one, and the others of them have no labels of their own.
func (m Model) Severities() []Severity {
	compare := m.severityContrasts()
	list := make([]Severity, len(m.solution.annotators))
	for i := range list {
		unit := make([]float64, len(list))
		unit[i] = 1
		list[i] = compare(unit)
	}
	return list
}

// SeverityDifferences returns how far the labels of each annotator are above the mean of all other annotators.
func (m Model) SeverityDifferences() []Severity {
	compare := m.severityContrasts()
	list := make([]Severity, len(m.solution.annotators))
	for i := range list {
		weights := make([]float64, len(list))
		for j := range weights {
			weights[j] = -1 / float64(len(list)-1)
		}
		weights[i] = 1
		list[i] = compare(weights)
	}
	return list
}

// severityContrasts returns a function that computes a weighted sum of severities, with the error of their prediction.
func (m Model) severityContrasts() func(weights []float64) Severity {
	s, θa := m.solution, m.ratios[annotatorRatio]
	shares := newMatrix(len(s.crossing)-1, len(s.annotators)) // of the annotators in each mean
	for c := range shares {
		shares[c] = solveFactor(s.factor, s.crossing[c])
	}
	return func(weights []float64) Severity {
		moved := make([]float64, len(shares))
		for c := range shares {
			moved[c] = θa * dot(shares[c], weights)
		}
		variance := θa*dot(solveFactor(s.factor, weights), weights) + quadratic(moved, s.covariance)
		return Severity{dot(weights, s.annotators), math.Sqrt(m.Residual * variance)}
	}
}

// Reliability returns the share of the variance of the means of so many labels per item, each by another annotator,
// that is the items' own: the index of dependability (Brennan 2001, Generalizability Theory).
func (m Model) Reliability(labels int) float64 {
	items := m.Record + m.Item
	return items / (items + (m.Annotator+m.Residual)/float64(labels))
}
