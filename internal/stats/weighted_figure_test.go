package stats

// BootstrapInterval returns the interval of any figure of n items. value computes it with item i weighted weights[i]
// times, or returns false.
func BootstrapInterval(n int, o IntervalOptions, value func(weights []float64) (float64, bool)) Interval {
	patternOf := make([]int32, n)
	stat := weightedFigure{make([]float64, n), value}
	for i := range patternOf {
		patternOf[i], stat.weights[i] = int32(i), 1
	}
	if _, ok := value(stat.weights); !ok {
		return Interval{Undefined: Reason{Code: NoFigure}}
	}
	return o.computeIntervals(newNamedUnits(patternOf, n, nil), stat, 1)[0]
}

// A weightedFigure is a figure computed from the weight of each item.
type weightedFigure struct {
	weights []float64
	value   func(weights []float64) (float64, bool)
}

func (f weightedFigure) newEmpty() statistic {
	return weightedFigure{make([]float64, len(f.weights)), f.value}
}
func (f weightedFigure) clear()                         { clear(f.weights) }
func (f weightedFigure) add(item int32, weight float64) { f.weights[item] += weight }

func (f weightedFigure) evaluate(into []resampleValue) {
	v, ok := f.value(f.weights)
	if into[0] = (resampleValue{value: v}); !ok {
		into[0].missing = missingOverlap
	}
}

// weightedMean returns the weighted mean; false if the weights sum to 0.
func weightedMean(values, weights []float64) (float64, bool) {
	sum, n := 0.0, 0.0
	for i, v := range values {
		sum, n = sum+weights[i]*v, n+weights[i]
	}
	if n == 0 {
		return 0, false
	}
	return sum / n, true
}
