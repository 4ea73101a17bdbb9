package stats

import "math"

// A Proportion is Hits of Total, with its 95% interval.
type Proportion struct {
	Hits, Total int
	Interval    Interval
}

// Value returns the proportion; 0 if Total is 0, and then Interval is undefined.
func (s Proportion) Value() float64 {
	if s.Total == 0 {
		return 0
	}
	return float64(s.Hits) / float64(s.Total)
}

// NewProportion returns the proportion of n independent answers, with Wilson's interval.
func NewProportion(hits, n int) Proportion { return Proportion{hits, n, WilsonInterval(hits, n, 0.95)} }

// WilsonInterval returns the interval of hits among n independent answers at a level,
// such as 0.95 (Wilson 1927, JASA 22).
func WilsonInterval(hits, n int, level float64) Interval {
	i := Interval{Level: level, Units: n}
	if n == 0 {
		i.Undefined = Reason{Code: NothingToCount}
		return i
	}
	i.Low, i.High = wilsonBounds(float64(hits)/float64(n), float64(n), level)
	return i
}

func wilsonBounds(p, n, level float64) (low, high float64) {
	z := NormalQuantile((1 + level) / 2)
	center, denominator := p+z*z/(2*n), 1+z*z/n
	margin := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, (center-margin)/denominator), min(1, (center+margin)/denominator)
}

// ExactBounds returns the interval of a share of n independent answers by Clopper & Pearson (1934, Biometrika
// 26). n may be an effective number of answers (Korn & Graubard 1998, Survey Methodology 24).
func ExactBounds(share, n, level float64) (low, high float64) {
	const rounding = 1e-9
	hits, tail := share*n, (1-level)/2
	high = 1
	if hits > rounding {
		low = quantileOf(tail, func(p float64) float64 { return incompleteBeta(hits, n-hits+1, p) })
	}
	if n-hits > rounding {
		high = quantileOf(1-tail, func(p float64) float64 { return incompleteBeta(hits+1, n-hits, p) })
	}
	return low, high
}

// BinomialTail returns the probability of at least as many hits among n independent answers where their share is p.
func BinomialTail(hits, n int, p float64) float64 {
	if hits <= 0 {
		return 1
	}
	return incompleteBeta(float64(hits), float64(n-hits+1), p)
}

// quantileOf returns where an increasing function of 0 to 1 reaches a value.
func quantileOf(value float64, f func(float64) float64) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		if middle := (low + high) / 2; f(middle) < value {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// ClusterHits counts the hits among the answers of one cluster, such as an item.
type ClusterHits struct{ Hits, Total int }

// NewClusteredProportion returns the proportion over clusters of similar answers, with
// Wilson's interval for the effective number n / design effect (Korn & Graubard 1998,
// Survey Methodology 24). If all answers are equal, each cluster counts once.
func NewClusteredProportion(clusters []ClusterHits) Proportion {
	s, usedClusters := Proportion{}, 0
	for _, p := range clusters {
		s.Hits, s.Total = s.Hits+p.Hits, s.Total+p.Total
		if p.Total > 0 {
			usedClusters++
		}
	}
	s.Interval = Interval{Level: 0.95, Units: usedClusters, IsClustered: true}
	if s.Total == 0 {
		s.Interval.Undefined = Reason{Code: NothingToCount}
		return s
	}
	effective := float64(usedClusters)
	if effect := estimateDesignEffect(clusters, s.Value(), s.Total, usedClusters); effect > 0 {
		effective = min(float64(s.Total), float64(s.Total)/effect)
	}
	s.Interval.Low, s.Interval.High = wilsonBounds(s.Value(), effective, 0.95)
	return s
}

// estimateDesignEffect returns the variance of the proportion divided by that of as many
// independent answers; 0 if it cannot be estimated.
func estimateDesignEffect(clusters []ClusterHits, p float64, n, usedClusters int) float64 {
	if p == 0 || p == 1 || usedClusters < 2 {
		return 0
	}
	squares := 0.0
	for _, c := range clusters {
		deviation := float64(c.Hits) - p*float64(c.Total)
		squares += deviation * deviation
	}
	k, total := float64(usedClusters), float64(n)
	between := squares * k / (k - 1) / (total * total)
	return between / (p * (1 - p) / total)
}
