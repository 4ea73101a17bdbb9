package stats

import "slices"

// An Estimate is a coefficient with its interval.
type Estimate struct {
	Coefficient, Variant string
	PointEstimate
	Interval Interval
}

// Unbiased returns the value without the bias that the jackknife estimates; false without a
// jackknife interval.
func (e Estimate) Unbiased() (float64, bool) {
	return e.Value - e.Interval.bias, e.Interval.Defined() && e.Interval.bias != 0
}

// ComputeEstimates returns the estimates of the measures on t, in order. All use the same
// resamples, so their intervals are comparable.
func ComputeEstimates(t RatingTable, o IntervalOptions, measures ...Measure) []Estimate {
	o = o.WithDefaults()
	found := make([]Estimate, len(measures))
	hasTooManyPairs := slices.ContainsFunc(measures, func(m Measure) bool { return m.needsPairs }) &&
		t.hasTooManyPairs()
	for _, byAnnotator := range []bool{false, true} {
		var indexes []int
		for i, m := range measures {
			if m.needsPairs && hasTooManyPairs {
				f := m.countBasis(t)
				f.Undefined = Reason{Code: TooManyPairs}
				found[i] = Estimate{m.Coefficient, m.Variant, f, Interval{Undefined: f.Undefined}}
				continue
			}
			if m.needsAnnotators == byAnnotator {
				indexes = append(indexes, i)
			}
		}
		if len(indexes) > 0 {
			fillEstimates(t, o, byAnnotator, measures, indexes, found)
		}
	}
	return found
}

// fillEstimates sets the estimates at the given indexes, which need the same sums.
func fillEstimates(t RatingTable, o IntervalOptions, byAnnotator bool, measures []Measure, indexes []int,
	found []Estimate) {
	byPair := slices.ContainsFunc(indexes, func(index int) bool { return measures[index].needsPairs })
	sums := newAgreementSums(t, byAnnotator, byPair).addAll()
	resampledStatistic, jackknifedStatistic := measureStatistic{agreementSums: sums},
		measureStatistic{agreementSums: sums}
	var resampled, jackknifed []int
	for _, index := range indexes {
		m := measures[index]
		f := m.computeFrom(t, sums)
		found[index] = Estimate{m.Coefficient, m.Variant, f, Interval{Undefined: f.Undefined}}
		switch method := m.intervalMethod(o, t); {
		case !f.Defined():
		case method == Jackknife || method == Share:
			jackknifedStatistic.measures, jackknifed = append(jackknifedStatistic.measures, m),
				append(jackknifed, index)
		default:
			resampledStatistic.measures, resampled = append(resampledStatistic.measures, m), append(resampled, index)
		}
	}
	u := newSamplingUnits(sums.patterns.patternOf, t.clusterOf, len(sums.patterns.itemCounts), t.clusterCount)
	u.single = sums.patterns.single()
	if len(jackknifed) > 0 {
		intervals := o.jackknifeIntervals(u, jackknifedStatistic, func(n int) bool {
			return jackknifedStatistic.measures[n].intervalMethod(o, t) == Share
		})
		for n, interval := range intervals {
			found[jackknifed[n]].Interval = interval
		}
	}
	if len(resampled) == 0 {
		return
	}
	if shared := u.countShared(); shared < MinIntervalUnits { // the same as for the coefficients of the jackknife
		for _, index := range resampled {
			found[index].Interval = u.sharedInterval(o)
			found[index].Interval.Undefined = Reason{Code: TooFewUnits, Min: MinIntervalUnits}
		}
	} else {
		for n, interval := range o.computeIntervals(u, resampledStatistic, len(resampled)) {
			found[resampled[n]].Interval = interval
		}
	}
}

// measureStatistic evaluates several measures on the same sums.
type measureStatistic struct {
	*agreementSums
	measures []Measure
}

func (m measureStatistic) evaluate(into []resampleValue) {
	for i, measure := range m.measures {
		into[i].value, into[i].missing = measure.value(m.agreementSums)
		if measure.isKappa && into[i].missing == missingVariation {
			into[i].missing = missingKappaVariation
		}
	}
}

func (m measureStatistic) newEmpty() statistic {
	return measureStatistic{m.agreementSums.newEmpty(), m.measures}
}
