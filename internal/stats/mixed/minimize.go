package mixed

import (
	"cmp"
	"math"
	"slices"
)

// A simplex is n + 1 points in n dimensions.
type simplex []vertex

type vertex struct {
	point []float64
	value float64
}

// minimize finds a minimum (Nelder & Mead 1965, The Computer Journal 7).
func minimize(f func([]float64) float64, start []float64) []float64 {
	s := simplex{{start, f(start)}}
	for i := range start {
		point := slices.Clone(start)
		point[i] += 0.3
		s = append(s, vertex{point, f(point)})
	}
	for range 300 {
		slices.SortStableFunc(s, func(a, b vertex) int { return cmp.Compare(a.value, b.value) })
		if s.isSmall() {
			break
		}
		s.improve(f)
	}
	return s[0].point
}

// isSmall reports whether the sorted points are so close that their order does not matter.
func (s simplex) isSmall() bool {
	for _, v := range s[1:] {
		for i, x := range v.point {
			if math.Abs(x-s[0].point[i]) > 1e-5*(1+math.Abs(x)) {
				return s[len(s)-1].value-s[0].value < 1e-11
			}
		}
	}
	return true
}

// improve replaces the worst of the sorted points, or shrinks the simplex.
func (s simplex) improve(f func([]float64) float64) {
	last := len(s) - 1
	worst := s[last]
	reflected := s.reflect(1, f)
	switch {
	case reflected.value < s[0].value:
		s[last] = reflected
		if expanded := (append(slices.Clone(s[:last]), worst)).reflect(2, f); expanded.value < reflected.value {
			s[last] = expanded
		}
	case reflected.value < s[last-1].value:
		s[last] = reflected
	default:
		contracted := s.reflect(map[bool]float64{true: 0.5, false: -0.5}[reflected.value < worst.value], f)
		if contracted.value < min(reflected.value, worst.value) {
			s[last] = contracted
			return
		}
		s.shrink(f)
	}
}

// reflect returns the worst point moved through the center of the others, so many times its distance.
func (s simplex) reflect(factor float64, f func([]float64) float64) vertex {
	last := len(s) - 1
	point := make([]float64, last)
	for i := range point {
		center := 0.0
		for _, v := range s[:last] {
			center += v.point[i] / float64(last)
		}
		point[i] = center + factor*(center-s[last].point[i])
	}
	return vertex{point, f(point)}
}

func (s simplex) shrink(f func([]float64) float64) {
	for n := range s[1:] {
		point := slices.Clone(s[n+1].point)
		for i := range point {
			point[i] = (point[i] + s[0].point[i]) / 2
		}
		s[n+1] = vertex{point, f(point)}
	}
}
