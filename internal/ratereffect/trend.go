package ratereffect

import (
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// A trend is how the deviations of annotators change with a property of their labels, such as its position. It is
// removed from the answers of the others, so that an annotator with a trend does not give the others the opposite one.
type trend struct {
	property func(label int32) float64
	slopes   []float64         // annotator → change of the deviation for one unit, median 0
	means    []float64         // annotator → mean of the property
	itemSums []float64         // item → sum of what the trend adds to its labels
	cohorts  []cohort          // annotators whose trends are told only from each other
	rivals   []OtherAnnotators // annotator → OnePeer or OtherHalf, if it is not known whose trend it is
}

// trendProperties are the properties of effects that are trends.
var trendProperties = map[Effect]func(c *labelSet, label int32) float64{
	AnchoringEffect: func(c *labelSet, l int32) float64 { return float64(isTrue(float64(c.Position(l)) <= earlyItems)) },
	FatigueDrift:    func(c *labelSet, l int32) float64 { return float64(c.ItemsSinceBreak(l)) },
	LengthBias:      func(c *labelSet, l int32) float64 { return math.Log(max(c.TextLength(l), 1)) },
}

// harmlessTrends are the differences between trends that harmless differences of values make, for one unit of the property.
var harmlessTrends = map[Effect]float64{AnchoringEffect: 0.08, FatigueDrift: 0.05 / fatigueSpan, LengthBias: 0.05}

// trendRounds is the number of rounds of fitTrend, of which the last ones hardly change anything.
const trendRounds = 20

// fitTrends sets trends.
func (c *labelSet) fitTrends() {
	fitted := make([]trend, len(effectSpecs))
	inParallel(len(effectSpecs), func(n int) {
		if property := trendProperties[effectSpecs[n].effect]; property != nil {
			fitted[n] = c.fitTrend(func(label int32) float64 { return property(c, label) }, effectSpecs[n].minItems)
			fitted[n].findHalves(harmlessTrends[effectSpecs[n].effect])
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
// others without their trends, again and again. Annotators of a cohort differ from its median. Of two annotators who share
// items only with each other, or are a cohort, it is not known whose trend it is: both stay without one, so that their
// whole difference shows.
func (c *labelSet) fitTrend(property func(label int32) float64, minItems int) trend {
	values := make([]float64, len(c.ItemOf))
	for l := range values {
		values[l] = property(int32(l))
	}
	t := trend{property: func(l int32) float64 { return values[l] }, slopes: make([]float64, len(c.Annotators)), means: make([]float64, len(c.Annotators)), itemSums: make([]float64, len(c.byItem.start)-1)}
	squares := make([]float64, len(c.Annotators))
	for g, own := range c.labelsByAnnotator {
		t.means[g], squares[g] = c.spreadOf(own, t.property, minItems)
	}
	c.findCohorts(&t, squares)
	sums := c.sumSlopes(t, squares)
	for range trendRounds {
		next := make([]float64, len(t.slopes))
		for g, sum := range sums {
			next[g] = (sum.at(t.slopes) + t.slopes[g]) / 2
		}
		t.slopes = c.centerOnCohorts(t, next)
	}
	c.sumTrend(&t)
	t.property = property
	return t
}

// sumSlopes returns the slope of the deviations of each annotator, which depends on the slopes of the others; NaN without enough
// items. Squares are those of annotators with enough items, else 0.
func (c *labelSet) sumSlopes(t trend, squares []float64) []linearSum {
	sums := make([]linearSum, len(squares))
	for g, own := range c.labelsByAnnotator {
		sum := newLinearSum(len(squares))
		if squares[g] <= epsilon {
			sums[g] = sum.dividedBy(0)
			continue
		}
		for _, l := range own {
			d, ok := c.meanDeviation(l)
			if !ok {
				continue
			}
			x, item := t.property(l)-t.means[g], c.byItem.at(c.ItemOf[l])
			sum.constant += x * d
			share := x / max(float64(len(item)-1), 1)
			for _, other := range item {
				if h := c.AnnotatorOf[other]; other != l {
					sum.weights[h] += share * (t.property(other) - t.means[h])
				}
			}
		}
		sums[g] = sum.dividedBy(squares[g])
	}
	return sums
}

// A cohort is annotators in whose labels a property changes with the same items, and who share these items with few others: so
// nothing but each other shows their trends. Those who start with the same items are one, for anchoring.
type cohort []int

const (
	// minCohortCorrelation is the correlation of the property in the labels of two annotators of a cohort.
	minCohortCorrelation = 0.5
	// maxOpenShare is the share of the squared property in labels that are also compared with annotators outside of a cohort.
	maxOpenShare = 0.3
)

// findCohorts sets cohorts, and the rivals of pairs; squares are those of annotators with enough items, else 0.
func (c *labelSet) findCohorts(t *trend, squares []float64) {
	cohortOf := make([]int, len(squares))
	for g := range cohortOf {
		cohortOf[g] = g
	}
	for g, own := range c.labelsByAnnotator {
		if squares[g] <= epsilon {
			continue
		}
		products, ownSquares, otherSquares, shared := make([]float64, len(squares)), make([]float64, len(squares)), make([]float64, len(squares)), make([]int, len(squares))
		c.visitShared(own, func(label, other int32) {
			h := c.AnnotatorOf[other]
			x, y := t.property(label)-t.means[g], t.property(other)-t.means[h]
			products[h], ownSquares[h], otherSquares[h], shared[h] = products[h]+x*y, ownSquares[h]+x*x, otherSquares[h]+y*y, shared[h]+1
		})
		for h, n := range shared {
			isAlike := n >= minPairItems && squares[h] > epsilon && products[h] >= minCohortCorrelation*math.Sqrt(ownSquares[h]*otherSquares[h]) && products[h] > epsilon
			if from, to := cohortOf[h], cohortOf[g]; isAlike && from != to {
				for i, n := range cohortOf {
					if n == from {
						cohortOf[i] = to
					}
				}
			}
		}
	}
	members := map[int]cohort{}
	for g, n := range cohortOf {
		members[n] = append(members[n], g)
	}
	t.rivals = make([]OtherAnnotators, len(squares))
	for n := range squares {
		if list := members[n]; len(list) > 1 && c.isClosed(*t, list, cohortOf) {
			t.cohorts = append(t.cohorts, list)
			if len(list) == 2 {
				t.rivals[list[0]], t.rivals[list[1]] = OnePeer, OnePeer
			}
		}
	}
}

// isClosed reports whether the labels of a cohort that show its trends are compared with few others.
func (c *labelSet) isClosed(t trend, members cohort, cohortOf []int) bool {
	all, open := 0.0, 0.0
	for _, g := range members {
		for _, l := range c.labelsByAnnotator[g] {
			others, outside := 0, 0
			for _, other := range c.byItem.at(c.ItemOf[l]) {
				if h := c.AnnotatorOf[other]; int(h) != g {
					others++
					outside += isTrue(cohortOf[h] != cohortOf[g])
				}
			}
			if x := t.property(l) - t.means[g]; others > 0 {
				all, open = all+x*x, open+x*x*float64(isTrue(outside > 0))
			}
		}
	}
	return open <= maxOpenShare*all
}

// centerOnCohorts subtracts the median of each cohort, and replaces NaN, and the trends of pairs, by 0.
func (c *labelSet) centerOnCohorts(t trend, slopes []float64) []float64 {
	centered := slices.Clone(slopes)
	for _, members := range t.cohorts {
		known := members.sortSlopes(slopes)
		for _, g := range members {
			if len(known) > 0 {
				centered[g] -= stats.Quantile(known, 0.5)
			}
		}
	}
	for g := range centered {
		if math.IsNaN(centered[g]) || t.rivals[g] == OnePeer || c.isOneOfTwo(g) {
			centered[g] = 0
		}
	}
	return centered
}

// sortSlopes returns the known slopes of the members, ascending.
func (members cohort) sortSlopes(slopes []float64) (known []float64) {
	for _, g := range members {
		if !math.IsNaN(slopes[g]) {
			known = append(known, slopes[g])
		}
	}
	slices.Sort(known)
	return known
}

// findHalves sets rivals of cohorts whose halves differ by more than a harmless trend: their median lies between the halves,
// so both seem to have one.
func (t *trend) findHalves(harmless float64) {
	for _, members := range t.cohorts {
		known := members.sortSlopes(t.slopes)
		if half := len(known) / 2; len(known) < 4 || len(known)%2 == 1 || known[half]-known[half-1] <= harmless {
			continue
		}
		for _, g := range members {
			t.rivals[g] = OtherHalf
		}
	}
}

// rivalsOf returns whose trend that of an annotator can be instead; blank if it is its own.
func (t trend) rivalsOf(annotator int) OtherAnnotators {
	if t.rivals == nil {
		return ""
	}
	return t.rivals[annotator]
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
