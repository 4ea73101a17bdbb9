package stats

import "slices"

// An Estimate is a coefficient with its interval.
type Estimate struct {
	Coefficient, Variant string
	PointEstimate
	Interval Interval
}

// ComputeEstimates returns the estimates of the measures on t, in order. All use the same
// resamples, so their intervals are comparable.
func ComputeEstimates(t RatingTable, o IntervalOptions, measures ...Measure) []Estimate {
	o = o.WithDefaults()
	found := make([]Estimate, len(measures))
	for _, byAnnotator := range []bool{false, true} {
		var indexes []int
		for i, m := range measures {
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
func fillEstimates(t RatingTable, o IntervalOptions, byAnnotator bool, measures []Measure, indexes []int, found []Estimate) {
	byPair := slices.ContainsFunc(indexes, func(index int) bool { return measures[index].needsPairs })
	sums := newAgreementSums(t, byAnnotator, byPair).addAll()
	definedStatistic := measureStatistic{agreementSums: sums}
	var resampled []int
	for _, index := range indexes {
		m := measures[index]
		f := m.computeFrom(t, sums)
		found[index] = Estimate{m.Coefficient, m.Variant, f, Interval{Undefined: f.Undefined}}
		if f.Defined() {
			definedStatistic.measures, resampled = append(definedStatistic.measures, m), append(resampled, index)
		}
	}
	if len(resampled) == 0 {
		return
	}
	u := newSamplingUnits(sums.patterns.patternOf, t.clusterOf, len(sums.patterns.itemCounts), t.clusterCount)
	intervals := o.computeIntervals(u, t.unitName(), definedStatistic, len(resampled))
	for n, index := range resampled {
		found[index].Interval = intervals[n]
	}
}

func (t RatingTable) unitName() string {
	if t.clusterOf == nil {
		return "items"
	}
	return "clusters"
}

// measureStatistic evaluates several measures on the same sums.
type measureStatistic struct {
	*agreementSums
	measures []Measure
}

func (m measureStatistic) evaluate(into []resampleValue) {
	for i, measure := range m.measures {
		into[i].value, into[i].missing = measure.value(m.agreementSums)
	}
}

func (m measureStatistic) newEmpty() statistic {
	return measureStatistic{m.agreementSums.newEmpty(), m.measures}
}
