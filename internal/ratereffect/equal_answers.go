package ratereffect

import (
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// Equal answers to all fields of an item, and what the other labels of the items show about them.

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
)

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
