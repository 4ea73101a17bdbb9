package stats

// BootstrapInterval returns the interval of any figure of n items. value computes it with
// item i weighted weights[i] times, or returns false. unitName is the plural name of the
// items, such as "queries". clusterOf names the cluster of each item; nil: none.
func BootstrapInterval(n int, clusterOf []string, unitName string, o IntervalOptions, value func(weights []float64) (float64, bool)) Interval {
	return BootstrapIntervals(n, clusterOf, unitName, o, []WeightedFigure{value})[0]
}

// A WeightedFigure computes a figure with item i weighted weights[i] times, or returns false.
type WeightedFigure func(weights []float64) (float64, bool)

// BootstrapIntervals returns the intervals of several figures of the same items, from the same
// resamples. Each is that of BootstrapInterval.
func BootstrapIntervals(n int, clusterOf []string, unitName string, o IntervalOptions, figures []WeightedFigure) []Interval {
	patternOf := make([]int32, n)
	stat := funcStatistic{counts: make([]float64, n)}
	for i := range patternOf {
		patternOf[i] = int32(i)
		stat.counts[i] = 1
	}
	intervals, defined := make([]Interval, len(figures)), []int{}
	for i, figure := range figures {
		if _, ok := figure(stat.counts); ok {
			stat.figures, defined = append(stat.figures, figure), append(defined, i)
		} else {
			intervals[i] = Interval{Undefined: Reason{Code: NoFigure}}
		}
	}
	if len(defined) == 0 {
		return intervals
	}
	units, unitName := newNamedUnits(patternOf, n, clusterOf, unitName)
	for i, interval := range o.computeIntervals(units, unitName, stat, len(defined)) {
		intervals[defined[i]] = interval
	}
	return intervals
}

// funcStatistic is figures computed from the weight of each item.
type funcStatistic struct {
	counts  []float64
	figures []WeightedFigure
}

func (c funcStatistic) newEmpty() statistic {
	return funcStatistic{make([]float64, len(c.counts)), c.figures}
}
func (c funcStatistic) clear()                         { clear(c.counts) }
func (c funcStatistic) add(item int32, weight float64) { c.counts[item] += weight }

func (c funcStatistic) evaluate(into []resampleValue) { c.evaluateWeights(c.counts, into) }

func (c funcStatistic) evaluateWeights(weights []float64, into []resampleValue) {
	for i, figure := range c.figures {
		v, ok := figure(weights)
		into[i] = resampleValue{value: v}
		if !ok {
			into[i].missing = missingOverlap
		}
	}
}

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
// clusterOf and unitName are those of BootstrapInterval.
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
		return Interval{Undefined: Reason{Code: TooFewUnits, Min: MinIntervalUnits, UnitName: unitName}, Level: o.WithDefaults().Level, Units: units.count(), UnitName: unitName}
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

// WeightedMean returns the weighted mean; false if the weights sum to 0.
func WeightedMean(values, weights []float64) (float64, bool) {
	sum, n := 0.0, 0.0
	for i, v := range values {
		sum, n = sum+weights[i]*v, n+weights[i]
	}
	if n == 0 {
		return 0, false
	}
	return sum / n, true
}
