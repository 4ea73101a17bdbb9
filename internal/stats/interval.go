package stats

import (
	"fmt"
	"math"
	"slices"
)

// A IntervalMethod makes an interval of resamples.
type IntervalMethod string

// The methods: Percentile takes the quantiles of the resamples as they are; BCa
// corrects them for bias and skewness (Efron 1987, JASA 82). Both are too narrow
// where few clusters are drawn: a resample of G clusters varies by √((G−1)/G) too
// little, and G of them are too few for the normal's quantiles. Expanded is BCa
// with z replaced by √(G/(G−1)) t, the quantile of Student's t with G − 1 degrees
// (Hesterberg 2015, The American Statistician 69, “expanded” intervals).
//
// Which is taken where none is asked for was settled by TestInterval_CoversTruth: Percentile
// for agreement over items, as the figures of other programs are, and Expanded for
// agreement over clusters and for means.
const (
	Percentile IntervalMethod = "percentile"
	BCa        IntervalMethod = "bca"
	Expanded   IntervalMethod = "expanded"
)

// An Interval is how sure a figure is, or the reason why that cannot be said.
type Interval struct {
	Low, High float64
	Undefined string // why there is no interval; blank where there is one

	Level             float64
	Units             int    // how many items or clusters were drawn from
	UnitName          string // what they are: "items", "clusters"
	Resamples         int    // how many were used
	ConstantResamples int    // among them, without any variation: they count as full agreement
	DroppedResamples  int    // not used: nothing in them could be compared
}

// Defined says whether there is an interval.
func (i Interval) Defined() bool { return i.Undefined == "" }

// Describe says in words what the interval covers and what it does not.
func (i Interval) Describe() string {
	if !i.Defined() {
		return i.Undefined
	}
	text := fmt.Sprintf("covers the draw of %d %s; not the choice of annotators", i.Units, i.UnitName)
	if i.Units < minReliableUnits {
		text += fmt.Sprintf("; with fewer than %d %s it is rough", minReliableUnits, i.UnitName)
	}
	if i.ConstantResamples > 0 {
		text += fmt.Sprintf("; %d of %d resamples had no variation and count as full agreement", i.ConstantResamples, i.Resamples)
	}
	if i.DroppedResamples > 0 {
		text += fmt.Sprintf("; %d resamples had nothing to compare and were left out", i.DroppedResamples)
	}
	return text
}

// minReliableUnits is below what a bootstrap interval is known to cover as it says.
const minReliableUnits = 30

// A parallelStatistic statistic can make empty ones of its kind, for workers of their own.
type parallelStatistic interface {
	statistic
	newEmpty() statistic
}

// computeIntervals makes the intervals of all values of s, which holds every item once.
func (o IntervalOptions) computeIntervals(u samplingUnits, unitName string, s parallelStatistic, width int) []Interval {
	o = o.WithDefaults().withMethod(u)
	estimates := make([]resampleValue, width)
	s.evaluate(estimates)
	resamples := o.bootstrap(u, width, s.newEmpty)
	var jackknifeValues [][]resampleValue
	var jackknifeWeights []float64
	if o.Method != Percentile {
		jackknifeValues, jackknifeWeights = u.jackknife(s, width)
	}
	intervals := make([]Interval, width)
	for n, e := range estimates {
		i := Interval{Level: o.Level, Units: u.count(), UnitName: unitName}
		values := i.collectValues(resamples, n)
		if i.Undefined = i.explainUndefined(values); i.Defined() {
			low, high := (1-o.Level)/2, (1+o.Level)/2
			if o.Method != Percentile {
				low, high = computeBCaQuantiles(e.value, values, estimateAcceleration(jackknifeValues, jackknifeWeights, n), o.criticalValue(u))
			}
			i.Low, i.High = Quantile(values, low), Quantile(values, high)
		}
		intervals[n] = i
	}
	return intervals
}

// explainUndefined says why the sorted values make no interval.
func (i Interval) explainUndefined(values []float64) string {
	switch {
	case i.Units < 2:
		return fmt.Sprintf("fewer than two %s: nothing can be drawn anew", i.UnitName)
	case i.Resamples < i.DroppedResamples:
		return "fewer than half of the resamples had anything to compare"
	case values[0] == values[len(values)-1]:
		return "every resample gives the same figure, so how sure it is cannot be said"
	}
	return ""
}

// collectValues counts the resamples and returns the usable values of the nth, ascending.
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

// withMethod chooses a method where none is asked for.
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

// criticalValue is how many standard errors an interval reaches to either side.
func (o IntervalOptions) criticalValue(u samplingUnits) float64 {
	if n := float64(u.count()); o.Method == Expanded && n > 1 {
		return math.Sqrt(n/(n-1)) * tQuantile((1+o.Level)/2, n-1)
	}
	return normalQuantile((1 + o.Level) / 2)
}

// computeBCaQuantiles returns the shares of the resamples at which a BCa interval ends
// that reaches so many standard errors to either side.
func computeBCaQuantiles(estimate float64, sorted []float64, a, criticalValue float64) (low, high float64) {
	below := 0.0
	for _, v := range sorted {
		if v < estimate {
			below++
		} else if v == estimate {
			below += 0.5
		}
	}
	n := float64(len(sorted))
	bias := normalQuantile(min(max(below/n, 0.5/n), 1-0.5/n))
	endQuantile := func(z float64) float64 {
		z += bias
		if 1-a*z <= 0 { // so skewed that the end lies beyond every resample
			return max(0, math.Copysign(1, z))
		}
		return normalCDF(bias + z/(1-a*z))
	}
	return endQuantile(-criticalValue), endQuantile(criticalValue)
}

// estimateAcceleration is Σ d³ / (6 (Σ d²)^1.5) over the distances of the nth jackknife
// values from their mean.
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

// Quantile interpolates between the sorted values (Hyndman & Fan 1996, type 7).
func Quantile(sorted []float64, p float64) float64 {
	position := p * float64(len(sorted)-1)
	below := min(int(position), len(sorted)-1)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (position-float64(below))*(sorted[above]-sorted[below])
}

// normalCDF is the distribution function of the standard normal.
func normalCDF(z float64) float64 { return 0.5 * math.Erfc(-z/math.Sqrt2) }

// normalQuantile is its inverse.
func normalQuantile(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }
