package ratereffect

import (
	"math"
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

// contrastEqualAnswers clears a finding of straight-lining that varied answers of the annotator contradict, or that labels of others
// who agree with no one cannot show.
func (c *labelSet) contrastEqualAnswers(own []int32, r *Result) {
	isFurther, isKnown := c.areEqualAnswersFurther(own)
	switch {
	case !isKnown:
	case !isFurther:
		r.Detected, r.IsConfirmed = false, true
	case !c.doOthersAgree(own):
		r.Detected, r.Undefined = false, LowAgreement
	}
}

// minContrastItems is the number of items with equal answers, and of those with varied ones, that are compared.
const minContrastItems = 5

// areEqualAnswersFurther reports whether equal answers are further from those of the closest other annotator than varied
// answers of the same annotator are: those of who reads the items are not, however many items deserve them, and however
// strict the annotator is. False, and known, if they are not; unknown with few items of either kind.
func (c *labelSet) areEqualAnswersFurther(own []int32) (isFurther, isKnown bool) {
	var sums, n [2]float64 // of varied and equal answers
	for _, l := range own {
		distance, ok := c.distanceFromClosest(l)
		if !ok || c.straightLined[l] == isLeftOut {
			continue
		}
		kind := isTrue(c.straightLined[l] == isUniform)
		sums[kind], n[kind] = sums[kind]+distance, n[kind]+1
	}
	if min(n[0], n[1]) < minContrastItems {
		return false, false
	}
	return sums[1]/n[1] > sums[0]/n[0], true
}

// distanceFromClosest returns the mean distance of a label's free answers from those of the other annotator of the item who
// is closest; false without one.
func (c *labelSet) distanceFromClosest(label int32) (closest float64, ok bool) {
	for _, other := range c.byItem.at(c.ItemOf[label]) {
		if c.AnnotatorOf[other] == c.AnnotatorOf[label] {
			continue
		}
		sum, n := 0.0, 0.0
		for f := range c.fields {
			v, isFree := c.freeScore(label, f)
			if w, hasAnswer := c.score(other, f); isFree && hasAnswer {
				sum, n = sum+math.Abs(v-w), n+1
			}
		}
		if n > 0 && (!ok || sum/n < closest) {
			closest, ok = sum/n, true
		}
	}
	return closest, ok
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
	switch {
	case len(pairs) > 0 && len(ownTimes) == 0:
		return func([]int32) measurement { return measurement{undefined: UnknownTimes} }
	case len(times) == 0:
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
