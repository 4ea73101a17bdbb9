package stats

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxPoints is the maximum length of a scale: a category is one byte.
const maxPoints = 256

// A NumericScale is the possible values of a field, ascending and distinct. Weights and
// categories come from it, not from the values in use.
type NumericScale []int

// NewRangeScale returns the scale of every whole number from low to high.
func NewRangeScale(low, high int) NumericScale {
	s := make(NumericScale, max(0, high-low+1))
	for i := range s {
		s[i] = low + i
	}
	return s
}

// NewNumericScale returns the scale of the distinct values.
func NewNumericScale(values ...int) NumericScale {
	s := slices.Clone(NumericScale(values))
	slices.Sort(s)
	return slices.Compact(s)
}

// ParseRangeScale parses "1..5".
func ParseRangeScale(text string) (NumericScale, error) {
	from, to, ok := strings.Cut(text, "..")
	low, errLow := strconv.Atoi(from)
	high, errHigh := strconv.Atoi(to)
	if !ok || errLow != nil || errHigh != nil {
		return nil, fmt.Errorf("%q is not a scale; write its ends, such as 1..5", text)
	}
	if low >= high {
		return nil, fmt.Errorf("the scale %q has no second point; write the lower end first, such as 1..5", text)
	}
	if low < -MaxScaleValue || high > MaxScaleValue {
		return nil, fmt.Errorf("the scale %q goes beyond ±%d", text, MaxScaleValue)
	}
	if high-low >= maxPoints {
		return nil, fmt.Errorf("the scale %q has more than %d points", text, maxPoints)
	}
	return NewRangeScale(low, high), nil
}

// MaxScaleValue is the maximum of a value, so that squared distances are exact.
const MaxScaleValue = 1_000_000

// Validate returns an error if the scale is too long or its values are too large.
func (s NumericScale) Validate() error {
	if len(s) > maxPoints {
		return fmt.Errorf("the scale has %d points; at most %d can be used", len(s), maxPoints)
	}
	if len(s) > 0 && (s[0] < -MaxScaleValue || s[len(s)-1] > MaxScaleValue) {
		return fmt.Errorf("the scale %s goes beyond ±%d", s, MaxScaleValue)
	}
	return nil
}

// Index returns the index of v on the scale.
func (s NumericScale) Index(v int) (int, bool) { return slices.BinarySearch(s, v) }

// Span returns the distance between the ends.
func (s NumericScale) Span() int {
	if len(s) == 0 {
		return 0
	}
	return s[len(s)-1] - s[0]
}

// String returns the scale as it is declared: "1..5", or its values if it has gaps.
func (s NumericScale) String() string {
	if len(s) > 1 && s.Span() == len(s)-1 {
		return fmt.Sprintf("%d..%d", s[0], s[len(s)-1])
	}
	return strings.Trim(fmt.Sprint([]int(s)), "[]")
}

// A Weighting defines the partial agreement of two different answers.
type Weighting string

// The weightings, with the weight of the values v and w (Cohen 1968): unweighted, 1 if
// equal and else 0; linear, 1 − |v−w|/span; quadratic, 1 − (v−w)²/span².
const (
	Unweighted Weighting = "unweighted"
	Linear     Weighting = "linear"
	Quadratic  Weighting = "quadratic"
)

// weightings in the order of agreementSums.weights.
var weightings = []Weighting{Unweighted, Linear, Quadratic}

// matrix returns the q×q agreement weights of the scale, row by row.
func (w Weighting) matrix(s NumericScale) []float64 {
	q := len(s)
	m := make([]float64, q*q)
	for a := range q {
		for b := range q {
			m[a*q+b] = w.agreementWeight(s[a], s[b], s.Span())
		}
	}
	return m
}

func (w Weighting) agreementWeight(v, u, span int) float64 {
	if v == u {
		return 1
	}
	distance := math.Abs(float64(v-u)) / float64(span)
	switch w {
	case Linear:
		return 1 - distance
	case Quadratic:
		return 1 - distance*distance
	}
	return 0
}
