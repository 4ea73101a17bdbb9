package ratereffect

import (
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// Effects of attention: straight-lining, speeding and missed safety risks.

// measureStraightLining returns the share of items with the same position on the scale in
// all of at least three fields, or with the same answers as the item before.
func measureStraightLining(c *labelSet, own []int32) measurement {
	if len(c.fields) < 3 {
		return measurement{undefined: TooFewFields}
	}
	hits, n := 0, max(0, len(own)-1)
	for i, l := range own {
		if i == 0 {
			continue
		}
		if c.isStraightLined(l) || c.hasEqualAnswers(l, own[i-1]) {
			hits++
		}
	}
	return measurementFromProportion(stats.NewProportion(hits, n))
}

// hasEqualAnswers reports whether two labels answer all fields alike.
func (c *labelSet) hasEqualAnswers(a, b int32) bool {
	for _, points := range c.Points {
		if points[a] != points[b] {
			return false
		}
	}
	return true
}

// isStraightLined reports whether at least three answers of a label, and all, have the same
// position on their scales.
func (c *labelSet) isStraightLined(label int32) bool {
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

// measureSpeeding returns the share of items done in less than a third of the others'
// median time.
func measureSpeeding(c *labelSet, own []int32) measurement {
	median, ok := c.medianOfOtherTimes(own)
	if !ok {
		return measurement{undefined: NoPeerTimes}
	}
	limit, hits, n := median/3, 0, 0
	for _, l := range own {
		if s := c.ActiveSeconds(l); s > 0 {
			n++
			if s < limit {
				hits++
			}
		}
	}
	return measurementFromProportion(stats.NewProportion(hits, n))
}

// measureMissedSafety returns the share of answers without a risk among those for which
// most other annotators of the item report one.
func measureMissedSafety(c *labelSet, own []int32) measurement {
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
			if !slices.Contains(field.UnsafeAnswers, c.answer(l, f)) {
				hits++
			}
		}
	}
	if !hasSafetyField {
		return measurement{undefined: NoSafetyField}
	}
	return measurementFromProportion(stats.NewProportion(hits, n))
}

// othersAnsweredUnsafe reports whether more than half of the others report a risk.
func (c *labelSet) othersAnsweredUnsafe(label int32, field int) bool {
	unsafeCount, n := 0, 0
	for _, l := range c.byItem.at(c.ItemOf[label]) {
		if _, ok := c.score(l, field); !ok || c.AnnotatorOf[l] == c.AnnotatorOf[label] {
			continue
		}
		n++
		if slices.Contains(c.fields[field].UnsafeAnswers, c.answer(l, field)) {
			unsafeCount++
		}
	}
	return 2*unsafeCount > n
}

func measurementFromProportion(p stats.Proportion) measurement {
	return measurement{value: p.Value(), interval: p.Interval, itemCount: p.Total}
}
