package stats

import "math"

// A BlandAltmanAnalysis compares two scores of the same items, second − first (Bland &
// Altman 1986, Lancet 327). 95% of the differences are expected within the limits.
type BlandAltmanAnalysis struct {
	ItemCount              int
	Undefined              Reason
	Bias, SD               float64 // mean and standard deviation of the differences
	LowerLimit, UpperLimit float64 // limits of agreement, bias ± 1.96 SD
	BiasInterval           Interval
	Points                 []BlandAltmanPoint
}

// A BlandAltmanPoint is the mean and the difference of one item's scores.
type BlandAltmanPoint struct{ Mean, Difference float64 }

// AnalyzeBlandAltman compares the scores of the same items, in the same order.
func AnalyzeBlandAltman(first, second []float64) BlandAltmanAnalysis {
	b := BlandAltmanAnalysis{ItemCount: min(len(first), len(second))}
	if b.ItemCount < 3 {
		b.Undefined = Reason{Code: TooFewItems, Min: 3}
		b.BiasInterval.Undefined = b.Undefined
		return b
	}
	n := float64(b.ItemCount)
	for i, score := range first[:b.ItemCount] {
		p := BlandAltmanPoint{(score + second[i]) / 2, second[i] - score}
		b.Points = append(b.Points, p)
		b.Bias += p.Difference / n
	}
	for _, p := range b.Points {
		b.SD += (p.Difference - b.Bias) * (p.Difference - b.Bias) / (n - 1)
	}
	b.SD = math.Sqrt(b.SD)
	b.LowerLimit, b.UpperLimit = b.Bias-1.96*b.SD, b.Bias+1.96*b.SD
	b.BiasInterval = b.tInterval(b.Bias, b.SD/math.Sqrt(n))
	return b
}

// tInterval returns the 95% interval of a value with a standard error.
func (b BlandAltmanAnalysis) tInterval(value, standardError float64) Interval {
	margin := StudentQuantile(0.975, float64(b.ItemCount-1)) * standardError
	return Interval{Low: value - margin, High: value + margin, Level: 0.95, Units: b.ItemCount}
}
