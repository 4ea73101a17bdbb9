package mixed

import "math"

// A Severity is how far the labels of an annotator are above those of an annotator of mean severity: the best linear
// unbiased prediction (Henderson 1975, Biometrics 31), which is closer to 0 the fewer labels there are.
type Severity struct {
	Value float64
	Error float64 // standard error of the prediction
}

// Severities returns those of all annotators. Annotators who have equal labels on every item that they share count as one, and the
// others of them have no labels of their own.
func (m Model) Severities() []Severity {
	s, θa := m.solution, m.ratios[annotatorRatio]
	list := make([]Severity, len(s.annotators))
	shares := newMatrix(len(s.crossing)-1, len(list)) // of the annotators in each mean
	for c := range shares {
		shares[c] = solveFactor(s.factor, s.crossing[c])
	}
	for i := range list {
		unit, moved := make([]float64, len(list)), make([]float64, len(shares))
		unit[i] = 1
		for c := range shares {
			moved[c] = θa * shares[c][i]
		}
		variance := θa*solveFactor(s.factor, unit)[i] + quadratic(moved, s.covariance)
		list[i] = Severity{s.annotators[i], math.Sqrt(m.Residual * variance)}
	}
	return list
}

// Reliability returns the share of the variance of the means of so many labels per item, each by another annotator, that is the items'
// own: the index of dependability (Brennan 2001, Generalizability Theory).
func (m Model) Reliability(labels int) float64 {
	items := m.Record + m.Item
	return items / (items + (m.Annotator+m.Residual)/float64(labels))
}
