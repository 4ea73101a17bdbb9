package stats

import (
	"math"
	"slices"
)

// An IntervalMethod computes an interval from resamples.
type IntervalMethod string

// The methods. Percentile uses the quantiles of the resamples. BCa corrects them for bias
// and skewness (Efron 1987, JASA 82). Both are too narrow for few clusters G, so Expanded
// is BCa with z replaced by √(G/(G−1)) t, where t is the quantile of Student's t with
// G − 1 degrees of freedom (Hesterberg 2015, The American Statistician 69).
//
// Jackknife is for coefficients that end at 1: see jackknifeIntervals. Share is for shares: see
// shareInterval.
//
// studies/interval supports the defaults: Jackknife for Conger's κ, Share for percent and specific
// agreement. Over items, Percentile for α, as in other programs, and Jackknife for other
// coefficients. Expanded for these over clusters and for means.
const (
	Percentile IntervalMethod = "percentile"
	BCa        IntervalMethod = "bca"
	Expanded   IntervalMethod = "expanded"
	Jackknife  IntervalMethod = "jackknife"
	Share      IntervalMethod = "share"
)

// An Interval is a confidence interval, or the reason why there is none.
type Interval struct {
	Low, High float64
	Undefined Reason // why there is no interval

	Level             float64
	Units             int  // number of resampled items or clusters
	IsClustered       bool // they are clusters
	IsShared          bool // and those with two labels of an item, of more
	Resamples         int  // number of resamples used
	ConstantResamples int  // of them, without variation: they count as full agreement
	DroppedResamples  int  // not used, because they have no value

	bias float64     // of the coefficient, as the jackknife estimates it (Quenouille 1956)
	fit  samplingFit // of the jackknife; zero for other methods
}

// Defined reports whether there is an interval.
func (i Interval) Defined() bool { return i.Undefined.Code == "" }

// A parallelStatistic can make empty statistics of its type, one for each worker.
type parallelStatistic interface {
	statistic
	newEmpty() statistic
}

// interval returns one without ends, over all units.
func (u samplingUnits) interval(o IntervalOptions) Interval {
	return Interval{Level: o.WithDefaults().Level, Units: u.count(), IsClustered: u.unitStart != nil}
}

// sharedInterval returns one without ends, over the shared units.
func (u samplingUnits) sharedInterval(o IntervalOptions) Interval {
	i := u.interval(o)
	i.Units = u.countShared()
	i.IsShared = i.Units < u.count()
	return i
}

// computeIntervals returns the intervals of the values of s, which holds every item once.
func (o IntervalOptions) computeIntervals(u samplingUnits, s parallelStatistic, width int) []Interval {
	o = o.WithDefaults().withMethod(u)
	estimates := make([]resampleValue, width)
	s.evaluate(estimates)
	if u.count() < 2 {
		i := u.interval(o)
		i.Undefined = Reason{Code: TooFewUnits, Min: 2}
		return slices.Repeat([]Interval{i}, width)
	}
	groups := u.groupIdentical()
	if o.needsManyDraws(u, groups) {
		return o.normalIntervals(u, s, estimates)
	}
	var resamples [][]resampleValue
	if d, ok := newClusterDraws(u); ok {
		resamples = o.bootstrap(d.samplingUnits, groups, width,
			func() statistic { return d.newStatistic(s.newEmpty()) })
	} else {
		resamples = o.bootstrap(u, groups, width, s.newEmpty)
	}
	var jackknifeValues [][]resampleValue
	var jackknifeWeights []float64
	if o.Method != Percentile {
		jackknifeValues, jackknifeWeights = u.jackknife(s, width, maxJackknifeUnits)
	}
	intervals := make([]Interval, width)
	for n, e := range estimates {
		i := u.interval(o)
		values := i.collectValues(resamples, n)
		if i.Undefined = i.undefinedReason(values); i.Defined() {
			low, high := (1-o.Level)/2, (1+o.Level)/2
			if o.Method != Percentile {
				low, high = computeBCaQuantiles(e.value, values,
					estimateAcceleration(jackknifeValues, jackknifeWeights, n), o.criticalValue(u))
			}
			i.Low, i.High = Quantile(values, low), Quantile(values, high)
		}
		intervals[n] = i
	}
	return intervals
}

