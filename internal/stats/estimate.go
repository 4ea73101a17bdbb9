package stats

import "slices"

// An Estimate is the figure of a measure with its interval.
type Estimate struct {
	Coefficient, Variant string
	Figure
	Interval Interval
}

// Estimates returns the measures of t in their order. All of them see the same
// resamples, so that their intervals can be read side by side.
func Estimates(t Table, o Options, measures ...Measure) []Estimate {
	o = o.complete()
	found := make([]Estimate, len(measures))
	for _, byAnnotator := range []bool{false, true} {
		var places []int
		for i, m := range measures {
			if m.byAnnotator == byAnnotator {
				places = append(places, i)
			}
		}
		if len(places) > 0 {
			estimate(t, o, byAnnotator, measures, places, found)
		}
	}
	return found
}

// estimate fills in the measures at the given places, all of one kind of sums.
func estimate(t Table, o Options, byAnnotator bool, measures []Measure, places []int, found []Estimate) {
	byPair := slices.ContainsFunc(places, func(place int) bool { return measures[place].byPair })
	sums := sumsOf(t, byAnnotator, byPair).all()
	defined := measured{sums: sums}
	var resampled []int
	for _, place := range places {
		m := measures[place]
		f := m.figure(t, sums)
		found[place] = Estimate{m.Coefficient, m.Variant, f, Interval{Undefined: f.Undefined}}
		if f.Defined() {
			defined.measures, resampled = append(defined.measures, m), append(resampled, place)
		}
	}
	if len(resampled) == 0 {
		return
	}
	u := unitsOf(sums.kinds.of, t.cluster, len(sums.kinds.weight), t.clusters)
	intervals := o.intervals(u, t.unitName(), defined, len(resampled))
	for n, place := range resampled {
		found[place].Interval = intervals[n]
	}
}

func (t Table) unitName() string {
	if t.cluster == nil {
		return "items"
	}
	return "clusters"
}

// measured is the statistic of several measures on the same sums.
type measured struct {
	*sums
	measures []Measure
}

func (m measured) values(into []drawn) {
	for i, measure := range m.measures {
		into[i].value, into[i].lacks = measure.value(m.sums)
	}
}

func (m measured) like() statistic { return measured{m.sums.like(), m.measures} }
