package ratereffect

import (
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// Effects on the level of scores, compared with the others on the same items. All values
// are shares of the scale, averaged over fields.

const (
	earlyItems  = 10.0 // the first items, for the anchoring effect
	fatigueSpan = 30.0 // the items without a break over which fatigue drift is stated
)

// minEarlyItems is the number of the first items with labels of others, or with known answers, that the
// anchoring effect needs.
const minEarlyItems = 5

// epsilon is above the rounding error of a sum that is zero.
const epsilon = 1e-11

// With many items, a few hundred resamples suffice: the interval is narrow relative to the
// tolerances.
const (
	minResamples  = 200
	maxDrawnItems = 2_000_000 // items over all resamples of an interval
)

// measureLeniency returns the mean deviation.
func measureLeniency(c *labelSet, own []int32) measurement {
	_, deviations := c.meanDeviations(own)
	if len(deviations) == 0 {
		return measurement{undefined: NoSharedItems}
	}
	return measurementFromItems(len(deviations), func(weights []float64) (float64, bool) { return stats.WeightedMean(deviations, weights) })
}

// measureAnchoring returns the mean deviation on the first items − that on the others.
func measureAnchoring(c *labelSet, own []int32) measurement {
	labels, deviations := c.deviationsFromTrend(AnchoringEffect, own)
	if len(deviations) == 0 {
		return measurement{undefined: NoSharedItems}
	}
	parts, later := make([]uint8, len(labels)), 0
	for i, l := range labels {
		if float64(c.Position(l)) > earlyItems {
			parts[i] = 1
			later++
		}
	}
	switch {
	case later == 0:
		return measurement{itemCount: len(deviations), undefined: TooFewItems}
	case len(labels)-later < minEarlyItems:
		return measurement{itemCount: len(deviations), undefined: TooFewEarlyItems}
	}
	return measurementFromItems(len(deviations), func(weights []float64) (float64, bool) {
		var sum, n [2]float64
		for i, part := range parts {
			sum[part], n[part] = sum[part]+weights[i]*deviations[i], n[part]+weights[i]
		}
		return sum[0]/n[0] - sum[1]/n[1], n[0] > 0 && n[1] > 0
	})
}

// measureFatigue returns the slope of the deviation over the items since the last break,
// scaled to fatigueSpan items.
func measureFatigue(c *labelSet, own []int32) measurement {
	labels, deviations := c.deviationsFromTrend(FatigueDrift, own)
	if len(labels) == 0 {
		return measurement{undefined: NoSharedItems}
	}
	itemsSinceBreak := make([]float64, len(labels))
	for i, l := range labels {
		itemsSinceBreak[i] = float64(c.ItemsSinceBreak(l))
	}
	if standardDeviation(itemsSinceBreak) < 3 {
		return measurement{undefined: ShortWorkPeriods}
	}
	return measurementFromItems(len(deviations), func(weights []float64) (float64, bool) {
		perItem, ok := regressionSlope(itemsSinceBreak, deviations, weights)
		return perItem * fatigueSpan, ok
	})
}

// measureLengthBias returns the slope of the deviation over the logarithm of the length,
// scaled to one standard deviation of it.
func measureLengthBias(c *labelSet, own []int32) measurement {
	labels, deviations := c.deviationsFromTrend(LengthBias, own)
	if len(labels) == 0 {
		return measurement{undefined: NoSharedItems}
	}
	logLengths := make([]float64, len(labels))
	for i, l := range labels {
		logLengths[i] = math.Log(max(c.TextLength(l), 1))
	}
	sd := standardDeviation(logLengths)
	if sd < 0.1 {
		return measurement{undefined: EqualTextLengths}
	}
	return measurementFromItems(len(deviations), func(weights []float64) (float64, bool) {
		perLogUnit, ok := regressionSlope(logLengths, deviations, weights)
		return perLogUnit * sd, ok
	})
}

// measurementFromItems returns a value of n items, of which addIntervals resamples the figure.
func measurementFromItems(n int, figure stats.WeightedFigure) measurement {
	v, ok := figure(ones(n))
	if !ok {
		return measurement{itemCount: n, undefined: ConstantAnswers}
	}
	return measurement{value: v, itemCount: n, figure: figure}
}

// ones returns n equal weights.
func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// addIntervals adds the bootstrap intervals of one annotator's figures. Those of as many items
// use the same resamples.
func addIntervals(measurements []*measurement, o stats.IntervalOptions) {
	bySize := map[int][]*measurement{}
	for _, m := range measurements {
		if m.figure != nil && m.undefined == "" {
			bySize[m.itemCount] = append(bySize[m.itemCount], m)
		}
	}
	for n, list := range bySize {
		figures := make([]stats.WeightedFigure, len(list))
		for i, m := range list {
			figures[i], m.figure = m.figure, nil
		}
		o := o
		o.Method, o.Resamples = stats.Percentile, min(o.Resamples, max(minResamples, maxDrawnItems/n))
		for i, interval := range stats.BootstrapIntervals(n, nil, "items", o, figures) {
			list[i].interval = interval
		}
	}
}

// regressionSlope returns the weighted least-squares slope of y on x; false if x does not
// vary.
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
