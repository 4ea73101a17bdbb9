package ratereffect

import (
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// Absolute tests compare an annotator with what careful work can give, so that they find an
// effect that all annotators share.

const (
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

// measureUnusedEnds returns 1 and the number of items to which most others (at least two), or the known
// answer, give the lowest or the highest score, if the annotator never does; no items otherwise.
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
		items += isTrue(slices.ContainsFunc(fields, func(f int) bool { return c.mostGiveEnd(l, f) }))
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

// mostGiveEnd reports whether most others of an item, and at least two, give a field the same end of the scale.
func (c *labelSet) mostGiveEnd(label int32, field int) bool {
	lowest, highest, others := 0, 0, 0
	for _, l := range c.byItem.at(c.ItemOf[label]) {
		if _, ok := c.score(l, field); !ok || c.AnnotatorOf[l] == c.AnnotatorOf[label] {
			continue
		}
		others++
		if c.isEnd(l, field) {
			lowest += isTrue(c.Points[field][l] == 0)
			highest += isTrue(c.Points[field][l] != 0)
		}
	}
	most := max(lowest, highest)
	return most >= 2 && 2*most > others
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
	// isComplete: an annotator with the effect would be found, so that finding nothing says something.
	isComplete bool
	// judge tells whether the items deserve what the test finds, as labels of others on the same items show; nil: they
	// cannot.
	judge func(c *labelSet, own []int32) deserved
}

// An AbsoluteBasis is what an absolute test compares with.
type AbsoluteBasis string

// The bases.
const (
	CarefulWork AbsoluteBasis = "careful_work"
	TargetPace  AbsoluteBasis = "target_pace" // of the protocol
	UnusedEnds  AbsoluteBasis = "unused_ends" // of the scale, which most others or known answers use
)

// absoluteTests are the tests of an effect in the order of their findings.
var absoluteTests = map[Effect][]absoluteTest{
	ScoreCompression: {{basis: UnusedEnds, measure: measureUnusedEnds}},
	StraightLining: {{basis: CarefulWork, measure: measureEqualAnswers, tolerated: maxEqualShare, judge: judgeEqualAnswers, isComplete: true},
		{basis: CarefulWork, measure: measureEqualMiddles, tolerated: maxMiddleShare, judge: judgeEqualMiddles}},
	Speeding: {{basis: CarefulWork, measure: measureUnread, tolerated: maxUnreadShare, isComplete: true},
		{basis: TargetPace, measure: measureHurried, tolerated: maxHurriedShare, isComplete: true}},
}

// testAbsolute sets the result of the first absolute test that finds the effect, if no other test
// does.
func (s effectSpec) testAbsolute(c *labelSet, own []int32, r *Result) {
	for _, test := range absoluteTests[s.effect] {
		if r.Detected {
			return
		}
		m := test.measure(c, own)
		if m.undefined != "" || m.itemCount < s.minItems {
			continue
		}
		switch {
		case !m.interval.Defined():
			continue
		case m.interval.Low <= test.tolerated:
			s.addTestAlone(c, own, test, m, r)
			continue
		case s.effect == StraightLining && r.isExcluded:
			if r.Undefined.lacksOthers() {
				r.Undefined, r.Value, r.ItemCount = UnverifiedItems, m.value, m.itemCount
			}
			continue
		}
		if test.judge != nil {
			isFurther, isKnown := c.areEqualAnswersFurther(own)
			switch found := test.judge(c, own); {
			case isKnown && !isFurther && !r.isKnownTested:
				if r.Undefined == "" && !r.IsConfirmed {
					r.IsConfirmed, r.Value, r.ItemCount = true, m.value, m.itemCount
				}
				continue
			case found == isDeserved, found == isNotKnown && !test.isComplete && r.Undefined == NoRoom: // others give the same answers
				continue
			case (found == isNotKnown || isKnown && !c.doOthersAgree(own)) && !r.isKnownTested:
				r.Undefined, r.Value, r.ItemCount = UnverifiedItems, m.value, m.itemCount
				continue
			}
		}
		r.Undefined, r.Value, r.Interval, r.ItemCount, r.Detected, r.IsAbsolute, r.AbsoluteBasis = "", m.value, m.interval, m.itemCount, true, true, test.basis
		r.IsKnown, r.TargetSeconds = false, c.ShortestPace
	}
}

// addTestAlone sets a result for lack of others to that of an absolute test that does not find the effect, if the test would.
func (s effectSpec) addTestAlone(c *labelSet, own []int32, test absoluteTest, m measurement, r *Result) {
	if !test.isComplete {
		return
	}
	if s.effect == StraightLining && measureStraightLining(c, own).interval.Low > test.tolerated { // answers are repeated, which is a part of it
		return
	}
	isFirst := !r.isTestedAlone
	r.isTestedAlone = true
	if isFirst && r.Undefined.lacksOthers() {
		r.Undefined, r.Value, r.Interval, r.ItemCount, r.Detectable = "", m.value, m.interval, m.itemCount, detectableShare(m.itemCount, test.tolerated)
	}
}

// lacksOthers reports whether a comparison lacks labels of others.
func (r UntestableReason) lacksOthers() bool {
	switch r {
	case NoOtherAnnotators, NoPeerValue, NoSharedItems, NoPeerTimes, TooFewItems:
		return true
	}
	return false
}
