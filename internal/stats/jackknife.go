package stats

import "math"

// jackknifeFit is the distribution of a coefficient: −ln(1 − coefficient) has Student's t
// around center. Its tails are uneven; sampling is for what is beyond one limit.
type jackknifeFit struct {
	center, standardError, degrees, bias float64
	sampling                             samplingFit
}

// jackknifeIntervals returns the intervals of the values of s, which holds every item once.
// Each item or cluster is left out in turn (Tukey 1958; Efron & Stein 1981, Annals of
// Statistics 9), with addedItems. The standard error is that of −ln(1 − κ), which is closer to normal
// than κ and keeps the interval below 1; the quantile is that of t with one degree less than shared units.
func (o IntervalOptions) jackknifeIntervals(u samplingUnits, unitName string, s measureStatistic) []Interval {
	o = o.WithDefaults()
	width := len(s.measures)
	estimates, smoothed := make([]resampleValue, width), make([]resampleValue, width)
	s.evaluate(estimates)
	added := newAddedItems(s.agreementSums)
	added.addTo(s.agreementSums, 1)
	s.evaluate(smoothed)
	influences := added.influences(s, smoothed)
	values, weights := u.jackknife(s, width, maxJackknifeUnits)
	added.addTo(s.agreementSums, -1)
	intervals, shared := make([]Interval, width), u.countShared()
	if shared < u.count() {
		unitName = "shared " + unitName
	}
	for n, e := range estimates {
		i := Interval{Level: o.Level, Units: shared, UnitName: unitName}
		switch fit, undefined := fitJackknife(e.value, smoothed[n].value, values, weights, influences, n, shared); {
		case i.Units < MinIntervalUnits:
			i.Undefined = Reason{Code: TooFewUnits, Min: MinIntervalUnits, UnitName: unitName}
		case undefined != "":
			i.Undefined = Reason{Code: undefined, UnitName: unitName}
		default:
			margin := StudentQuantile((1+o.Level)/2, fit.degrees) * fit.standardError
			i.bias, i.fit = fit.bias, fit.sampling
			i.Low = max(-1, min(e.value, -math.Expm1(-(fit.center-margin))))
			i.High = max(e.value, -math.Expm1(-(fit.center + margin)))
		}
		intervals[n] = i
	}
	return intervals
}

// shareIntervals returns the intervals of shares, which leave out each item or cluster in turn.
func (o IntervalOptions) shareIntervals(u samplingUnits, unitName string, s measureStatistic) []Interval {
	o = o.WithDefaults()
	width := len(s.measures)
	estimates := make([]resampleValue, width)
	s.evaluate(estimates)
	values, weights := u.jackknife(s, width, maxJackknifeUnits)
	intervals, shared := make([]Interval, width), u.countShared()
	if shared < u.count() {
		unitName = "shared " + unitName
	}
	for n, e := range estimates {
		intervals[n] = Interval{Level: o.Level, Units: shared, UnitName: unitName}.shareInterval(e.value, values, weights, n)
	}
	return intervals
}

// fitJackknife fits the distribution of value n, which is smoothed with addedItems. It returns why there
// is no fit where leaving out one unit gives full agreement or no value, or changes nothing.
func fitJackknife(estimate, smoothed float64, values [][]resampleValue, weights []float64, added []addedInfluence, n, units int) (fit jackknifeFit, undefined ReasonCode) {
	if 1-smoothed <= epsilon {
		return jackknifeFit{}, FewDisagreements
	}
	var transformed, plain, own deviations
	center := -math.Log1p(-smoothed)
	for i, row := range values {
		if row[n].missing != missingNothing || 1-row[n].value < epsilon {
			return jackknifeFit{}, FewDisagreements
		}
		transformed.add(weights[i], -math.Log1p(-row[n].value)-center)
		plain.add(weights[i], row[n].value-smoothed)
	}
	if own = plain; own.variance() <= epsilon*epsilon && 1-estimate > epsilon {
		return jackknifeFit{}, ConstantResamples
	}
	for _, a := range added {
		transformed.add(a.weight, -a.change[n]/(1-smoothed))
		plain.add(a.weight, -a.change[n])
	}
	k := float64(units)
	shrink := math.Sqrt((k - 1) / k)
	bias := (k-1)*own.mean() + estimate - smoothed
	fit = jackknifeFit{center: center, standardError: shrink * math.Sqrt(transformed.variance()), degrees: k - 1, bias: bias}
	fit.sampling = samplingFit{smoothed - bias, shrink * math.Sqrt(plain.variance()), plain.acceleration()}
	return fit, ""
}

// deviations are weighted sums of powers.
type deviations struct{ weight, sum, squares, cubes float64 }

func (d *deviations) add(weight, value float64) {
	d.weight += weight
	d.sum += weight * value
	d.squares += weight * value * value
	d.cubes += weight * value * value * value
}

func (d deviations) mean() float64 { return d.sum / d.weight }

// variance returns the sum of the squared deviations from the mean.
func (d deviations) variance() float64 { return max(0, d.squares-d.sum*d.mean()) }

// acceleration returns −Σ d³ / (6 (Σ d²)^1.5) over the deviations from the mean.
func (d deviations) acceleration() float64 {
	m := d.mean()
	cubes := d.cubes - 3*m*d.squares + 2*m*m*d.sum
	return -cubes / (6 * math.Pow(d.variance(), 1.5))
}

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
	switch {
	case i.Units < 2:
		i.Undefined = Reason{Code: TooFewUnits, Min: 2, UnitName: i.UnitName}
		return i
	case counted < 2 || squares < epsilon*epsilon: // a single unit can count for several that a sample left out
		i.Undefined = Reason{Code: ConstantResamples}
		return i
	}
	ratio := normalQuantile((1+i.Level)/2) / StudentQuantile((1+i.Level)/2, counted-1)
	variance := squares * (counted - 1) / counted
	i.Low, i.High = wilsonBounds(share, share*(1-share)/variance*ratio*ratio, i.Level)
	return i
}
