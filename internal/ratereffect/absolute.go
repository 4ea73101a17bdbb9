package ratereffect

import (
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// Absolute tests compare an annotator with what careful work can give, so that they find an
// effect that all annotators share.

const (
	// minScalePoints is the length of the scales on which equal answers to all fields are
	// rare. On yes/no fields many items deserve them.
	minScalePoints = 4
	// maxEqualShare is the share of items with equal answers that careful work can give.
	maxEqualShare = 0.5
	// maxUnreadShare is the share of items done in less than the time to read them that errors
	// of the clock can give.
	maxUnreadShare = 0.2
	// maxHurriedShare is the share of items done faster than the protocol's pace that easy items can
	// give.
	maxHurriedShare = 0.5
)

// shortestSeconds returns the time in which no one can read an item: one second, and as
// much again for every 100 characters, four times the speed of fast readers (Brysbaert 2019,
// Journal of Memory and Language 109).
func shortestSeconds(textLength float64) float64 { return 1 + textLength/100 }

// measureEqualAnswers returns the share of items with the same position on the scale in all
// of at least three fields with four points or more.
func measureEqualAnswers(c *labelSet, own []int32) measurement {
	fields := c.filterFields(func(s stats.NumericScale) bool { return len(s) >= minScalePoints })
	if len(fields) < 3 {
		return measurement{undefined: TooFewFields}
	}
	hits, n := 0, 0
	for _, l := range own {
		answered, isEqual, first := 0, true, 0.0
		for _, f := range fields {
			v, ok := c.score(l, f)
			if !ok {
				continue
			}
			if answered++; answered == 1 {
				first = v
			}
			isEqual = isEqual && v == first
		}
		if answered < 3 {
			continue
		}
		if n++; isEqual {
			hits++
		}
	}
	return measurementFromProportion(stats.NewProportion(hits, n))
}

// measureUnread returns the share of items done in less than the time to read them.
func measureUnread(c *labelSet, own []int32) measurement {
	hits, n := 0, 0
	for _, l := range own {
		if s := c.ActiveSeconds(l); s > 0 {
			if n++; s < shortestSeconds(c.TextLength(l)) {
				hits++
			}
		}
	}
	return measurementFromProportion(stats.NewProportion(hits, n))
}

// measureHurried returns the share of items done in less than the lower end of the protocol's pace.
func measureHurried(c *labelSet, own []int32) measurement {
	if c.ShortestPace <= 0 {
		return measurement{undefined: NoPeerTimes}
	}
	hits, n := 0, 0
	for _, l := range own {
		if s := c.ActiveSeconds(l); s > 0 {
			if n++; s < c.ShortestPace {
				hits++
			}
		}
	}
	return measurementFromProportion(stats.NewProportion(hits, n))
}

// measureUnusedEnds returns 1 and the number of items to which another annotator, or the known
// answer, gives the lowest or the highest score, if the annotator never does; no items otherwise.
func measureUnusedEnds(c *labelSet, own []int32) measurement {
	fields := c.filterFields(func(s stats.NumericScale) bool { return len(s) > 2 })
	if len(fields) == 0 {
		return measurement{undefined: TwoPointScales}
	}
	hasEnd := func(c *labelSet, label int32) bool {
		return slices.ContainsFunc(fields, func(f int) bool { return c.isEnd(label, f) })
	}
	items, known := 0, 0
	for _, l := range own {
		if hasEnd(c, l) {
			return measurementFromProportion(stats.NewProportion(0, 0))
		}
		items += isTrue(slices.ContainsFunc(c.byItem.at(c.ItemOf[l]), func(other int32) bool { return hasEnd(c, other) }))
	}
	if c.known != nil && len(own) > 0 {
		for _, l := range c.known.given.labelsByAnnotator[c.AnnotatorOf[own[0]]] {
			if hasEnd(c.known.given, l) {
				return measurementFromProportion(stats.NewProportion(0, 0))
			}
			known += isTrue(hasEnd(c.known.right, l))
		}
	}
	n := max(items, known)
	return measurementFromProportion(stats.NewProportion(n, n))
}

// isEnd reports whether a label gives a field the lowest or the highest score.
func (c *labelSet) isEnd(label int32, field int) bool {
	point := c.Points[field][label]
	return point != NoPoint && (point == 0 || int(point) == len(c.fields[field].Scale)-1)
}

// An absoluteTest finds an effect without other annotators.
type absoluteTest struct {
	basis     AbsoluteBasis
	measure   func(c *labelSet, own []int32) measurement
	tolerated float64 // share of the items
}

// An AbsoluteBasis is what an absolute test compares with.
type AbsoluteBasis string

// The bases.
const (
	CarefulWork AbsoluteBasis = "careful_work"
	TargetPace  AbsoluteBasis = "target_pace" // of the protocol
	UnusedEnds  AbsoluteBasis = "unused_ends" // of the scale, which others or known answers use
)

// absoluteTests are the tests of an effect in the order of their findings.
var absoluteTests = map[Effect][]absoluteTest{
	ScoreCompression: {{basis: UnusedEnds, measure: measureUnusedEnds}},
	StraightLining:   {{basis: CarefulWork, measure: measureEqualAnswers, tolerated: maxEqualShare}},
	Speeding: {{basis: CarefulWork, measure: measureUnread, tolerated: maxUnreadShare},
		{basis: TargetPace, measure: measureHurried, tolerated: maxHurriedShare}},
}

// testAbsolute sets the result of the first absolute test that finds the effect, if no other test
// does.
func (s effectSpec) testAbsolute(c *labelSet, own []int32, r *Result) {
	for _, test := range absoluteTests[s.effect] {
		if r.Detected {
			return
		}
		m := test.measure(c, own)
		if m.undefined != "" || m.itemCount < s.minItems || !m.interval.Defined() || m.interval.Low <= test.tolerated {
			continue
		}
		r.Undefined, r.Value, r.Interval, r.ItemCount, r.Detected, r.IsAbsolute, r.AbsoluteBasis = "", m.value, m.interval, m.itemCount, true, true, test.basis
		r.IsKnown, r.TargetSeconds = false, c.ShortestPace
	}
}
