package ratereffect

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// A labelSet is the labels of all annotators, and the deviation of each from the others.
type labelSet struct {
	fields            []FieldSpec
	labels            []LabeledItem
	annotators        []string
	labelsByAnnotator [][]int   // annotator → labels, by position
	annotatorOf       []int32   // label → annotator
	itemOf            []int32   // label → item
	labelsByItem      [][]int32 // item → labels
	deviations        []float64 // label × field → difference from the others, as a share of the scale
}

func newLabelSet(fields []FieldSpec, labels []LabeledItem) *labelSet {
	c := &labelSet{fields: fields, labels: labels, annotatorOf: make([]int32, len(labels)), itemOf: make([]int32, len(labels)),
		deviations: make([]float64, len(labels)*len(fields))}
	annotatorNumbers, itemNumbers := map[string]int32{}, map[string]int32{}
	for _, l := range labels {
		annotatorNumbers[l.Annotator] = 0
		if _, ok := itemNumbers[l.Item]; !ok {
			itemNumbers[l.Item] = int32(len(itemNumbers))
		}
	}
	c.annotators = slices.Sorted(maps.Keys(annotatorNumbers))
	for n, name := range c.annotators {
		annotatorNumbers[name] = int32(n)
	}
	c.labelsByAnnotator, c.labelsByItem = make([][]int, len(c.annotators)), make([][]int32, len(itemNumbers))
	for i, l := range labels {
		c.annotatorOf[i], c.itemOf[i] = annotatorNumbers[l.Annotator], itemNumbers[l.Item]
		c.labelsByAnnotator[c.annotatorOf[i]] = append(c.labelsByAnnotator[c.annotatorOf[i]], i)
		c.labelsByItem[c.itemOf[i]] = append(c.labelsByItem[c.itemOf[i]], int32(i))
	}
	for _, own := range c.labelsByAnnotator {
		slices.SortStableFunc(own, func(a, b int) int { return cmp.Compare(labels[a].Position, labels[b].Position) })
	}
	for f := range fields {
		c.fitAdditive(f)
	}
	return c
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
func (c *labelSet) score(label, field int) (float64, bool) {
	answers, scale := c.labels[label].Answers, c.fields[field].Scale
	if field >= len(answers) || answers[field] == NotApplicable || scale.Span() == 0 {
		return 0, false
	}
	return float64(answers[field]-scale[0]) / float64(scale.Span()), true
}

// fitAdditive computes the deviations of a field. It estimates the offset of each annotator
// (two-way additive model by alternating means, median offset 0) and removes it from the
// answers of the others, so that one lenient annotator does not make them look severe.
func (c *labelSet) fitAdditive(field int) {
	offsets, scores := make([]float64, len(c.annotators)), make([]float64, len(c.labels))
	for l := range scores {
		scores[l] = missingScore
		if v, ok := c.score(l, field); ok {
			scores[l] = v
		}
	}
	for range 20 {
		next := make([]float64, len(c.annotators))
		for g, own := range c.labelsByAnnotator {
			sum, n := 0.0, 0.0
			for _, l := range own {
				if othersMean, ok := c.othersMean(l, scores, offsets); ok && scores[l] != missingScore {
					sum, n = sum+scores[l]-othersMean, n+1
				}
			}
			next[g] = math.NaN()
			if n > 0 {
				next[g] = (sum/n + offsets[g]) / 2
			}
		}
		offsets = centerOnMedian(next)
	}
	fieldMean := c.fieldMean(field)
	for l, v := range scores {
		if v == missingScore {
			continue
		}
		othersMean, ok := c.othersMean(l, scores, offsets)
		if !ok {
			othersMean = fieldMean
		}
		c.deviations[l*len(c.fields)+field] = v - othersMean
	}
}

// othersMean returns the mean of the others' scores of the same item, minus their offsets.
func (c *labelSet) othersMean(label int, scores, offsets []float64) (float64, bool) {
	sum, n := 0.0, 0.0
	for _, l := range c.labelsByItem[c.itemOf[label]] {
		if c.annotatorOf[l] != c.annotatorOf[label] && scores[l] != missingScore {
			sum, n = sum+scores[l]-offsets[c.annotatorOf[l]], n+1
		}
	}
	return sum / max(n, 1), n > 0
}

// fieldMean returns the mean score of the field.
func (c *labelSet) fieldMean(field int) float64 {
	sum, n := 0.0, 0.0
	for l := range c.labels {
		if v, ok := c.score(l, field); ok {
			sum, n = sum+v, n+1
		}
	}
	return sum / max(n, 1)
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

// meanDeviation returns the deviation of a label, averaged over its fields.
func (c *labelSet) meanDeviation(label int) (float64, bool) {
	sum, n := 0.0, 0.0
	for f := range c.fields {
		if _, ok := c.score(label, f); ok {
			sum, n = sum+c.deviations[label*len(c.fields)+f], n+1
		}
	}
	return sum / max(n, 1), n > 0
}

// meanDeviations returns the labels that have a mean deviation, and these.
func (c *labelSet) meanDeviations(own []int) (labels []int, deviations []float64) {
	for _, l := range own {
		if d, ok := c.meanDeviation(l); ok {
			labels, deviations = append(labels, l), append(deviations, d)
		}
	}
	return labels, deviations
}
