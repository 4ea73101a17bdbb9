package labeling

import (
	"math"

	"github.com/labelwright/labelwright/internal/protocol"
)

// An AnswerPair is the answers of an annotator to a calibration item, and its reference.
type AnswerPair struct {
	Own, Reference protocol.Answers
}

// A Bias compares an annotator's answers to one field with the reference, over the
// calibration items that both answered.
type Bias struct {
	Field       protocol.Field
	N           int
	Mean        float64 // own − reference
	StdDev      float64 // sample standard deviation of the differences; 0 for fewer than two items
	ExactCount  int     // items with equal answers
	FarCount    int     // items that differ by two points or more; for binary fields, all that differ
	HigherCount int     // items answered higher than the reference; for binary fields, yes instead of no
	boundary    *int    // the lower of the two points between which most differences are; nil: none
}

// MinItems is the minimum number of items for a bias. If differences have a standard
// deviation of 0.8, the 95% confidence interval of the mean is ±1 point for five items
// (Student's t: 2.78 · 0.8 / √5) and ±2 for three, which shows no direction.
const MinItems = 5

// Sufficient reports whether the bias has enough items.
func (b Bias) Sufficient() bool { return b.N >= MinItems }

// Magnitude returns the absolute bias, rounded half up to a tenth of a point.
func (b Bias) Magnitude() float64 { return math.Round(10*math.Abs(b.Mean)) / 10 }

// LowerCount returns the number of items answered lower than the reference; for binary
// fields, no instead of yes.
func (b Bias) LowerCount() int { return b.N - b.ExactCount - b.HigherCount }

// OneSided reports whether the bias is sufficient and not negligible.
func (b Bias) OneSided() bool { return b.Sufficient() && math.Abs(b.Mean) >= negligibleBias }

// missThreshold is the number of far items from which a field counts as missed.
const missThreshold = 2

// Missed reports whether the annotator must read the guide's section on the field again.
func (b Bias) Missed() bool { return b.FarCount >= missThreshold }

// StandardError returns the standard error of the mean; NaN for fewer than two items.
func (b Bias) StandardError() float64 {
	if b.N < 2 {
		return math.NaN()
	}
	return b.StdDev / math.Sqrt(float64(b.N))
}

// ComputeBiases compares an annotator's answers with the reference, field by field.
func ComputeBiases(p protocol.Protocol, items []AnswerPair) []Bias {
	biases := make([]Bias, len(p.Fields))
	for i, f := range p.Fields {
		biases[i] = computeBias(f, items)
	}
	return biases
}

// MissedFields returns the keys of the missed fields.
func MissedFields(biases []Bias) []string {
	keys := []string{}
	for _, b := range biases {
		if b.Missed() {
			keys = append(keys, b.Field.Key)
		}
	}
	return keys
}

func computeBias(f protocol.Field, items []AnswerPair) Bias {
	b, differences, crossings := Bias{Field: f}, []float64{}, map[int]int{}
	for _, pair := range items {
		own, answered := pair.Own.Values[f.Key]
		reference, hasReference := pair.Reference.Values[f.Key]
		if !answered || !hasReference {
			continue
		}
		differences = append(differences, float64(own-reference))
		for low := min(own, reference); low < max(own, reference); low++ {
			crossings[low]++
		}
		b.addDifference(own - reference)
	}
	b.N, b.Mean, b.StdDev = len(differences), mean(differences), stdDev(differences)
	if boundary, hasBoundary := mainBoundary(crossings); hasBoundary {
		b.boundary = &boundary
	}
	return b
}

// addDifference counts one difference.
func (b *Bias) addDifference(difference int) {
	if difference > 0 {
		b.HigherCount++
	}
	switch {
	case difference == 0:
		b.ExactCount++
	case b.Field.Scale.IsBinary() || difference >= 2 || difference <= -2:
		b.FarCount++
	}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / max(float64(len(values)), 1)
}

// stdDev returns the sample standard deviation; 0 for fewer than two values.
func stdDev(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	center, squares := mean(values), 0.0
	for _, v := range values {
		squares += (v - center) * (v - center)
	}
	return math.Sqrt(squares / float64(len(values)-1))
}

// mainBoundary returns the lower point of the boundary between two scale points that at
// least half of the differences cross.
func mainBoundary(crossings map[int]int) (low int, ok bool) {
	total, highest, ties := 0, 0, 0
	for boundary, n := range crossings {
		total += n
		switch {
		case n > highest:
			low, highest, ties = boundary, n, 1
		case n == highest:
			ties++
		}
	}
	return low, highest > 1 && ties == 1 && 2*highest >= total
}

// negligibleBias: below this a mean difference counts as none.
const negligibleBias = 0.25
