package stats

import "math"

const (
	// maxDraws is the number of units over all resamples above which an interval is normal:
	// with 1,000 resamples, that of more than 50,000 units. The distribution of a figure over so
	// many is, and the error of its standard error is below that of the bootstrap.
	maxDraws = 50_000_000
	// maxInfluenceSample is the number of units whose influence gives the standard error.
	maxInfluenceSample = 5000
)

// needsManyDraws reports whether a bootstrap would draw too many units. Identical units are drawn
// by group, which is fast for any number.
func (o IntervalOptions) needsManyDraws(u samplingUnits, groups unitGroups) bool {
	return len(groups.representatives) == 0 && u.count()*o.Resamples > maxDraws
}

// normalIntervals returns intervals from the standard error of the jackknife (Tukey 1958) over an
// even sample of the units.
func (o IntervalOptions) normalIntervals(u samplingUnits, s parallelStatistic,
	estimates []resampleValue) []Interval {
	values, weights := u.jackknife(s, len(estimates), maxInfluenceSample)
	intervals := make([]Interval, len(estimates))
	for n, e := range estimates {
		i := u.interval(o)
		standardError, ok := jackknifeError(values, weights, n, float64(u.count()))
		switch {
		case !ok:
			i.Undefined = Reason{Code: FewResamples}
		case standardError < epsilon:
			i.Undefined = Reason{Code: ConstantResamples}
		default:
			margin := o.criticalValue(u) * standardError
			i.Low, i.High = e.value-margin, e.value+margin
			if _, isCoefficient := s.(measureStatistic); isCoefficient {
				i.High = min(i.High, 1)
			}
		}
		intervals[n] = i
	}
	return intervals
}

// jackknifeError returns the standard error of measure n; false if it has no value without some unit.
func jackknifeError(values [][]resampleValue, weights []float64, n int, units float64) (float64, bool) {
	mean, total := 0.0, 0.0
	for i, row := range values {
		if !row[n].isUsable() {
			return 0, false
		}
		mean, total = mean+weights[i]*row[n].value, total+weights[i]
	}
	squares := 0.0
	for i, row := range values {
		deviation := row[n].value - mean/total
		squares += weights[i] * deviation * deviation
	}
	return math.Sqrt((units - 1) / units * squares), true
}
