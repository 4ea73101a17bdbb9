package stats

import "math"

// A Share is a part of a whole, with its interval at 95 %.
type Share struct {
	Hits, N  int
	Interval Interval
}

// Value returns the share; 0 of nothing, whose Interval says so.
func (s Share) Value() float64 {
	if s.N == 0 {
		return 0
	}
	return float64(s.Hits) / float64(s.N)
}

// ShareOf returns hits of n that are independent of each other, with Wilson's
// interval.
func ShareOf(hits, n int) Share { return Share{hits, n, Wilson(hits, n, 0.95)} }

// Wilson is the interval of a proportion of hits among n (Wilson 1927, JASA 22),
// at the level, such as 0.95. It holds where the n are independent of each other.
func Wilson(hits, n int, level float64) Interval {
	i := Interval{Level: level, Units: n, Of: "answers"}
	if n == 0 {
		i.Undefined = "there is nothing to take a share of"
		return i
	}
	i.Low, i.High = wilson(float64(hits)/float64(n), float64(n), level)
	return i
}

func wilson(p, n, level float64) (low, high float64) {
	z := normalQuantile((1 + level) / 2)
	middle, whole := p+z*z/(2*n), 1+z*z/n
	reach := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, (middle-reach)/whole), min(1, (middle+reach)/whole)
}

// Part is the hits among the answers that share something, such as an item.
type Part struct{ Hits, N int }

// ShareOfParts returns the share over all parts, answers of one part being alike:
// Wilson's interval on the effective number n / design effect (Korn & Graubard
// 1998, Survey Methodology 24). Where all answers are equal, the effect cannot be
// seen and each part counts once.
func ShareOfParts(parts []Part) Share {
	s, used := Share{}, 0
	for _, p := range parts {
		s.Hits, s.N = s.Hits+p.Hits, s.N+p.N
		if p.N > 0 {
			used++
		}
	}
	s.Interval = Interval{Level: 0.95, Units: used, Of: "clusters"}
	if s.N == 0 {
		s.Interval.Undefined = "there is nothing to take a share of"
		return s
	}
	effective := float64(used)
	if effect := designEffect(parts, s.Value(), s.N, used); effect > 0 {
		effective = min(float64(s.N), float64(s.N)/effect)
	}
	s.Interval.Low, s.Interval.High = wilson(s.Value(), effective, 0.95)
	return s
}

// designEffect is the variance of the share over the parts against that of as
// many independent answers; 0 where it cannot be seen.
func designEffect(parts []Part, p float64, n, used int) float64 {
	if p == 0 || p == 1 || used < 2 {
		return 0
	}
	squares := 0.0
	for _, part := range parts {
		apart := float64(part.Hits) - p*float64(part.N)
		squares += apart * apart
	}
	k, total := float64(used), float64(n)
	between := squares * k / (k - 1) / (total * total)
	return between / (p * (1 - p) / total)
}
