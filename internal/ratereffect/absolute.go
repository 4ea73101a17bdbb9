package ratereffect

import "github.com/labelwright/labelwright/internal/stats"

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
	// maxMissedShare is the share of the risks that most others report which careful work can miss,
	// where no other annotator has enough of them to compare.
	maxMissedShare = 0.5
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

// An absoluteTest finds an effect without other annotators.
type absoluteTest struct {
	measure   func(c *labelSet, own []int32) measurement
	tolerated float64 // share of the items
	alone     bool    // only where neither the others nor known answers give a value to compare
}

var absoluteTests = map[Effect]absoluteTest{
	StraightLining: {measure: measureEqualAnswers, tolerated: maxEqualShare},
	Speeding:       {measure: measureUnread, tolerated: maxUnreadShare},
	MissedSafety:   {measure: measureMissedSafety, tolerated: maxMissedShare, alone: true},
}

// testAbsolute sets the result of the absolute test if only it finds the effect.
func (s effectSpec) testAbsolute(c *labelSet, own []int32, r *Result) {
	test, ok := absoluteTests[s.effect]
	if !ok || r.Detected || test.alone && r.Undefined != NoPeerValue {
		return
	}
	m := test.measure(c, own)
	if m.undefined != "" || m.itemCount < s.minItems || !m.interval.Defined() || m.interval.Low <= test.tolerated {
		return
	}
	r.Undefined, r.Value, r.Interval, r.ItemCount, r.Detected, r.IsAbsolute = "", m.value, m.interval, m.itemCount, true, true
}
