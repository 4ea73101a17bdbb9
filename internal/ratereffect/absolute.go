package ratereffect

import (
	"math"
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
	// minMiddlePoints is the length of the scales with answers between the ends. On short ones these are equal in many items, and
	// the ends in more: only the former, in nearly all items, are no careful work.
	minMiddlePoints = 3
	maxMiddleShare  = 0.9
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
	return c.shareOfEqualAnswers(own, minScalePoints, func(score float64) bool { return score != missingScore })
}

// measureEqualMiddles returns the share of items with the same position on the scale, not at an end, in all of at least three
// fields with three points or more.
func measureEqualMiddles(c *labelSet, own []int32) measurement {
	return c.shareOfEqualAnswers(own, minMiddlePoints, func(score float64) bool { return score > 0 && score < 1 })
}

func (c *labelSet) shareOfEqualAnswers(own []int32, minPoints int, isCounted func(score float64) bool) measurement {
	fields := c.fieldsWithPoints(minPoints)
	if len(fields) < 3 {
		return measurement{undefined: TooFewFields}
	}
	hits, n := 0, 0
	for _, l := range own {
		if score, ok := c.equalScore(l, fields); ok {
			n++
			hits += isTrue(isCounted(score))
		}
	}
	return measurementFromProportion(stats.NewProportion(hits, n))
}

// fieldsWithPoints returns the fields with scales of so many points or more.
func (c *labelSet) fieldsWithPoints(fewest int) []int {
	return c.filterFields(func(s stats.NumericScale) bool { return len(s) >= fewest })
}

// equalScore returns the score that a label gives all fields, missingScore if they differ; false with fewer
// than three free answers.
func (c *labelSet) equalScore(label int32, fields []int) (score float64, ok bool) {
	answered, isEqual := 0, true
	for _, f := range fields {
		v, ok := c.freeScore(label, f)
		if !ok {
			continue
		}
		if answered++; answered == 1 {
			score = v
		}
		isEqual = isEqual && v == score
	}
	if !isEqual {
		score = missingScore
	}
	return score, answered >= 3
}

// minEqualKappa is κ of equal answers from which another annotator confirms them.
const minEqualKappa = 0.2

// minJudgedItems is the number of shared items from which equal answers that no one confirms beyond chance are
// undeserved. If most others give the same end of the scales, items may all deserve it: then it is twice as many.
const (
	minJudgedItems  = 30
	maxConfirmation = 0.8
)

// A deserved says whether items deserve the equal answers of an annotator.
type deserved int

const (
	isNotKnown deserved = iota
	isDeserved
	isUndeserved
)

// judgeEqualAnswers tells from the other labels of the items. They deserve equal answers if most others agree with them
// beyond chance, and do not contradict them on too many items. They do not if most others clearly contradict them, or if
// on many items no one confirms them. Annotators who give one value to everything, or whom no one else confirms, count for
// nothing, unless all do.
func judgeEqualAnswers(c *labelSet, own []int32) deserved {
	return c.judgeEqualAnswers(own, c.fieldsWithPoints(minScalePoints))
}

// judgeEqualMiddles does the same with scales that have answers between the ends. On short scales nearly all items can deserve
// one answer, so that they are undeserved only if others contradict them.
func judgeEqualMiddles(c *labelSet, own []int32) deserved {
	fields := c.fieldsWithPoints(minMiddlePoints)
	if c.judgeEqualAnswers(own, fields) == isDeserved {
		return isDeserved
	}
	var all equalEvidence
	for _, pair := range c.pairLabels(own) {
		list := c.pairEqualScores(pair, fields)
		all.add(list, agreementOf(list))
	}
	if all.compared > 0 && all.contradicts() {
		return isUndeserved
	}
	return isNotKnown
}

func (c *labelSet) judgeEqualAnswers(own []int32, fields []int) deserved {
	var evidence, unconfirmed, constant equalEvidence
	for _, pair := range c.pairLabels(own) {
		list := c.pairEqualScores(pair, fields)
		switch a := agreementOf(list); {
		case a.isOtherConstant:
			constant.add(list, a)
		case a.isShown() || pair.isRest || c.isEqualAnswerConfirmed(c.AnnotatorOf[pair.other[0]], c.AnnotatorOf[own[0]], fields):
			evidence.add(list, a)
		default:
			unconfirmed.add(list, a)
		}
	}
	if evidence.compared == 0 {
		evidence = unconfirmed
	}
	switch {
	case evidence.confirms():
		return isDeserved
	case evidence.compared == 0 && constant.isOwnConstant && constant.isEnough(), evidence.contradicts(), evidence.isEnough():
		return isUndeserved
	}
	return isNotKnown
}

// isEqualAnswerConfirmed reports whether anyone but one annotator confirms the equal answers of another one. Who is confirmed by
// no one contradicts no one.
func (c *labelSet) isEqualAnswerConfirmed(annotator, except int32, fields []int) bool {
	return slices.ContainsFunc(c.pairLabels(c.labelsByAnnotator[annotator]), func(pair labelPair) bool {
		a := agreementOf(c.pairEqualScores(pair, fields))
		return !pair.isRest && c.AnnotatorOf[pair.other[0]] != except && !a.isOtherConstant && a.isShown()
	})
}

