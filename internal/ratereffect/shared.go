package ratereffect

import (
	"cmp"
	"math"
	"slices"
)

// Values that depend on the items, such as a spread or a share, are compared on the same items only.

const (
	// minPairItems is the number of items that two annotators must share to be compared with each other.
	// Annotators who share fewer are compared together.
	minPairItems = 10
	// maxPairItems is the number of items from which two annotators are compared on some of them.
	maxPairItems = 2000
)

// A labelPair is the labels of one annotator and those of another one, of the same items.
type labelPair struct {
	own, other []int32
	isRest     bool // other ones, who share too few items each
}

// pairLabels returns the labels of an annotator next to those of each other one who shares enough items,
// and next to those of all the rest.
func (c *labelSet) pairLabels(own []int32) []labelPair {
	counts := make([]int, len(c.Annotators))
	c.visitShared(own, func(_, other int32) { counts[c.AnnotatorOf[other]]++ })
	pairs, seen := make([]labelPair, len(c.Annotators)+1), make([]int, len(c.Annotators))
	rest := len(c.Annotators)
	pairs[rest].isRest = true
	c.visitShared(own, func(label, other int32) {
		g := c.AnnotatorOf[other]
		step := (counts[g] + maxPairItems - 1) / maxPairItems
		if seen[g]++; (seen[g]-1)%step != 0 {
			return
		}
		pair := &pairs[g]
		if counts[g] < minPairItems {
			pair = &pairs[rest]
		}
		pair.own, pair.other = append(pair.own, label), append(pair.other, other)
	})
	return slices.DeleteFunc(pairs, func(p labelPair) bool { return len(p.own) < minPairItems })
}

// visitShared calls visit for each label and each one of another annotator to the same item.
func (c *labelSet) visitShared(own []int32, visit func(label, other int32)) {
	for _, l := range own {
		for _, other := range c.byItem.at(c.ItemOf[l]) {
			if c.AnnotatorOf[other] != c.AnnotatorOf[l] {
				visit(l, other)
			}
		}
	}
}

// labelsOnSharedItems returns the labels of items that other annotators labeled too.
func (c *labelSet) labelsOnSharedItems(own []int32) (found []int32) {
	for _, l := range own {
		item := c.byItem.at(c.ItemOf[l])
		if c.AnnotatorOf[item[0]] != c.AnnotatorOf[l] || c.AnnotatorOf[item[len(item)-1]] != c.AnnotatorOf[l] {
			found = append(found, l)
		}
	}
	return found
}

// A difference is that of an annotator from others on the same items.
type difference struct {
	value float64
	items int
}

// differenceFromMost returns the median, weighted by items. Of two differences, and of two middle ones, it is that
// closer to 0, so that neither of two others alone makes an annotator unusual. False without one.
func differenceFromMost(list []difference) (float64, bool) {
	slices.SortFunc(list, func(a, b difference) int { return cmp.Compare(a.value, b.value) })
	total, below := 0, 0
	for _, d := range list {
		total += d.items
	}
	for i, d := range list {
		below += d.items
		isTie := len(list) == 2 || 2*below == total
		switch {
		case isTie && i+1 < len(list) && math.Abs(list[i+1].value) < math.Abs(d.value):
			return list[i+1].value, true
		case isTie || 2*below > total:
			return d.value, true
		}
	}
	return 0, false
}

// compareOnShared sets the value of the others on the items that an annotator shares with them: its own value minus
// the difference from most of them, each on the items of both. So neither other items nor one unusual annotator
// change it.
func (s effectSpec) compareOnShared(c *labelSet, pairs []labelPair, m *measurement, measure func(labels []int32) measurement) {
	var differences, fromBounds []difference
	for _, pair := range pairs {
		own, other := measure(pair.own), measure(pair.other)
		if own.undefined != "" || other.undefined != "" {
			continue
		}
		bound, ok := other.value, true
		if s.bound != nil {
			bound, ok = s.bound(c, pair, other.value)
		}
		if !ok {
			m.undefined = LowAgreement
			continue
		}
		differences = append(differences, difference{own.value - other.value, len(pair.own)})
		fromBounds = append(fromBounds, difference{own.value - bound, len(pair.own)})
	}
	fromOthers, ok := differenceFromMost(differences)
	if !ok {
		return
	}
	fromBound, _ := differenceFromMost(fromBounds)
	m.undefined, m.hasPeers = "", true
	m.peers, m.peerBound = s.clamp(m.value-fromOthers), s.clamp(m.value-fromBound)
}

// minVariedItems is the number of items with another answer than the most frequent one from which a spread, or a correlation, rests
// on more than a few of them.
const minVariedItems = 5

// areVaried reports whether the answers of an annotator and of the others that an effect is about vary in enough items, if at all.
func (s effectSpec) areVaried(c *labelSet, own []int32, pairs []labelPair) bool {
	isEnough := func(labels []int32) bool {
		n := c.countVaried(labels)
		return n == 0 || n >= minVariedItems
	}
	switch s.effect {
	case ScoreCompression, CentralTendency, HaloEffect:
		var others []int32
		for _, pair := range pairs {
			others = append(others, pair.other...)
		}
		return isEnough(others) && (s.effect != HaloEffect || isEnough(own))
	}
	return true
}

// countVaried returns the number of labels with another answer to a field than the most frequent one.
func (c *labelSet) countVaried(labels []int32) int {
	isVaried := make([]bool, len(labels))
	for _, points := range c.Points {
		var counts [NoPoint + 1]int
		for _, l := range labels {
			counts[points[l]]++
		}
		counts[NoPoint] = 0
		most := 0
		for point, count := range counts {
			if count > counts[most] {
				most = point
			}
		}
		for i, l := range labels {
			isVaried[i] = isVaried[i] || points[l] != NoPoint && int(points[l]) != most
		}
	}
	n := 0
	for _, v := range isVaried {
		n += isTrue(v)
	}
	return n
}

// clamp returns the closest possible value of the effect.
func (s effectSpec) clamp(value float64) float64 {
	lowest := 0.0
	if s.effect == HaloEffect {
		lowest = -1
	}
	return min(1, max(lowest, value))
}
