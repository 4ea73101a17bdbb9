package ratereffect

import "math"

// A rowScore is how likely the answers of a label to all fields are.
type rowScore struct {
	sum         float64 // of the logarithms of how many times as likely each answer is not at random
	z, squares  float64 // sums of the normal scores of the answers, and of their squares
	fieldsOfRow float64
}

func (r *rowScore) add(log, score float64) {
	r.sum, r.z, r.squares, r.fieldsOfRow = r.sum+log, r.z+score, r.squares+score*score, r.fieldsOfRow+1
}

// log returns the logarithm of how many times as likely the answers are as at random, if their scores are normal and
// every two have the same correlation (a Gaussian copula).
func (r *rowScore) log(correlation float64) float64 {
	if r.fieldsOfRow < 2 {
		return r.sum
	}
	own, all := 1-correlation, 1+(r.fieldsOfRow-1)*correlation
	distance := r.squares*(1/own-1) - correlation/(own*all)*r.z*r.z
	return r.sum - ((r.fieldsOfRow-1)*math.Log(own)+math.Log(all)+distance)/2
}

// A commonError is what labels show of the correlation of the scores of two fields.
type commonError struct{ products, squares float64 }

func (c *commonError) add(r rowScore, weight float64) {
	if r.fieldsOfRow > 1 {
		c.products += weight * (r.z*r.z - r.squares) / (r.fieldsOfRow - 1)
		c.squares += weight * r.squares
	}
}

// maxCorrelation is the largest correlation of two fields that is used.
const maxCorrelation = 0.8

func correlationOf(errors []commonError) float64 {
	sum := commonError{squares: epsilon}
	for _, e := range errors {
		sum.products, sum.squares = sum.products+e.products, sum.squares+e.squares
	}
	return max(0, min(maxCorrelation, sum.products/sum.squares))
}
