package stats

import "math"

// jackknifeFit is the distribution of a coefficient: −√(1 − coefficient), or −log(1 − coefficient) over clusters, has
// Student's t around center.
type jackknifeFit struct {
	center, standardError, degrees float64
	bias                           float64 // of the coefficient
}

// jackknifeIntervals returns the intervals of the values of s, which holds every item once.
// Each item or cluster is left out in turn (Tukey 1958; Efron & Stein 1981, Annals of
// Statistics 9), for the standard error with addedItems. That is the error of −√(1 − κ): 1 − κ grows with the
// number of disagreements, whose square root has the same error for any number (Bartlett 1936, Supplement to
// the Journal of the Royal Statistical Society 3). Where items share clusters it is the error of −log(1 − κ), because a
// cluster brings several disagreements at once, so that the error grows with their number. The quantile is that of t
// with one degree less than shared units. The values that isShare names have shareInterval.
func (o IntervalOptions) jackknifeIntervals(u samplingUnits, s measureStatistic, isShare func(n int) bool) []Interval {
	o = o.WithDefaults()
	shared := u.countShared()
	own := u.leaveOutEach(s)
	added := newAddedItems(s.agreementSums, shared)
	added.addTo(s.agreementSums, 1)
	smoothed := u.leaveOutEach(s)
	influences := added.influences(s, smoothed.estimates)
	added.addTo(s.agreementSums, -1)
	shape := rootShape
	if u.unitStart != nil {
		shape = logShape
	}
	intervals := make([]Interval, len(s.measures))
	for n := range s.measures {
		i := u.sharedInterval(o)
		if isShare(n) {
			intervals[n] = i.shareInterval(own.estimates[n].value, own.values, own.weights, n)
			continue
		}
		switch fit, undefined := fitJackknife(own, smoothed, influences, n, shared, shape); {
		case i.Units < MinIntervalUnits:
			i.Undefined = Reason{Code: TooFewUnits, Min: MinIntervalUnits}
		case undefined != "":
			i.Undefined = Reason{Code: undefined}
		default:
			estimate, margin := own.estimates[n].value, StudentQuantile((1+o.Level)/2, fit.degrees)*fit.standardError
			i.bias, i.fit = fit.bias, samplingFit{fit.center, fit.standardError, shape}
			i.Low = max(-1, min(estimate, shape.value(fit.center-margin)))
			i.High = max(estimate, shape.value(fit.center+margin))
		}
		intervals[n] = i
	}
	return intervals
}

// leftOutValues are the values of all units, and without each unit.
type leftOutValues struct {
	estimates []resampleValue
	values    [][]resampleValue
	weights   []float64 // the number of units that each stands for
}

func (u samplingUnits) leaveOutEach(s measureStatistic) (v leftOutValues) {
	v.estimates = make([]resampleValue, len(s.measures))
	s.evaluate(v.estimates)
	v.values, v.weights = u.jackknife(s, len(s.measures), maxJackknifeUnits)
	return v
}

// maxBias is the correction for bias up to which it helps, in standard errors: of few items the bias itself is
// hardly known.
const maxBias = 0.15

// fitJackknife fits the distribution of value n. own are the values of the answers, smoothed those with
// addedItems, whose influences added has. It returns why there is no fit where there is no value without one
// unit, or agreement is full, or no unit changes anything.
func fitJackknife(own, smoothed leftOutValues, added []addedInfluence, n, units int, shape fitShape) (fit jackknifeFit,
	undefined ReasonCode) {
	estimate, center := own.estimates[n].value, smoothed.estimates[n].value
	if 1-center <= epsilon {
		return jackknifeFit{}, FewDisagreements
	}
	var changes, all deviations
	for i, weight := range own.weights {
		value := smoothed.values[i][n]
		if value.missing != missingNothing {
			return jackknifeFit{}, FewVariedAnswers
		}
		all.add(weight, value.value-center)
		if without := own.values[i][n]; without.missing == missingNothing {
			changes.add(weight, without.value-estimate)
		}
	}
	for _, a := range added {
		all.add(a.weight, -a.change[n])
	}
	if all.variance() <= epsilon*epsilon {
		return jackknifeFit{}, ConstantResamples
	}
	k := float64(units)
	se, bias := math.Sqrt((k-1)/k*all.variance()), (k-1)*changes.mean()
	slope := shape.slope(center)
	return jackknifeFit{shape.locate(center) - slope*max(-maxBias*se, min(maxBias*se, bias)), slope * se, k - 1, bias},
		""
}

// A fitShape is the function of a coefficient that has Student's t.
type fitShape uint8

const (
	plainShape fitShape = iota // the coefficient itself
	rootShape                  // −√(1 − coefficient)
	logShape                   // −log(1 − coefficient)
)

// minDistance is the smallest distance from 1 that logShape tells from 1.
const minDistance = 1e-12

// locate returns the function of a coefficient.
func (s fitShape) locate(value float64) float64 {
	switch s {
	case rootShape:
		return -math.Sqrt(max(0, 1-value))
	case logShape:
		return -math.Log(max(minDistance, 1-value))
	}
	return value
}

// value is the inverse of locate; 1 for what is beyond.
func (s fitShape) value(located float64) float64 {
	switch s {
	case rootShape:
		return 1 - min(0, located)*min(0, located)
	case logShape:
		return 1 - math.Exp(-located)
	}
	return located
}

// slope returns how much the function changes with a coefficient.
func (s fitShape) slope(value float64) float64 {
	switch s {
	case rootShape:
		return 1 / (2 * math.Sqrt(1-value))
	case logShape:
		return 1 / (1 - value)
	}
	return 1
}

// deviations are weighted sums of powers.
type deviations struct{ weight, sum, squares float64 }

func (d *deviations) add(weight, value float64) {
	d.weight += weight
	d.sum += weight * value
	d.squares += weight * value * value
}

func (d deviations) mean() float64 { return d.sum / max(d.weight, epsilon) }

// variance returns the sum of the squared deviations from the mean.
func (d deviations) variance() float64 { return max(0, d.squares-d.sum*d.mean()) }

// shareInterval returns the interval of a share from its values without each unit: Wilson's for the
// number of independent answers with the same variance, with Student's t. Units without influence
// have no answer that counts.
func (i Interval) shareInterval(share float64, values [][]resampleValue, weights []float64, n int) Interval {
	mean, total, counted := 0.0, 0.0, 0.0
	for k, row := range values {
		if row[n].isUsable() {
			mean, total = mean+weights[k]*row[n].value, total+weights[k]
		}
		if !row[n].isUsable() || math.Abs(row[n].value-share) > epsilon {
			counted += weights[k]
		}
	}
	squares := 0.0
	for k, row := range values {
		if row[n].isUsable() {
			squares += weights[k] * (row[n].value - mean/total) * (row[n].value - mean/total)
		}
	}
	needed := 2
	if i.IsClustered {
		needed = MinIntervalUnits
	}
	switch {
	case i.Units < needed:
		i.Undefined = Reason{Code: TooFewUnits, Min: needed}
		return i
	case counted < 2 || squares < epsilon*epsilon: // a single unit can count for several that a sample left out
		i.Undefined = Reason{Code: ConstantResamples}
		return i
	}
	ratio := NormalQuantile((1+i.Level)/2) / StudentQuantile((1+i.Level)/2, counted-1)
	variance := squares * (counted - 1) / counted
	i.Low, i.High = wilsonBounds(share, share*(1-share)/variance*ratio*ratio, i.Level)
	return i
}
