package ratereffect

import (
	"math"
	"slices"
	"sync"

	"github.com/labelwright/labelwright/internal/stats"
)

// A labelSet is the labels of all annotators, and the deviation of each from the others.
type labelSet struct {
	Labels
	fields            []FieldSpec
	scores            [][]float64 // field → point → share of the scale; empty for a scale of one point
	labelsByAnnotator [][]int32   // annotator → labels, by position
	byItem            rows
	rowAnnotators     []int32     // place in byItem → annotator
	deviations        []float64   // label → sum over its compared fields of the differences from the others, as shares of the scale
	compared          []uint8     // label → fields that another annotator of the item answers too
	straightLined     []uint8     // label → isLeftOut, isVaried or isUniform
	correlations      [][]float64 // annotator → other annotator → mean correlation of their answers to the same field; 0 if not clearly above 0
	correlationErrors [][]float64 // of correlations: their standard errors
	trends            map[Effect]trend
	onlyOther         []int32   // annotator → the other one if they share items only with each other; else negative
	known             *knownSet // nil: none

	hasTimes, hasBreaks, hasLengths bool // of any label
}

func newLabelSet(fields []FieldSpec, labels []LabeledItem) *labelSet {
	return newColumnSet(fields, newLabels(fields, labels))
}

// newPlainSet returns the labels without deviations.
func newPlainSet(fields []FieldSpec, labels Labels) *labelSet {
	c := &labelSet{Labels: labels, fields: fields, labelsByAnnotator: labels.groupByAnnotator(), byItem: labels.groupByItem(),
		rowAnnotators: make([]int32, len(labels.ItemOf)), deviations: make([]float64, len(labels.ItemOf)), compared: make([]uint8, len(labels.ItemOf))}
	for place, l := range c.byItem.labels {
		c.rowAnnotators[place] = c.AnnotatorOf[l]
	}
	for _, f := range fields {
		scores := make([]float64, len(f.Scale))
		for i, v := range f.Scale {
			scores[i] = float64(v-f.Scale[0]) / float64(f.Scale.Span())
		}
		if f.Scale.Span() == 0 {
			scores = nil
		}
		c.scores = append(c.scores, scores)
	}
	return c
}

func newColumnSet(fields []FieldSpec, labels Labels) *labelSet {
	c := newPlainSet(fields, labels)
	for l := range int32(len(labels.ItemOf)) {
		c.hasTimes, c.hasBreaks, c.hasLengths = c.hasTimes || c.ActiveSeconds(l) > 0, c.hasBreaks || c.ItemsSinceBreak(l) > 0, c.hasLengths || c.TextLength(l) > 0
		if c.hasTimes && c.hasBreaks && c.hasLengths {
			break
		}
	}
	c.findOnlyOthers()
	offsets := make([][]float64, len(fields))
	inParallel(len(fields), func(f int) { offsets[f] = c.fitOffsets(f) })
	for f := range fields {
		c.addDeviations(f, offsets[f])
	}
	c.fitTrends()
	c.findStraightLined()
	c.correlateAnnotators()
	return c
}

// inParallel calls compute for each of n numbers, all at once. No result may depend on the order.
func inParallel(n int, compute func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { compute(i) })
	}
	wg.Wait()
}

// scaleSpan returns the span of the scales; 0 if they differ.
func (c *labelSet) scaleSpan() int {
	for _, f := range c.fields {
		if f.Scale.Span() != c.fields[0].Scale.Span() {
			return 0
		}
	}
	if len(c.fields) == 0 {
		return 0
	}
	return c.fields[0].Scale.Span()
}

// score returns an answer as a share of its scale; false if it does not apply.
func (c *labelSet) score(label int32, field int) (float64, bool) {
	point := c.Points[field][label]
	if point == NoPoint || c.scores[field] == nil {
		return 0, false
	}
	return c.scores[field][point], true
}

// freeScore returns an answer as score does; false also if it is forced.
func (c *labelSet) freeScore(label int32, field int) (float64, bool) {
	if c.IsForced != nil && c.IsForced(label, field) {
		return 0, false
	}
	return c.score(label, field)
}

// answer returns the answer to a field that applies.
func (c *labelSet) answer(label int32, field int) int {
	return c.fields[field].Scale[c.Points[field][label]]
}

