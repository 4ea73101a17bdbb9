package stats

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxPoints is how many points a scale may have: a category is one byte.
const maxPoints = 256

// A NumericScale is the points a field may be answered with, ascending and distinct.
// Weights and categories come from it, never from what happened to be used.
type NumericScale []int

// NewRangeScale returns the scale of every whole number from low to high.
func NewRangeScale(low, high int) NumericScale {
	s := make(NumericScale, max(0, high-low+1))
	for i := range s {
		s[i] = low + i
	}
	return s
}

// NewNumericScale returns the distinct values, ascending.
func NewNumericScale(values ...int) NumericScale {
	s := slices.Clone(NumericScale(values))
	slices.Sort(s)
	return slices.Compact(s)
}

// ParseRangeScale reads "1..5".
func ParseRangeScale(text string) (NumericScale, error) {
	from, to, ok := strings.Cut(text, "..")
	low, errLow := strconv.Atoi(from)
	high, errHigh := strconv.Atoi(to)
	if !ok || errLow != nil || errHigh != nil {
		return nil, fmt.Errorf("%q is not a scale: write its ends, such as 1..5", text)
	}
	if low >= high {
		return nil, fmt.Errorf("the scale %q has no second point: write the lower end first, such as 1..5", text)
	}
	if low < -MaxScaleValue || high > MaxScaleValue {
		return nil, fmt.Errorf("the scale %q goes beyond ±%d", text, MaxScaleValue)
	}
	if high-low >= maxPoints {
		return nil, fmt.Errorf("the scale %q has more than %d points", text, maxPoints)
	}
	return NewRangeScale(low, high), nil
}

// MaxScaleValue bounds what a value may be, so that squares of distances stay exact.
const MaxScaleValue = 1_000_000

// Validate says why the scale cannot be used.
func (s NumericScale) Validate() error {
	if len(s) > maxPoints {
		return fmt.Errorf("the scale has %d points; at most %d can be used", len(s), maxPoints)
	}
	if len(s) > 0 && (s[0] < -MaxScaleValue || s[len(s)-1] > MaxScaleValue) {
		return fmt.Errorf("the scale %s goes beyond ±%d", s, MaxScaleValue)
	}
	return nil
}

// Index returns the place of v on the scale.
func (s NumericScale) Index(v int) (int, bool) { return slices.BinarySearch(s, v) }

// Span is the distance between the ends.
func (s NumericScale) Span() int {
	if len(s) == 0 {
		return 0
	}
	return s[len(s)-1] - s[0]
}

// String writes the scale as people declare it: "1..5" where it has no holes.
func (s NumericScale) String() string {
	if len(s) > 1 && s.Span() == len(s)-1 {
		return fmt.Sprintf("%d..%d", s[0], s[len(s)-1])
	}
	return strings.Trim(fmt.Sprint([]int(s)), "[]")
}

// A Weighting says how near two different answers are.
type Weighting string

// The weightings, each an agreement weight between the scale values v and w:
// unweighted 1 where they are equal, else 0; linear 1 − |v−w|/span; quadratic
// 1 − (v−w)²/span² (Cohen 1968).
const (
	Unweighted Weighting = "unweighted"
	Linear     Weighting = "linear"
	Quadratic  Weighting = "quadratic"
)

// weightings in the order of the rows of sums.weights.
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
