package stats

import "math"

// A Proportion is a part of a whole, with its interval at 95 %.
type Proportion struct {
	Hits, Total int
	Interval    Interval
}

// Value returns the share; 0 of nothing, whose Interval says so.
func (s Proportion) Value() float64 {
	if s.Total == 0 {
		return 0
	}
	return float64(s.Hits) / float64(s.Total)
}

// NewProportion returns hits of n that are independent of each other, with Wilson's
// interval.
func NewProportion(hits, n int) Proportion { return Proportion{hits, n, WilsonInterval(hits, n, 0.95)} }

// WilsonInterval is the interval of a proportion of hits among n (Wilson 1927, JASA 22),
// at the level, such as 0.95. It holds where the n are independent of each other.
func WilsonInterval(hits, n int, level float64) Interval {
	i := Interval{Level: level, Units: n, UnitName: "answers"}
	if n == 0 {
		i.Undefined = "there is nothing to take a share of"
		return i
	}
	i.Low, i.High = wilsonBounds(float64(hits)/float64(n), float64(n), level)
	return i
}

func wilsonBounds(p, n, level float64) (low, high float64) {
	z := normalQuantile((1 + level) / 2)
	center, denominator := p+z*z/(2*n), 1+z*z/n
	margin := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, (center-margin)/denominator), min(1, (center+margin)/denominator)
}

// ClusterHits is the hits among the answers that share something, such as an item.
type ClusterHits struct{ Hits, Total int }

// NewClusteredProportion returns the share over all parts, answers of one part being alike:
// Wilson's interval on the effective number n / design effect (Korn & Graubard
// 1998, Survey Methodology 24). Where all answers are equal, the effect cannot be
// seen and each part counts once.
func NewClusteredProportion(clusters []ClusterHits) Proportion {
	s, usedClusters := Proportion{}, 0
	for _, p := range clusters {
		s.Hits, s.Total = s.Hits+p.Hits, s.Total+p.Total
		if p.Total > 0 {
			usedClusters++
		}
	}
	s.Interval = Interval{Level: 0.95, Units: usedClusters, UnitName: "clusters"}
	if s.Total == 0 {
		s.Interval.Undefined = "there is nothing to take a share of"
		return s
	}
	effective := float64(usedClusters)
	if effect := estimateDesignEffect(clusters, s.Value(), s.Total, usedClusters); effect > 0 {
		effective = min(float64(s.Total), float64(s.Total)/effect)
	}
	s.Interval.Low, s.Interval.High = wilsonBounds(s.Value(), effective, 0.95)
	return s
}

// estimateDesignEffect is the variance of the share over the parts against that of as
// many independent answers; 0 where it cannot be seen.
func estimateDesignEffect(clusters []ClusterHits, p float64, n, usedClusters int) float64 {
	if p == 0 || p == 1 || usedClusters < 2 {
		return 0
	}
	squares := 0.0
	for _, part := range clusters {
		deviation := float64(part.Hits) - p*float64(part.Total)
		squares += deviation * deviation
	}
	k, total := float64(usedClusters), float64(n)
	between := squares * k / (k - 1) / (total * total)
	return between / (p * (1 - p) / total)
}
