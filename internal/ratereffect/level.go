package ratereffect

import (
	"math"

	"github.com/labelwright/labelwright/internal/stats"
)

// The habits of level: where an annotator's scores lie against those that others
// gave the same items. All values are shares of the scale, averaged over fields.

const (
	earlyItems  = 10.0 // what anchoring takes as the first items
	fatigueSpan = 30.0 // the stretch between breaks that fatigue is told for
)

// epsilon is above the rounding error of a sum that is zero.
const epsilon = 1e-11

// Of many items a few hundred resamples will do: their interval is narrow beside
// the margins that habits are held against.
const (
	minResamples  = 200
	maxDrawnItems = 2_000_000 // items, in all resamples of an interval
)

// measureLeniency is the mean distance from the others on the same items.
func measureLeniency(c *labelSet, own []int, o stats.IntervalOptions) measurement {
	_, deviations := c.meanDeviations(c.labelsOnSharedItems(own))
	if len(deviations) == 0 {
		return measurement{undefined: "nobody else has judged the same items"}
	}
	return measurementFromItems(len(deviations), o, func(times []float64) (float64, bool) { return stats.WeightedMean(deviations, times) })
}

// measureAnchoring is the mean distance on the first ten items less that on the rest.
func measureAnchoring(c *labelSet, own []int, o stats.IntervalOptions) measurement {
	labels, deviations := c.meanDeviations(own)
	if len(deviations) <= earlyItems {
		return measurement{undefined: explainTooFewItems(len(deviations), earlyItems*3)}
	}
	return measurementFromItems(len(deviations), o, func(times []float64) (float64, bool) {
		var sum, n [2]float64
		for i, l := range labels {
			part := 0
			if float64(c.labels[l].Position) > earlyItems {
				part = 1
			}
			sum[part], n[part] = sum[part]+times[i]*deviations[i], n[part]+times[i]
		}
		return sum[0]/n[0] - sum[1]/n[1], n[0] > 0 && n[1] > 0
	})
}

// measureFatigue is the slope of the distance on the items done since the last
// break, told for a stretch of thirty.
func measureFatigue(c *labelSet, own []int, o stats.IntervalOptions) measurement {
	labels, deviations := c.meanDeviations(own)
	itemsSinceBreak := make([]float64, len(labels))
	for i, l := range labels {
		itemsSinceBreak[i] = float64(c.labels[l].ItemsSinceBreak)
	}
	if standardDeviation(itemsSinceBreak) < 3 {
		return measurement{undefined: "there are breaks after so few items that a drift between them cannot show"}
	}
	return measurementFromItems(len(deviations), o, func(times []float64) (float64, bool) {
		perItem, ok := regressionSlope(itemsSinceBreak, deviations, times)
		return perItem * fatigueSpan, ok
	})
}

// measureLengthBias is the slope of the distance on the logarithm of the length, told
// for one standard deviation of it.
func measureLengthBias(c *labelSet, own []int, o stats.IntervalOptions) measurement {
	labels, deviations := c.meanDeviations(c.labelsOnSharedItems(own))
	logLengths := make([]float64, len(labels))
	for i, l := range labels {
		logLengths[i] = math.Log(max(c.labels[l].TextLength, 1))
	}
	sd := standardDeviation(logLengths)
	if sd < 0.1 {
		return measurement{undefined: "the texts are all of one length"}
	}
	return measurementFromItems(len(deviations), o, func(times []float64) (float64, bool) {
		perLogUnit, ok := regressionSlope(logLengths, deviations, times)
		return perLogUnit * sd, ok
	})
}

// labelsOnSharedItems returns the labels of items that somebody else judged too.
func (c *labelSet) labelsOnSharedItems(own []int) []int {
	var found []int
	for _, l := range own {
		if len(c.labelsByItem[c.itemOf[l]]) > 1 {
			found = append(found, l)
		}
	}
	return found
}

// measurementFromItems reads a value of n items with its bootstrap interval.
func measurementFromItems(n int, o stats.IntervalOptions, value func(times []float64) (float64, bool)) measurement {
	once := make([]float64, n)
	for i := range once {
		once[i] = 1
	}
	v, ok := value(once)
	if !ok {
		return measurement{itemCount: n, undefined: "the items do not vary enough to show it"}
	}
	o.Method, o.Resamples = stats.Percentile, min(o.Resamples, max(minResamples, maxDrawnItems/n))
	return measurement{value: v, itemCount: n, interval: stats.BootstrapInterval(n, nil, "items", o, value)}
}

// regressionSlope is the least-squares slope of y on x, each point counted times; false
// where x does not vary.
func regressionSlope(x, y, weights []float64) (float64, bool) {
	meanX, ok := stats.WeightedMean(x, weights)
	meanY, _ := stats.WeightedMean(y, weights)
	if !ok {
		return 0, false
	}
	covariance, variance := 0.0, 0.0
	for i := range x {
		covariance += weights[i] * (x[i] - meanX) * (y[i] - meanY)
		variance += weights[i] * (x[i] - meanX) * (x[i] - meanX)
	}
	return covariance / variance, variance > epsilon
}

// standardDeviation is the standard deviation of the values.
func standardDeviation(values []float64) float64 {
	mean, squares := 0.0, 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return math.Sqrt(squares / max(float64(len(values)), 1))
}
