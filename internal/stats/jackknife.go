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
// Statistics 9). The standard error is that of −ln(1 − κ), which is closer to normal than κ and
// keeps the interval below 1; the quantile is that of t with one degree less than shared units. The values
// that isShare names have shareInterval.
func (o IntervalOptions) jackknifeIntervals(u samplingUnits, unitName string, s parallelStatistic, isShare func(n int) bool, width int) []Interval {
	o = o.WithDefaults()
	estimates := make([]resampleValue, width)
	s.evaluate(estimates)
	values, weights := u.jackknife(s, width, maxJackknifeUnits)
	intervals, shared := make([]Interval, width), u.countShared()
	if shared < u.count() {
		unitName = "shared " + unitName
	}
	for n, e := range estimates {
		i := Interval{Level: o.Level, Units: shared, UnitName: unitName}
		if isShare(n) {
			intervals[n] = i.shareInterval(e.value, values, weights, n)
			continue
		}
		switch fit, undefined := fitJackknife(e.value, values, weights, n, shared); {
		case i.Units < MinIntervalUnits:
			i.Undefined = Reason{Code: TooFewUnits, Min: MinIntervalUnits, UnitName: unitName}
		case undefined != "":
			i.Undefined = Reason{Code: undefined, UnitName: unitName}
		default:
			margin := StudentQuantile((1+o.Level)/2, fit.degrees) * fit.standardError
			i.bias, i.fit = fit.bias, fit.sampling
			i.Low, i.High = -math.Expm1(-(fit.center - margin)), -math.Expm1(-(fit.center + margin))
		}
		intervals[n] = i
	}
	return intervals
}

// fitJackknife returns why there is no fit where leaving out one unit gives full agreement or no
// value, or changes nothing.
func fitJackknife(estimate float64, values [][]resampleValue, weights []float64, n, units int) (fit jackknifeFit, undefined ReasonCode) {
	mean, total, meanValue := 0.0, 0.0, 0.0
	for i, row := range values {
		if row[n].missing != missingNothing || 1-row[n].value < epsilon {
			return jackknifeFit{}, FewDisagreements
		}
		mean, total = mean-weights[i]*math.Log1p(-row[n].value), total+weights[i]
		meanValue += weights[i] * row[n].value
	}
	mean, meanValue = mean/total, meanValue/total
	squares, valueSquares, valueCubes := 0.0, 0.0, 0.0
	for i, row := range values {
		deviation, difference := -math.Log1p(-row[n].value)-mean, meanValue-row[n].value
		squares += weights[i] * deviation * deviation
		valueSquares += weights[i] * difference * difference
		valueCubes += weights[i] * difference * difference * difference
	}
	k := float64(units)
	standardError := func(squares float64) float64 { return math.Sqrt((k - 1) / k * squares) }
	fit = jackknifeFit{-math.Log1p(-estimate), standardError(squares), k - 1, (k - 1) * (meanValue - estimate), samplingFit{}}
	fit.sampling = samplingFit{estimate - fit.bias, standardError(valueSquares), valueCubes / (6 * math.Pow(valueSquares, 1.5))}
	switch {
	case 1-estimate <= epsilon:
		return jackknifeFit{}, FewDisagreements
	case fit.standardError <= epsilon:
		return jackknifeFit{}, ConstantResamples
	}
	return fit, ""
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
