package stats

// BootstrapInterval returns the interval of any figure of n items. value computes it
// with item i counted times[i] times, and says false where it has no value;
// what names the items ("queries"). cluster names what each item shares with
// others; nil where every item stands alone.
func BootstrapInterval(n int, cluster []string, unitName string, o IntervalOptions, value func(times []float64) (float64, bool)) Interval {
	patternOf := make([]int32, n)
	stat := funcStatistic{counts: make([]float64, n), compute: value}
	for i := range patternOf {
		patternOf[i] = int32(i)
		stat.counts[i] = 1
	}
	if _, ok := value(stat.counts); !ok {
		return Interval{Undefined: "there is no figure to be sure of"}
	}
	clusterOf, clusters := numberNames(cluster)
	if cluster != nil {
		unitName = "clusters of " + unitName
	}
	return o.computeIntervals(newSamplingUnits(patternOf, clusterOf, n, clusters), unitName, stat, 1)[0]
}

// funcStatistic is a statistic of how often each item was drawn.
type funcStatistic struct {
	counts  []float64
	compute func(times []float64) (float64, bool)
}

func (c funcStatistic) newEmpty() statistic {
	return funcStatistic{make([]float64, len(c.counts)), c.compute}
}
func (c funcStatistic) clear()                         { clear(c.counts) }
func (c funcStatistic) add(item int32, weight float64) { c.counts[item] += weight }

func (c funcStatistic) evaluate(into []resampleValue) {
	v, ok := c.compute(c.counts)
	into[0] = resampleValue{value: v}
	if !ok {
		into[0].missing = missingOverlap
	}
}

// numberNames gives each distinct name a number, in order of appearance.
func numberNames(names []string) ([]int32, int) {
	if names == nil {
		return nil, 0
	}
	x := nameIndex{numbers: map[string]int32{}}
	numbers := make([]int32, len(names))
	for i, name := range names {
		numbers[i] = x.assignNumber(name)
	}
	return numbers, len(x.names)
}

// MeanInterval is the interval of the mean of the values, Expanded unless another
// Method is asked for; cluster and what are BootstrapInterval's.
func MeanInterval(values []float64, cluster []string, unitName string, o IntervalOptions) Interval {
	return bootstrapMean(values, nil, cluster, unitName, o)
}

// bootstrapMean is that of the mean of the values, or where second is given of the
// mean of the second ones less that of the others.
func bootstrapMean(values []float64, isSecond []bool, cluster []string, unitName string, o IntervalOptions) Interval {
	if o.Method == "" {
		o.Method = Expanded
	}
	n := len(values)
	if n == 0 {
		return Interval{Undefined: "there is no figure to be sure of"}
	}
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
	clusterOf, clusters := numberNames(cluster)
	if cluster != nil {
		unitName = "clusters of " + unitName
	}
	return o.computeIntervals(newSamplingUnits(patternOf, clusterOf, len(stat.patterns), clusters), unitName, stat, 1)[0]
}

// meanItem is what a mean needs to know of an item.
type meanItem struct {
	value    float64
	isSecond bool
}

// meanStatistic is the statistic of the mean of values, or of the difference of two.
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
