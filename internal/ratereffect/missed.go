package ratereffect

import (
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// Missed safety risks are rare, so they are tested by an exact one-sided binomial test against the
// share that is tolerated.

const (
	// missedMargin is the share of risks that an annotator may miss more often than the others.
	missedMargin = 0.2
	// missedKnownMargin is the same next to careful work on items with known answers.
	missedKnownMargin = 0.3
	// maxMissedShare is the share of the risks that most others report which careful work can miss,
	// however many the others miss.
	maxMissedShare = 0.5
	// missedLevel is the level of the test: one side of a 95% interval.
	missedLevel = 0.025
	// minMissedItems is the number of items with a risk that the test needs.
	minMissedItems = 8
)

// OtherAnnotators says how many other annotators an annotator is compared with on each item.
type OtherAnnotators string

// The numbers.
const (
	OneOther   OtherAnnotators = "one"        // who can be wrong as well
	OnePeer    OtherAnnotators = "one_peer"   // in a cohort of two; see trend.go
	OtherHalf  OtherAnnotators = "other_half" // of a cohort, whose trend is as far from that of this half
	TwoOthers  OtherAnnotators = "two"
	MostOthers OtherAnnotators = "most" // more than two, or a different number by item
)

// noAnnotator leaves no annotator out.
const noAnnotator = -1

// measureMissedSafety returns the share of answers without a risk among those for which
// most other annotators of the item report one.
func measureMissedSafety(c *labelSet, own []int32) measurement {
	return c.measureMissedWithout(own, noAnnotator)
}

// measureMissedWithout is measureMissedSafety as if an annotator had not taken part.
func (c *labelSet) measureMissedWithout(own []int32, leftOut int32) measurement {
	return c.measureMissedAmong(own, func(annotator int32) bool { return annotator == leftOut })
}

// measureMissedAmong is measureMissedSafety as if some annotators had not taken part.
func (c *labelSet) measureMissedAmong(own []int32, isLeftOut func(annotator int32) bool) measurement {
	misses, n, fewest, most, hasSafetyField := 0, 0, math.MaxInt, 0, false
	for f, field := range c.fields {
		if len(field.UnsafeAnswers) == 0 {
			continue
		}
		hasSafetyField = true
		for _, l := range own {
			if _, ok := c.score(l, f); !ok {
				continue
			}
			unsafeCount, others := c.countOthers(l, f, isLeftOut)
			if 2*unsafeCount <= others {
				continue
			}
			n, fewest, most = n+1, min(fewest, others), max(most, others)
			misses += isTrue(!field.isUnsafe(c.answer(l, f)))
		}
	}
	if !hasSafetyField {
		return measurement{undefined: NoSafetyField}
	}
	m := measurementFromProportion(stats.NewProportion(misses, n))
	m.misses, m.others = misses, MostOthers
	switch {
	case most == 1:
		m.others = OneOther
	case fewest == 2 && most == 2:
		m.others = TwoOthers
	}
	return m
}

// countOthers returns how many other annotators of an item answer a field, and how many of these report
// a risk.
func (c *labelSet) countOthers(label int32, field int, isLeftOut func(annotator int32) bool) (unsafeCount, others int) {
	for _, l := range c.byItem.at(c.ItemOf[label]) {
		if _, ok := c.score(l, field); !ok || c.AnnotatorOf[l] == c.AnnotatorOf[label] || isLeftOut(c.AnnotatorOf[l]) {
			continue
		}
		others++
		unsafeCount += isTrue(slices.Contains(c.fields[field].UnsafeAnswers, c.answer(l, field)))
	}
	return unsafeCount, others
}

// othersAnsweredUnsafe reports whether more than half of the others report a risk.
func (c *labelSet) othersAnsweredUnsafe(label int32, field int) bool {
	unsafeCount, others := c.countOthers(label, field, func(int32) bool { return false })
	return 2*unsafeCount > others
}

// missedByOthers returns the share of risks that the others miss in the items of an annotator: of those who have
// enough of them, the median, and of two middle values the higher one; else that of all together. False with too
// few. Where the annotator misses many, few are left that most others of another annotator report: then it is what
// they miss among themselves. isEach reports whether single annotators have enough.
func (c *labelSet) missedByOthers(annotator int32) (share float64, isEach, ok bool) {
	labels := make([][]int32, len(c.Annotators))
	c.visitShared(c.labelsByAnnotator[annotator], func(_, other int32) {
		labels[c.AnnotatorOf[other]] = append(labels[c.AnnotatorOf[other]], other)
	})
	for _, leftOut := range []int32{noAnnotator, annotator} {
		misses, n, shares := 0, 0, []float64(nil)
		for _, own := range labels {
			m := c.measureMissedWithout(own, leftOut)
			if misses, n = misses+m.misses, n+m.itemCount; m.itemCount >= minMissedItems {
				shares = append(shares, m.value)
			}
		}
		if len(shares) > 0 {
			slices.Sort(shares)
			return shares[len(shares)/2], leftOut == noAnnotator, true
		}
		if n >= minMissedItems {
			return float64(misses) / float64(n), false, true
		}
	}
	return 0, false, false
}

// compareMissed tests the risks that an annotator misses against what the others miss in the same items.
func (c *labelSet) compareMissed(annotator int, m measurement, r *Result) {
	peers, isEach, hasPeers := c.missedByOthers(int32(annotator))
	r.Value, r.Interval, r.Tolerated, r.lacksPeers = m.value, m.interval, maxMissedShare, !isEach
	if hasPeers {
		r.PeerMedian, r.Tolerated = peers, min(peers+missedMargin, maxMissedShare)
	}
	r.testMisses()
	switch {
	case r.Detected && m.others == OneOther && !c.isMissedWithoutUnsure(c.labelsByAnnotator[annotator], r):
		r.Detected, r.Undefined = false, LowAgreement
	case r.Detected && !c.doOthersAgree(c.labelsByAnnotator[annotator]):
		r.Detected, r.Undefined = false, LowAgreement
	case r.Detected && r.Tolerated == maxMissedShare:
		r.IsAbsolute, r.AbsoluteBasis = true, CarefulWork
	}
}

// minOwnRisks is the number of risks that an annotator reports from which they show whether another one finds them.
const minOwnRisks = 3

// isMissedWithoutUnsure reports whether as many risks are missed without the annotators who miss more than a quarter of the risks that the annotator
// reports: what only they report is no risk for certain. One who finds none of them answers against the annotator, not at random.
func (c *labelSet) isMissedWithoutUnsure(own []int32, r *Result) bool {
	reported, found := make([]int, len(c.Annotators)), make([]int, len(c.Annotators))
	for f, field := range c.fields {
		for _, l := range own {
			if _, ok := c.score(l, f); !ok || len(field.UnsafeAnswers) == 0 || !field.isUnsafe(c.answer(l, f)) {
				continue
			}
			for _, other := range c.byItem.at(c.ItemOf[l]) {
				if _, ok := c.score(other, f); ok && c.AnnotatorOf[other] != c.AnnotatorOf[l] {
					reported[c.AnnotatorOf[other]]++
					found[c.AnnotatorOf[other]] += isTrue(field.isUnsafe(c.answer(other, f)))
				}
			}
		}
	}
	m := c.measureMissedAmong(own, func(a int32) bool { return reported[a] >= minOwnRisks && found[a] > 0 && 4*found[a] < 3*reported[a] })
	if m.itemCount < minMissedItems {
		return false
	}
	pValue, _ := binomialTest(m.misses, m.itemCount, r.Tolerated)
	return pValue < missedLevel
}

// testMisses compares the misses with the share that is tolerated.
func (r *Result) testMisses() {
	if r.Tolerated >= 1 {
		r.Undefined = NoRoom
		return
	}
	var fewest int
	r.PValue, fewest = binomialTest(r.Misses, r.ItemCount, r.Tolerated)
	r.Detected = r.PValue < missedLevel
	if r.Detectable = 1; fewest <= r.ItemCount {
		r.Detectable = shareToExceed(fewest, r.ItemCount)
	} else if r.Misses == 0 {
		r.Undefined = NoRoom
	}
}

// binomialTest returns the probability of at least as many hits among n where their share is p, and the
// fewest hits for which it is below missedLevel.
func binomialTest(hits, n int, p float64) (pValue float64, fewest int) {
	logFactorial := func(k int) float64 { v, _ := math.Lgamma(float64(k + 1)); return v }
	tail := 0.0
	fewest = n + 1
	for k := n; k >= 0; k-- {
		tail += math.Exp(logFactorial(n) - logFactorial(k) - logFactorial(n-k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
		if tail < missedLevel {
			fewest = k
		}
		if k == hits {
			pValue = min(tail, 1)
		}
		if tail >= missedLevel && k <= hits {
			break
		}
	}
	return pValue, fewest
}