// undefinedReason returns why the sorted values give no interval.
func (i Interval) undefinedReason(values []float64) Reason {
	switch {
	case i.Resamples < i.DroppedResamples:
		return Reason{Code: FewResamples}
	case values[len(values)-1]-values[0] < epsilon:
		return Reason{Code: ConstantResamples}
	}
	return Reason{}
}

// collectValues counts the resamples and returns the usable values of measure n, ascending.
func (i *Interval) collectValues(resamples [][]resampleValue, n int) []float64 {
	var values []float64
	for _, row := range resamples {
		d := row[n]
		if !d.isUsable() {
			i.DroppedResamples++
			continue
		}
		if d.missing == missingVariation {
			i.ConstantResamples++
		}
		values = append(values, d.value)
	}
	i.Resamples = len(values)
	slices.Sort(values)
	return values
}

// withMethod sets the default method.
func (o IntervalOptions) withMethod(u samplingUnits) IntervalOptions {
	switch {
	case o.Method != "":
	case u.unitStart == nil:
		o.Method = Percentile
	default:
		o.Method = Expanded
	}
	return o
}

// criticalValue returns the number of standard errors on each side of an interval.
func (o IntervalOptions) criticalValue(u samplingUnits) float64 {
	if n := float64(u.count()); o.Method == Expanded && n > 1 {
		return math.Sqrt(n/(n-1)) * StudentQuantile((1+o.Level)/2, n-1)
	}
	return NormalQuantile((1 + o.Level) / 2)
}

// computeBCaQuantiles returns the probabilities of the resample quantiles that are the
// ends of a BCa interval with criticalValue standard errors on each side.
func computeBCaQuantiles(estimate float64, sorted []float64, acceleration, criticalValue float64) (low, high float64) {
	below := 0.0
	for _, v := range sorted {
		if v < estimate {
			below++
		} else if v == estimate {
			below += 0.5
		}
	}
	n := float64(len(sorted))
	bias := NormalQuantile(min(max(below/n, 0.5/n), 1-0.5/n))
	endQuantile := func(z float64) float64 {
		z += bias
		if 1-acceleration*z <= 0 { // the skewness puts the end beyond every resample
			return max(0, math.Copysign(1, z))
		}
		return normalCDF(bias + z/(1-acceleration*z))
	}
	return endQuantile(-criticalValue), endQuantile(criticalValue)
}

// estimateAcceleration returns Σ d³ / (6 (Σ d²)^1.5) over the deviations d of the jackknife
// values of measure n from their mean.
func estimateAcceleration(jackknifeValues [][]resampleValue, weights []float64, n int) float64 {
	mean, total := 0.0, 0.0
	for i, row := range jackknifeValues {
		if row[n].isUsable() {
			mean, total = mean+weights[i]*row[n].value, total+weights[i]
		}
	}
	squares, cubes := 0.0, 0.0
	for i, row := range jackknifeValues {
		if distance := mean/total - row[n].value; row[n].isUsable() {
			squares += weights[i] * distance * distance
			cubes += weights[i] * distance * distance * distance
		}
	}
	if squares == 0 {
		return 0
	}
	return cubes / (6 * math.Pow(squares, 1.5))
}

// Quantile returns the p-quantile, interpolated between the sorted values (Hyndman & Fan 1996, type 7).
func Quantile(sorted []float64, p float64) float64 {
	position := p * float64(len(sorted)-1)
	below := min(int(position), len(sorted)-1)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (position-float64(below))*(sorted[above]-sorted[below])
}

// normalCDF is the standard normal distribution function.
func normalCDF(z float64) float64 { return 0.5 * math.Erfc(-z/math.Sqrt2) }

// NormalQuantile is the inverse of normalCDF.
func NormalQuantile(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }
