package ratereffect

import "math"

// A linearSum is a constant and the sum of the values of annotators, each multiplied by a weight.
type linearSum struct {
	constant float64
	weights  []float64 // by annotator
}

func newLinearSum(annotators int) linearSum { return linearSum{weights: make([]float64, annotators)} }

func (s linearSum) at(values []float64) float64 {
	sum := s.constant
	for g, weight := range s.weights {
		sum += weight * values[g]
	}
	return sum
}

// dividedBy returns the sum divided by a number; NaN if it is 0.
func (s linearSum) dividedBy(by float64) linearSum {
	if by == 0 {
		s.constant = math.NaN()
		return s
	}
	s.constant /= by
	for g := range s.weights {
		s.weights[g] /= by
	}
	return s
}
