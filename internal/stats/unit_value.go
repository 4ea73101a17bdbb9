package stats

import (
	"iter"
	"math"
	"slices"
)

// An Expected is the expectation of a value over the resolutions of ties, and the value if
// all ties are resolved so that it is lowest or highest.
type Expected struct{ Value, Low, High float64 }

// Certain returns a value that does not depend on ties.
func Certain(v float64) Expected { return Expected{v, v, v} }

// A UnitValue is what one unit, such as a query or an answer, adds to a metric: the metric is
// the sum of the values divided by that of the bases. Base.Low and Base.High belong to the
// resolutions of Low and High.
type UnitValue struct {
	Expected
	Base    Expected // 1, or the probability that the unit counts
	Cluster string   // such as the record; blank: none
	HasTie  bool
}

// A UnitMetric is a metric over units, with the range that the resolution of ties leaves.
type UnitMetric struct {
	Expected
	Undefined Reason // why there is no value
	Interval  Interval
	Count     int // units that can count
	Ties      int // of them, with a tie
}

// EstimateShare returns the metric of units that each count as yes or no, but for ties. The
// interval is Wilson's for the effective number of units (see NewClusteredProportion), with
// Student's t where units form clusters or have ties.
func EstimateShare(units []UnitValue) UnitMetric {
	m := SumUnits(slices.Values(units))
	m.Interval = Interval{Level: 0.95, Units: m.Count}
	if m.Undefined.Code != "" {
		m.Interval.Undefined = m.Undefined
		return m
	}
	effective := float64(m.Count)
	if clusters, isSimple := sumClusters(units, m.Value); !isSimple {
		m.Interval.Units = len(clusters)
		m.Interval.IsClustered = len(clusters) < m.Count
		effective = min(effective, effectiveUnits(clusters, m.Value))
	}
	m.Interval.Low, m.Interval.High = wilsonBounds(m.Value, effective, 0.95)
	return m
}

// EstimateMean returns the metric of units whose values are means themselves, such as the
// precision of a query, with a bootstrap interval.
func EstimateMean(units []UnitValue, o IntervalOptions) UnitMetric {
	m := SumUnits(slices.Values(units))
	if m.Undefined.Code != "" {
		m.Interval.Undefined = m.Undefined
		return m
	}
	values := make([]float64, len(units))
	for i, u := range units {
		values[i] = u.Value
	}
	m.Interval = MeanInterval(values, nil, o)
	return m
}

// SumUnits returns the metric without an interval.
func SumUnits(units iter.Seq[UnitValue]) (m UnitMetric) {
	var base Expected
	for u := range units {
		m.Value, m.Low, m.High = m.Value+u.Value, m.Low+u.Low, m.High+u.High
		base.Value, base.Low, base.High = base.Value+u.Base.Value, base.Low+u.Base.Low, base.High+u.Base.High
		if u.Base.Value > 0 {
			m.Count++
			m.Ties += int(boolToFloat(u.HasTie))
		}
	}
	if m.Count == 0 {
		return UnitMetric{Undefined: Reason{Code: NothingToCount}}
	}
	m.Value, m.Low, m.High = m.Value/base.Value, m.Low/max(base.Low, epsilon), m.High/max(base.High, epsilon)
	if base.High < epsilon {
		m.High = m.Value
	}
	if base.Low < epsilon {
		m.Low = m.Value
	}
	return m
}

// clusterSum is what one cluster adds to a metric.
type clusterSum struct{ deviation, base float64 }

// sumClusters returns the sums by cluster. It returns true if every unit that counts is a
// cluster of its own, and counts as yes or no.
func sumClusters(units []UnitValue, share float64) (clusters []clusterSum, isSimple bool) {
	numbers, counted, isBinary := map[string]int{}, 0, true
	for _, u := range units {
		if u.Base.Value == 0 {
			continue
		}
		counted++
		isBinary = isBinary && u.Base.Value == 1 && (u.Value == 0 || u.Value == 1)
		n, isKnown := numbers[u.Cluster]
		if !isKnown || u.Cluster == "" {
			n = len(clusters)
			numbers[u.Cluster], clusters = n, append(clusters, clusterSum{})
		}
		clusters[n].deviation += u.Value - share*u.Base.Value
		clusters[n].base += u.Base.Value
	}
	return clusters, isBinary && len(clusters) == counted
}

// effectiveUnits returns the number of independent units with the same variance.
func effectiveUnits(clusters []clusterSum, share float64) float64 {
	squares, base, k := 0.0, 0.0, float64(len(clusters))
	for _, c := range clusters {
		squares, base = squares+c.deviation*c.deviation, base+c.base
	}
	if share <= 0 || share >= 1 || k < 2 || squares < epsilon {
		return k
	}
	variance := squares * k / (k - 1) / (base * base)
	ratio := NormalQuantile(0.975) / StudentQuantile(0.975, max(k-1, 2))
	return share * (1 - share) / variance * math.Pow(ratio, 2)
}
