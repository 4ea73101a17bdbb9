package ratereffect

import (
	"math"
)

// A trend is how the deviations of annotators change with a property of their labels, such as its position. It is
// removed from the answers of the others, so that an annotator with a trend does not give the others the opposite one.
type trend struct {
	property func(label int32) float64
	slopes   []float64 // annotator → change of the deviation for one unit, median 0
	means    []float64 // annotator → mean of the property
	itemSums []float64 // item → sum of what the trend adds to its labels
}

// trendProperties are the properties of effects that are trends.
var trendProperties = map[Effect]func(c *labelSet, label int32) float64{
	AnchoringEffect: func(c *labelSet, l int32) float64 { return float64(isTrue(float64(c.Position(l)) <= earlyItems)) },
	FatigueDrift:    func(c *labelSet, l int32) float64 { return float64(c.ItemsSinceBreak(l)) },
	LengthBias:      func(c *labelSet, l int32) float64 { return math.Log(max(c.TextLength(l), 1)) },
}

// trendRounds is the number of rounds of fitTrend, of which the last ones hardly change anything.
const trendRounds = 20

// fitTrends sets trends.
func (c *labelSet) fitTrends() {
	fitted := make([]trend, len(effectSpecs))
	inParallel(len(effectSpecs), func(n int) {
		if property := trendProperties[effectSpecs[n].effect]; property != nil {
			fitted[n] = c.fitTrend(func(label int32) float64 { return property(c, label) }, effectSpecs[n].minItems)
		}
	})
	c.trends = map[Effect]trend{}
	for n, spec := range effectSpecs {
		if fitted[n].property != nil {
			c.trends[spec.effect] = fitted[n]
		}
	}
}

// fitTrend estimates the trend of each annotator with enough items, by least squares on the deviations from the
// others without their trends, again and again. Of two annotators who share items only with each other, it is not known
// whose trend it is: both stay without one, so that their whole difference shows.
func (c *labelSet) fitTrend(property func(label int32) float64, minItems int) trend {
	t := trend{property: property, slopes: make([]float64, len(c.Annotators)), means: make([]float64, len(c.Annotators)), itemSums: make([]float64, len(c.byItem.start)-1)}
	squares := make([]float64, len(c.Annotators))
	for g, own := range c.labelsByAnnotator {
		t.means[g], squares[g] = c.spreadOf(own, property, minItems)
	}
	for range trendRounds {
		next := make([]float64, len(t.slopes))
		for g, own := range c.labelsByAnnotator {
			products := 0.0
			for _, l := range own {
				if d, ok := c.meanDeviation(l); ok {
					products += (property(l) - t.means[g]) * (d + c.othersTrend(t, l))
				}
			}
			next[g] = math.NaN()
			if squares[g] > epsilon {
				next[g] = (products/squares[g] + t.slopes[g]) / 2
			}
		}
		t.slopes = c.centerOnOthers(next)
		c.sumTrend(&t)
	}
	return t
}

// spreadOf returns the mean of a property over an annotator's compared labels, and the sum of squared differences
// from it; 0 with fewer labels than minItems.
func (c *labelSet) spreadOf(own []int32, property func(label int32) float64, minItems int) (mean, squares float64) {
	n := 0.0
	for _, l := range own {
		if _, ok := c.meanDeviation(l); ok {
			n, mean = n+1, mean+property(l)
		}
	}
	mean /= max(n, 1)
	if n < float64(minItems) {
		return mean, 0
	}
	for _, l := range own {
		if _, ok := c.meanDeviation(l); ok {
			squares += (property(l) - mean) * (property(l) - mean)
		}
	}
	return mean, squares
}

// sumTrend sets itemSums.
func (c *labelSet) sumTrend(t *trend) {
	clear(t.itemSums)
	for g, slope := range t.slopes {
		if slope == 0 {
			continue
		}
		for _, l := range c.labelsByAnnotator[g] {
			t.itemSums[c.ItemOf[l]] += slope * (t.property(l) - t.means[g])
		}
	}
}

// othersTrend returns the mean of what the trend adds to the other labels of the same item.
func (c *labelSet) othersTrend(t trend, label int32) float64 {
	item, g := c.ItemOf[label], c.AnnotatorOf[label]
	others := c.byItem.start[item+1] - c.byItem.start[item] - 1
	return (t.itemSums[item] - t.slopes[g]*(t.property(label)-t.means[g])) / max(float64(others), 1)
}

// deviationsFromTrend returns the labels that have a mean deviation, and these without the trends of the others; of
// known answers, which have none, as they are.
func (c *labelSet) deviationsFromTrend(effect Effect, own []int32) (labels []int32, deviations []float64) {
	labels, deviations = c.meanDeviations(own)
	t, ok := c.trends[effect]
	if !ok {
		return labels, deviations
	}
	for i, l := range labels {
		deviations[i] += c.othersTrend(t, l)
	}
	return labels, deviations
}

// findOnlyOthers sets onlyOther.
func (c *labelSet) findOnlyOthers() {
	const none, several = -1, -2
	c.onlyOther = make([]int32, len(c.Annotators))
	for g, own := range c.labelsByAnnotator {
		c.onlyOther[g] = none
		c.visitShared(own, func(_, other int32) {
			if o := c.AnnotatorOf[other]; c.onlyOther[g] == none {
				c.onlyOther[g] = o
			} else if c.onlyOther[g] != o {
				c.onlyOther[g] = several
			}
		})
	}
	for g, other := range c.onlyOther {
		if other >= 0 && c.onlyOther[other] != int32(g) {
			c.onlyOther[g] = several // the other one is compared with third ones
		}
	}
}

// isOneOfTwo reports whether an annotator and another one share items only with each other. No comparison can tell
// which of the two is unusual.
func (c *labelSet) isOneOfTwo(annotator int) bool { return c.onlyOther[annotator] >= 0 }

// centerOnOthers subtracts the median from the values, replaces NaN by 0, and gives 0 to annotators whom nothing but
// one other can show.
func (c *labelSet) centerOnOthers(values []float64) []float64 {
	centered := centerOnMedian(values)
	for g := range centered {
		if c.isOneOfTwo(g) {
			centered[g] = 0
		}
	}
	return centered
}
