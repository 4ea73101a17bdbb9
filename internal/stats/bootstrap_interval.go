package stats

// numberNames numbers the distinct names in order of appearance.
func numberNames(names []string) ([]int32, int) {
	numberOf, numbers := map[string]int32{}, make([]int32, len(names))
	for i, name := range names {
		n, isKnown := numberOf[name]
		if !isKnown {
			n = int32(len(numberOf))
			numberOf[name] = n
		}
		numbers[i] = n
	}
	return numbers, len(numberOf)
}

// MeanInterval returns the interval of the mean of the values, Expanded by default. clusterOf names the cluster of each
// value; nil: none.
func MeanInterval(values []float64, clusterOf []string, o IntervalOptions) Interval {
	if o.Method == "" {
		o.Method = Expanded
	}
	if len(values) == 0 {
		return Interval{Undefined: Reason{Code: NoFigure}}
	}
	patternOf, stat, patternIndex := make([]int32, len(values)), &meanStatistic{}, map[float64]int32{}
	for i, v := range values {
		k, seen := patternIndex[v]
		if !seen {
			k = int32(len(stat.values))
			patternIndex[v], stat.values = k, append(stat.values, v)
		}
		patternOf[i] = k
		stat.add(k, 1)
	}
	units := newNamedUnits(patternOf, len(stat.values), clusterOf)
	if units.count() < MinIntervalUnits {
		i := units.interval(o)
		i.Undefined = Reason{Code: TooFewUnits, Min: MinIntervalUnits}
		return i
	}
	return o.computeIntervals(units, stat, 1)[0]
}

// newNamedUnits returns the sampling units of values with named clusters.
func newNamedUnits(patternOf []int32, patternCount int, clusterOf []string) samplingUnits {
	if clusterOf == nil {
		return newSamplingUnits(patternOf, nil, patternCount, 0)
	}
	numbers, clusterCount := numberNames(clusterOf)
	return newSamplingUnits(patternOf, numbers, patternCount, clusterCount)
}

// MinIntervalUnits is the number of items or clusters from which intervals of means and of coefficients cover as they
// should; see studies/interval.
const MinIntervalUnits = 10

// meanStatistic is the mean of values.
type meanStatistic struct {
	values      []float64 // distinct
	sum, weight float64
}

func (m *meanStatistic) newEmpty() statistic { return &meanStatistic{values: m.values} }
func (m *meanStatistic) clear()              { m.sum, m.weight = 0, 0 }

func (m *meanStatistic) add(pattern int32, weight float64) {
	m.sum, m.weight = m.sum+weight*m.values[pattern], m.weight+weight
}

func (m *meanStatistic) evaluate(into []resampleValue) {
	if into[0] = (resampleValue{missing: missingOverlap}); m.weight >= epsilon {
		into[0] = resampleValue{value: m.sum / m.weight}
	}
}