// An equalEvidence is what the labels of others show about equal answers.
type equalEvidence struct {
	compared, agreed    float64
	agreeing, differing int // labels of others who agree beyond chance, and of the others
	excess, variance    float64
	confirmed           map[int32]int // label → others among those who agree who confirm it − who do not
	all                 map[int32]int // label with equal answers → the same of all others
	shared              map[int32]bool
	ends, equal         int // own equal answers at an end of the scales, and all
	isOwnConstant       bool
}

func (e *equalEvidence) add(list []equalScores, a equalAgreement) {
	if e.shared == nil {
		e.confirmed, e.all, e.shared, e.isOwnConstant = map[int32]int{}, map[int32]int{}, map[int32]bool{}, true
	}
	n, isAgreeing := float64(len(list)), a.confirms()
	e.compared, e.agreed, e.isOwnConstant = e.compared+n, e.agreed+a.observed*n, e.isOwnConstant && a.isOwnConstant
	for _, s := range list {
		e.shared[s.label] = true
		if s.own != missingScore {
			e.all[s.label] += s.vote()
			e.equal++
			e.ends += isTrue(s.own == 0 || s.own == 1)
		}
		if isAgreeing {
			e.confirmed[s.label] += s.vote()
		}
	}
	if !isAgreeing {
		e.differing += len(list)
		return
	}
	e.agreeing += len(list)
	e.excess += n * (a.observed - a.expected)
	e.variance += n * a.expected * (1 - a.expected)
}

// confirms reports whether most others confirm equal answers beyond chance.
func (e equalEvidence) confirms() bool {
	isNotConfirmed := shareOf(e.confirmed, func(sum int) bool { return sum <= 0 })
	return e.agreeing > e.differing && e.excess > normalQuantile975*math.Sqrt(e.variance) && isNotConfirmed.Low <= maxEqualShare
}

// contradicts reports whether the others contradict most of the equal answers.
func (e equalEvidence) contradicts() bool {
	return shareOf(e.all, func(sum int) bool { return sum < 0 }).Low > maxEqualShare
}

// isEnough reports whether so many items are shared that others would confirm equal answers that the items deserve.
func (e equalEvidence) isEnough() bool {
	needed := minJudgedItems
	if e.agreed >= maxConfirmation*e.compared && 2*e.ends > e.equal {
		needed = 2 * minJudgedItems
	}
	return len(e.shared) >= needed
}

// shareOf returns the interval of the share of sums that count.
func shareOf(sums map[int32]int, isCounted func(sum int) bool) stats.Interval {
	n := 0
	for _, sum := range sums {
		n += isTrue(isCounted(sum))
	}
	return stats.NewProportion(n, len(sums)).Interval
}

// equalScores are those of two labels of an item; see equalScore.
type equalScores struct {
	label      int32
	own, other float64
}

// vote returns 1 if the other label confirms equal answers, or there are none, and else −1.
func (s equalScores) vote() int {
	if s.own == missingScore || s.own == s.other {
		return 1
	}
	return -1
}

func (c *labelSet) pairEqualScores(pair labelPair, fields []int) (list []equalScores) {
	for i, l := range pair.own {
		own, ok := c.equalScore(l, fields)
		other, hasOther := c.equalScore(pair.other[i], fields)
		if ok && hasOther {
			list = append(list, equalScores{l, own, other})
		}
	}
	return list
}

// An equalAgreement is the share of items in which two annotators agree, and that expected by chance.
type equalAgreement struct {
	observed, expected             float64
	items                          int
	isOtherConstant, isOwnConstant bool
}

// confirms reports whether two annotators agree beyond chance.
func (a equalAgreement) confirms() bool {
	return a.observed-a.expected >= minEqualKappa*(1-a.expected)
}

// isShown reports whether that is not chance.
func (a equalAgreement) isShown() bool {
	return a.confirms() && (a.observed-a.expected)*math.Sqrt(float64(a.items)) > normalQuantile975*math.Sqrt(a.expected*(1-a.expected))
}

func agreementOf(list []equalScores) equalAgreement {
	agreed, own, others := 0, map[float64]int{}, map[float64]int{}
	for _, s := range list {
		agreed += isTrue(s.own == s.other)
		own[s.own]++
		others[s.other]++
	}
	products := 0 // a sum of whole numbers: the order of the map does not matter
	for score, count := range own {
		products += count * others[score]
	}
	n := float64(max(len(list), 1))
	return equalAgreement{float64(agreed) / n, float64(products) / (n * n), len(list), isConstant(others), isConstant(own)}
}

// isConstant reports whether there is one value, and it is an equal score.
func isConstant(counts map[float64]int) bool {
	_, hasVaried := counts[missingScore]
	return len(counts) < 2 && !hasVaried
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