// fitOffsets estimates the offset of each annotator on a field (two-way additive model by
// alternating means, median offset 0). It is removed from the answers of the others, so that one
// lenient annotator does not make them look severe. Two who share items only with each other stay without one, so that
// their whole difference shows.
func (c *labelSet) fitOffsets(field int) []float64 {
	sums, offsets := c.sumDeviations(field), make([]float64, len(c.Annotators))
	for range 20 {
		next := make([]float64, len(c.Annotators))
		for g, sum := range sums {
			next[g] = (sum.at(offsets) + offsets[g]) / 2
		}
		offsets = c.centerOnOthers(next)
	}
	return offsets
}

// sumDeviations returns the mean deviation of each annotator's scores of a field, which depends on the offsets; NaN without any.
func (c *labelSet) sumDeviations(field int) []linearSum {
	sums, row, scores := make([]linearSum, len(c.Annotators)), c.rowPoints(field), c.scores[field]
	for g, own := range c.labelsByAnnotator {
		sum, n, others := newLinearSum(len(c.Annotators)), 0.0, []int32(nil)
		for _, l := range own {
			score, ok := c.score(l, field)
			if !ok {
				continue
			}
			item, total := c.ItemOf[l], 0.0
			others = others[:0]
			for place := c.byItem.start[item]; place < c.byItem.start[item+1]; place++ {
				if h, point := c.rowAnnotators[place], row[place]; int(h) != g && point != NoPoint {
					others, total = append(others, h), total+scores[point]
				}
			}
			if len(others) == 0 {
				continue
			}
			share := 1 / float64(len(others))
			n, sum.constant = n+1, sum.constant+score-total*share
			for _, h := range others {
				sum.weights[h] += share
			}
		}
		sums[g] = sum.dividedBy(n)
	}
	return sums
}

// addDeviations adds the deviations of a field.
func (c *labelSet) addDeviations(field int, offsets []float64) {
	row := c.rowPoints(field)
	inParallel(len(c.labelsByAnnotator), func(g int) {
		for _, l := range c.labelsByAnnotator[g] {
			score, ok := c.score(l, field)
			if !ok {
				continue
			}
			if mean, ok := c.othersMean(l, field, row, offsets); ok {
				c.deviations[l] += score - mean
				c.compared[l]++
			}
		}
	})
}

// rowPoints returns the points of a field in the order of byItem, so that those of an item are
// next to each other in memory.
func (c *labelSet) rowPoints(field int) []uint8 {
	points := make([]uint8, len(c.byItem.labels))
	for place, l := range c.byItem.labels {
		if points[place] = c.Points[field][l]; c.scores[field] == nil {
			points[place] = NoPoint
		}
	}
	return points
}

// othersMean returns the mean of the others' scores of the same item, minus their offsets.
func (c *labelSet) othersMean(label int32, field int, row []uint8, offsets []float64) (float64, bool) {
	sum, n, own, scores := 0.0, 0.0, c.AnnotatorOf[label], c.scores[field]
	item := c.ItemOf[label]
	from, to := c.byItem.start[item], c.byItem.start[item+1]
	annotators := c.rowAnnotators[from:to]
	for i, point := range row[from:to] {
		if g := annotators[i]; g != own && point != NoPoint {
			sum, n = sum+scores[point]-offsets[g], n+1
		}
	}
	return sum / max(n, 1), n > 0
}

// centerOnMedian subtracts the median from the values, and replaces NaN by 0.
func centerOnMedian(values []float64) []float64 {
	known := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(known) == 0 {
		return make([]float64, len(values))
	}
	slices.Sort(known)
	median := stats.Quantile(known, 0.5)
	for g, v := range values {
		if values[g] = v - median; math.IsNaN(v) {
			values[g] = 0
		}
	}
	return values
}

// meanDeviation returns the deviation of a label, averaged over its compared fields; false without one.
func (c *labelSet) meanDeviation(label int32) (float64, bool) {
	n := float64(c.compared[label])
	return c.deviations[label] / max(n, 1), n > 0
}

// meanDeviations returns the labels that have a mean deviation, and these.
func (c *labelSet) meanDeviations(own []int32) (labels []int32, deviations []float64) {
	for _, l := range own {
		if d, ok := c.meanDeviation(l); ok {
			labels, deviations = append(labels, l), append(deviations, d)
		}
	}
	return labels, deviations
}
