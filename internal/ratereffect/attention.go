package ratereffect

import (
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// The habits of care: answers given in one stroke, too fast, or past a danger
// that others saw.

// measureStraightLining is the share of items answered in one stroke: all fields alike,
// where there are three or more of one scale, or exactly as the item before.
func measureStraightLining(c *labelSet, own []int, _ stats.IntervalOptions) measurement {
	hits, n := 0, 0
	for i, l := range own {
		if i == 0 {
			continue
		}
		n++
		if c.isStraightLined(l) || slices.Equal(c.labels[l].Answers, c.labels[own[i-1]].Answers) {
			hits++
		}
	}
	if len(c.fields) < 3 {
		return measurement{undefined: "it takes three fields to tell"}
	}
	return measurementFromProportion(stats.NewProportion(hits, n))
}

// isStraightLined says whether all answers of a label stand at the same place of their
// scales, three or more.
func (c *labelSet) isStraightLined(label int) bool {
	first, n := 0.0, 0
	for f := range c.fields {
		v, ok := c.score(label, f)
		if !ok {
			continue
		}
		if n == 0 {
			first = v
		}
		if n++; v != first {
			return false
		}
	}
	return n > 2
}

// measureSpeeding is the share of items done in less than a third of the time that
// the others take in the middle.
func measureSpeeding(c *labelSet, own []int, _ stats.IntervalOptions) measurement {
	var others []float64
	for _, l := range c.labels {
		if l.Annotator != c.labels[own[0]].Annotator && l.ActiveSeconds > 0 {
			others = append(others, l.ActiveSeconds)
		}
	}
	if len(others) == 0 {
		return measurement{undefined: "the others' times are not known"}
	}
	slices.Sort(others)
	limit, hits, n := stats.Quantile(others, 0.5)/3, 0, 0
	for _, l := range own {
		if s := c.labels[l].ActiveSeconds; s > 0 {
			n++
			if s < limit {
				hits++
			}
		}
	}
	return measurementFromProportion(stats.NewProportion(hits, n))
}

// measureMissedRisks is the share of answers that saw no danger where most of the
// others who judged the item did.
func measureMissedRisks(c *labelSet, own []int, _ stats.IntervalOptions) measurement {
	hits, n, hasSafetyField := 0, 0, false
	for f, field := range c.fields {
		if len(field.UnsafeAnswers) == 0 {
			continue
		}
		hasSafetyField = true
		for _, l := range own {
			if _, ok := c.score(l, f); !ok || !c.othersAnsweredUnsafe(l, f) {
				continue
			}
			n++
			if !slices.Contains(field.UnsafeAnswers, c.labels[l].Answers[f]) {
				hits++
			}
		}
	}
	if !hasSafetyField {
		return measurement{undefined: "no field is about safety"}
	}
	return measurementFromProportion(stats.NewProportion(hits, n))
}

// othersAnsweredUnsafe says whether more than half of the others did.
func (c *labelSet) othersAnsweredUnsafe(label, field int) bool {
	unsafeCount, n := 0, 0
	for _, other := range c.labelsByItem[c.itemOf[label]] {
		l := int(other)
		if _, ok := c.score(l, field); !ok || c.annotatorOf[l] == c.annotatorOf[label] {
			continue
		}
		n++
		if slices.Contains(c.fields[field].UnsafeAnswers, c.labels[l].Answers[field]) {
			unsafeCount++
		}
	}
	return 2*unsafeCount > n
}

func measurementFromProportion(s stats.Proportion) measurement {
	return measurement{value: s.Value(), interval: s.Interval, itemCount: s.Total}
}
