package stats

// newNamedUnits returns the sampling units of items with named clusters, and the plural
// name of the units.
func newNamedUnits(patternOf []int32, patternCount int, clusterOf []string, unitName string) (samplingUnits, string) {
	if clusterOf == nil {
		return newSamplingUnits(patternOf, nil, patternCount, 0), unitName
	}
	numbers, clusterCount := numberNames(clusterOf)
	return newSamplingUnits(patternOf, numbers, patternCount, clusterCount), "clusters of " + unitName
}

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

// MeanInterval returns the interval of the mean of the values, Expanded by default.
// unitName is the plural name of the items, such as "queries". clusterOf names the cluster of each item; nil: none.
func MeanInterval(values []float64, clusterOf []string, unitName string, o IntervalOptions) Interval {
	return bootstrapMean(values, nil, clusterOf, unitName, o)
}

// bootstrapMean returns the interval of the mean or, if isSecond is given, of the mean of
// the second values − the mean of the others.
func bootstrapMean(values []float64, isSecond []bool, clusterOf []string, unitName string, o IntervalOptions) Interval {
	if o.Method == "" {
		o.Method = Expanded
	}
	if len(values) == 0 {
		return Interval{Undefined: Reason{Code: NoFigure}}
	}
	n := len(values)
	patternOf, stat := make([]int32, n), &meanStatistic{}
	patternIndex := map[meanItem]int32{}
	for i, v := range values {
		item := meanItem{v, isSecond != nil && isSecond[i]}
		k, seen := patternIndex[item]
		if !seen {
			k = int32(len(stat.patterns))
			patternIndex[item] = k
			stat.patterns = append(stat.patterns, item)
		}
		patternOf[i] = k
		stat.add(k, 1)
	}
	stat.isContrast = isSecond != nil
	units, unitName := newNamedUnits(patternOf, len(stat.patterns), clusterOf, unitName)
	if units.count() < MinIntervalUnits {
		return Interval{Undefined: Reason{Code: TooFewUnits, Min: MinIntervalUnits, UnitName: unitName},
			Level: o.WithDefaults().Level, Units: units.count(), UnitName: unitName}
	}
	return o.computeIntervals(units, unitName, stat, 1)[0]
}

// MinIntervalUnits is the number of items or clusters from which intervals of means and of
// coefficients cover as they should; see TestMeanInterval_FewUnits_CoversTruth and
// TestJackknife_CoversTruth.
const MinIntervalUnits = 10

// meanItem is an item as a mean sees it.
type meanItem struct {
	value    float64
	isSecond bool
}

// meanStatistic is the mean of values, or the difference of two means.
type meanStatistic struct {
	patterns      []meanItem
	isContrast    bool
	sums, weights [2]float64
}

func (m *meanStatistic) newEmpty() statistic {
	return &meanStatistic{patterns: m.patterns, isContrast: m.isContrast}
}
func (m *meanStatistic) clear() { m.sums, m.weights = [2]float64{}, [2]float64{} }

func (m *meanStatistic) add(pattern int32, weight float64) {
	item := m.patterns[pattern]
	side := int(boolToFloat(item.isSecond))
	m.sums[side], m.weights[side] = m.sums[side]+weight*item.value, m.weights[side]+weight
}

func (m *meanStatistic) evaluate(into []resampleValue) {
	switch {
	case m.weights[0] < epsilon || m.isContrast && m.weights[1] < epsilon:
		into[0] = resampleValue{missing: missingOverlap}
	case !m.isContrast:
		into[0] = resampleValue{value: m.sums[0] / m.weights[0]}
	default:
		into[0] = resampleValue{value: m.sums[1]/m.weights[1] - m.sums[0]/m.weights[0]}
	}
}
