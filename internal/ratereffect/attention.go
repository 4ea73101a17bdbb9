package ratereffect

import "github.com/labelwright/labelwright/internal/stats"

// Effects of attention: straight-lining and speeding.

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

func measurementFromProportion(p stats.Proportion) measurement {
	return measurement{value: p.Value(), interval: p.Interval, itemCount: p.Total}
}
