package ratereffect

import (
	"maps"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// Effects of attention: straight-lining and speeding.

// Values of straightLined.
const (
	isLeftOut uint8 = iota // there is no item before, or rules leave no choice
	isVaried               // the answers vary, and differ from those of the item before
	isUniform              // the same position on the scale in at least three fields, or the same answers as the item before
)

// findStraightLined sets straightLined. It depends on the item before, which comparisons on shared items
// may leave out.
func (c *labelSet) findStraightLined() {
	c.straightLined = make([]uint8, len(c.ItemOf))
	for _, own := range c.labelsByAnnotator {
		for i := 1; i < len(own); i++ {
			switch {
			case c.hasNoChoice(own[i]):
			case c.isStraightLined(own[i]), c.hasEqualAnswers(own[i], own[i-1]):
				c.straightLined[own[i]] = isUniform
			default:
				c.straightLined[own[i]] = isVaried
			}
		}
	}
}

// measureStraightLining returns the share of items with the same position on the scale in
// all of at least three fields, or with the same answers as the item before. Forced answers are no sign of it.
func measureStraightLining(c *labelSet, own []int32) measurement {
	if len(c.fields) < 3 {
		return measurement{undefined: TooFewFields}
	}
	hits, n := 0, 0
	for _, l := range own {
		n += isTrue(c.straightLined[l] != isLeftOut)
		hits += isTrue(c.straightLined[l] == isUniform)
	}
	return measurementFromProportion(stats.NewProportion(hits, n))
}

// boundStraightLining returns the highest share of equal answers of an annotator who reads the items, next to that of another
// one. On short scales who gives an answer more often gives it to all fields more often, too: by about as much as with
// independent answers.
func (c *labelSet) boundStraightLining(pair labelPair, ofOther float64) (bound float64, ok bool) {
	if len(c.filterFields(func(s stats.NumericScale) bool { return len(s) >= minScalePoints })) > 2 {
		return ofOther, true
	}
	return min(1, ofOther+max(0, c.shareByFrequency(pair.own)-c.shareByFrequency(pair.other))), true
}

// shareByFrequency returns the share of labels with equal answers to all fields, or the same answers as the label before,
// if each field had its answers independently of the others, as often as they are given.
func (c *labelSet) shareByFrequency(labels []int32) float64 {
	equal, repeated, fields := map[float64]float64{}, 1.0, 0
	for f := range c.fields {
		counts, n := map[float64]int{}, 0
		for _, l := range labels {
			if v, ok := c.freeScore(l, f); ok {
				counts[v], n = counts[v]+1, n+1
			}
		}
		if n == 0 {
			continue
		}
		same := 0
		for _, count := range counts {
			same += count * count
		}
		repeated *= float64(same) / float64(n) / float64(n)
		for v := range equal {
			equal[v] *= float64(counts[v]) / float64(n)
		}
		if fields++; fields == 1 {
			for v, count := range counts {
				equal[v] = float64(count) / float64(n)
			}
		}
	}
	if fields < 3 {
		return repeated
	}
	all := 0.0
	for _, v := range slices.Sorted(maps.Keys(equal)) { // so that sums are the same in each run
		all += equal[v]
	}
	return 1 - (1-all)*(1-repeated)
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

// hasNoChoice reports whether ticked observations force so many answers of a label that fewer than three are free.
func (c *labelSet) hasNoChoice(label int32) bool {
	if c.IsForced == nil {
		return false
	}
	free, forced := 0, 0
	for f := range c.fields {
		_, isFree := c.freeScore(label, f)
		free += isTrue(isFree)
		forced += isTrue(c.IsForced(label, f))
	}
	return forced > 0 && free < 3
}

// isStraightLined reports whether at least three free answers of a label, and all, have the same
// position on their scales.
func (c *labelSet) isStraightLined(label int32) bool {
	first, n := 0.0, 0
	for f := range c.fields {
		v, ok := c.freeScore(label, f)
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

// bindSpeeding returns the measure of the share of items done in less than a third of the others' median time for the
// items that an annotator shares with them, and in less than a quarter of what the annotator usually takes: who is
// steadily faster is not speeding. Less than a sixth of the others' median is, however steady.
func bindSpeeding(c *labelSet, pairs []labelPair) func(labels []int32) measurement {
	var times, ownTimes []float64
	for _, pair := range pairs {
		times, ownTimes = c.appendTimes(times, pair.other), c.appendTimes(ownTimes, pair.own)
	}
	if len(times) == 0 || len(ownTimes) == 0 {
		return func([]int32) measurement { return measurement{undefined: NoPeerTimes} }
	}
	slices.Sort(times)
	slices.Sort(ownTimes)
	ofOthers := stats.Quantile(times, 0.5)
	limit := max(ofOthers/6, min(ofOthers/3, stats.Quantile(ownTimes, 0.75)/4))
	return func(labels []int32) measurement {
		hits, n := 0, 0
		for _, l := range labels {
			if s := c.ActiveSeconds(l); s > 0 {
				n++
				hits += isTrue(s < limit)
			}
		}
		return measurementFromProportion(stats.NewProportion(hits, n))
	}
}

// appendTimes appends the known active times of labels.
func (c *labelSet) appendTimes(times []float64, labels []int32) []float64 {
	for _, l := range labels {
		if s := c.ActiveSeconds(l); s > 0 {
			times = append(times, s)
		}
	}
	return times
}

func measurementFromProportion(p stats.Proportion) measurement {
	return measurement{value: p.Value(), interval: p.Interval, itemCount: p.Total}
}
