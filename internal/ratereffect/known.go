package ratereffect

import (
	"cmp"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// KnownAnswers are labels of items whose right answers are known: adjudicated items, and
// calibration items with reference answers. They show effects that all annotators share, which no
// comparison among them can.
type KnownAnswers struct {
	Labels           // of the same annotators as the labels to test; at position 0 those of calibration items
	Right  [][]uint8 // field → label → index of the known answer on the scale, or NoPoint
}

// A knownSet is the given and the right answers to the same items. The deviations of the given
// ones are from the right ones.
type knownSet struct{ given, right *labelSet }

// newKnownSet returns nil without known answers.
func newKnownSet(fields []FieldSpec, k KnownAnswers) *knownSet {
	if len(k.ItemOf) == 0 {
		return nil
	}
	given, right := k.Labels, k.Labels
	given.Points, right.Points = nil, nil
	for f := range fields {
		given.Points = append(given.Points, maskPoints(k.Points[f], k.Right[f]))
		right.Points = append(right.Points, maskPoints(k.Right[f], k.Points[f]))
	}
	s := &knownSet{newPlainSet(fields, given), newPlainSet(fields, right)}
	for f := range fields {
		for l := range int32(len(k.ItemOf)) {
			score, ok := s.given.score(l, f)
			if known, isKnown := s.right.score(l, f); ok && isKnown {
				s.given.deviations[l] += score - known
				s.given.compared[l]++
				s.right.compared[l]++ // right answers deviate by 0
			}
		}
	}
	return s
}

// maskPoints returns points where the other points exist too.
func maskPoints(points, other []uint8) []uint8 {
	masked := slices.Clone(points)
	for l, point := range other {
		if point == NoPoint {
			masked[l] = NoPoint
		}
	}
	return masked
}

// A knownTest measures an effect in the given answers, next to the right ones.
type knownTest struct {
	minItems int
	workOnly bool // calibration items do not count: they come before the work, and their length is not known
	measure  func(c, right *labelSet, own []int32) measurement
	expect   func(c, right *labelSet, own []int32) float64 // the same value of careful work; nil: that of the right answers
	margin   float64                                       // above that; 0: the tolerance of the comparison with the others
	// amongOthers is the value of right answers in the comparison with the others: of those to the
	// same items. Not needed where measure is what that comparison measures.
	amongOthers func(c, right *labelSet, own []int32) float64
}

// knownTests are the effects that known answers show.
var knownTests = map[Effect]knownTest{
	Leniency:         {minItems: 10, measure: onGiven(measureLeniency)},
	ScoreCompression: {minItems: 20, measure: onGiven(measureCompression)},
	CentralTendency:  {minItems: 20, measure: onGiven(measureCentralTendency)},
	HaloEffect:       {minItems: 20, measure: onGiven(measureHalo)},
	AnchoringEffect:  {minItems: 20, workOnly: true, measure: onGiven(measureAnchoring)},
	FatigueDrift:     {minItems: 30, workOnly: true, measure: onGiven(measureFatigue)},
	LengthBias:       {minItems: 20, workOnly: true, measure: onGiven(measureLengthBias)},
	StraightLining:   {minItems: 10, measure: onGiven(measureEqualAnswers)},
	MissedSafety:     {minItems: minMissedItems, measure: measureMissedKnown, expect: expectMissed, margin: missedKnownMargin, amongOthers: shareWithoutRisk},
}

// onGiven measures the given answers alone.
func onGiven(measure func(*labelSet, []int32) measurement) func(c, right *labelSet, own []int32) measurement {
	return func(c, _ *labelSet, own []int32) measurement { return measure(c, own) }
}

// measureMissedKnown returns the share of answers without a risk among those for which the right
// answer reports one.
func measureMissedKnown(c, right *labelSet, own []int32) measurement {
	hits, n := 0, 0
	for f, field := range c.fields {
		for _, l := range own {
			if c.isKnownRisk(right, l, f) {
				n++
				hits += isTrue(!field.isUnsafe(c.answer(l, f)))
			}
		}
	}
	m := measurementFromProportion(stats.NewProportion(hits, n))
	m.misses = hits
	return m
}

// expectMissed returns the share that careful work would miss. Items are adjudicated because
// annotators disagree: there it is the share of the others who miss the risk, elsewhere 0.
func expectMissed(c, right *labelSet, own []int32) float64 {
	sum, n := 0.0, 0.0
	for f, field := range c.fields {
		for _, l := range own {
			if !c.isKnownRisk(right, l, f) {
				continue
			}
			missed, others := 0, 0
			for _, other := range c.byItem.at(c.ItemOf[l]) {
				if _, ok := c.score(other, f); ok && other != l {
					others++
					missed += isTrue(!field.isUnsafe(c.answer(other, f)))
				}
			}
			isMissed := !field.isUnsafe(c.answer(l, f))
			if n++; c.Position(l) > 0 && others > 0 && (isMissed || missed > 0) && !(isMissed && missed == others) {
				sum += float64(missed) / float64(others)
			}
		}
	}
	return sum / max(n, 1)
}

// shareWithoutRisk returns the share of right answers without a risk among those for which most
// other annotators report one. It is high where the others share an effect, and careful work
// reports no risk there either.
func shareWithoutRisk(c, right *labelSet, own []int32) float64 {
	hits, n := 0, 0
	for f, field := range c.fields {
		for _, l := range own {
			if _, ok := c.score(l, f); ok && c.Position(l) > 0 && c.othersAnsweredUnsafe(l, f) {
				n++
				hits += isTrue(!field.isUnsafe(right.answer(l, f)))
			}
		}
	}
	return float64(hits) / float64(max(n, 1))
}

// isKnownRisk reports whether a field of a label is answered, and the right answer reports a risk.
func (c *labelSet) isKnownRisk(right *labelSet, label int32, field int) bool {
	_, ok := c.score(label, field)
	return ok && c.fields[field].isUnsafe(right.answer(label, field))
}

func (f FieldSpec) isUnsafe(answer int) bool { return slices.Contains(f.UnsafeAnswers, answer) }

func isTrue(condition bool) int {
	if condition {
		return 1
	}
	return 0
}

// A knownMeasurement is that of an annotator, and the same value of the right answers or of careful
// work.
type knownMeasurement struct {
	measurement
	right       float64
	amongOthers float64 // the value of right answers in the comparison with the others; 0: not needed
}

// measure returns the measurement of an effect, without its interval.
func (k *knownSet) measure(effect Effect, annotator int) knownMeasurement {
	test, ok := knownTests[effect]
	if k == nil || !ok {
		return knownMeasurement{measurement: measurement{undefined: TooFewItems}}
	}
	var own []int32
	for _, l := range k.given.labelsByAnnotator[annotator] {
		if _, ok := k.given.meanDeviation(l); ok && (!test.workOnly || k.given.Position(l) > 0) {
			own = append(own, l)
		}
	}
	amongOthers := 0.0
	if test.amongOthers != nil {
		amongOthers = test.amongOthers(k.given, k.right, own)
	}
	if len(own) < test.minItems {
		return knownMeasurement{measurement: measurement{undefined: TooFewItems, itemCount: len(own)}, amongOthers: amongOthers}
	}
	m := test.measure(k.given, k.right, own)
	if m.undefined == "" && m.itemCount < test.minItems {
		m.undefined = TooFewItems
	}
	if test.expect != nil {
		return knownMeasurement{m, test.expect(k.given, k.right, own), amongOthers}
	}
	right := test.measure(k.right, k.right, own)
	m.undefined = cmp.Or(m.undefined, right.undefined)
	return knownMeasurement{m, right.value, amongOthers}
}

// tolerated returns the tolerance of the test of an effect by known answers.
func (s effectSpec) tolerated(right float64) (low, high float64) {
	if margin := knownTests[s.effect].margin; margin > 0 {
		return marginAbovePeers(margin)(right)
	}
	return s.tolerance(right)
}

// testKnown sets the result of the test by known answers if it finds the effect, if there is no
// other test, and if it rules out what the comparison with the others found. Nothing is found where
// right answers differ from the others as much as the annotator does.
func (s effectSpec) testKnown(m knownMeasurement, r *Result) {
	r.Detected = r.Detected && !s.isAsRight(m, *r)
	if m.undefined == TooFewItems {
		r.knownItems, r.minKnownItems = m.itemCount, knownTests[s.effect].minItems
	}
	if m.undefined != "" {
		return
	}
	_, high := s.tolerated(m.right)
	isExcluded := m.interval.Defined() && m.interval.High <= high
	defer func() { r.isKnownTested, r.isExcluded = true, isExcluded }()
	known := Result{Effect: s.effect, Annotator: r.Annotator, ItemCount: m.itemCount, MinItems: knownTests[s.effect].minItems, ScaleSpan: r.ScaleSpan, IsAbsolute: true, IsKnown: true}
	known.compare(m.measurement, m.right, m.right, s.tolerated)
	if s.effect == MissedSafety {
		known.Misses, known.Tolerated = m.misses, m.right+missedKnownMargin
		known.testMisses()
	}
	if known.Undefined != "" {
		return
	}
	if known.Detected || r.Undefined != "" || r.lacksPeers && !r.Detected || r.Detected && s.rulesOut(known, *r) {
		*r = known
	}
}

// rulesOut reports whether the known answers, which do not show an effect, exclude it or the value
// that the comparison with the others gives. That value is wrong where most others have the effect.
func (s effectSpec) rulesOut(known, relative Result) bool {
	low, high := known.bounds()
	toleratedLow, toleratedHigh := s.tolerated(known.PeerMedian)
	return low >= toleratedLow && high <= toleratedHigh || relative.Value < low || relative.Value > high
}

// isAsRight reports whether right answers would differ from the others as much as the annotator does.
func (s effectSpec) isAsRight(m knownMeasurement, relative Result) bool {
	low, _ := relative.bounds()
	_, toleratedHigh := s.tolerance(m.amongOthers)
	return m.amongOthers > max(relative.PeerMedian, 0) && low <= toleratedHigh
}

// compare sets the result of a measurement next to the value of others or of the right answers. bound is the highest
// value that these show of work without the effect: it is higher than theirs if they may err more often.
func (r *Result) compare(m measurement, peers, bound float64, tolerance func(peers float64) (low, high float64)) {
	r.Value, r.Interval, r.PeerMedian = m.value, m.interval, peers
	low, high := tolerance(peers)
	isDifferent, hasRoom := r.isOutside(low, high), !r.leavesNoRoom(low, high)
	low, high = tolerance(bound)
	r.Detected, r.Detectable, r.margin = r.isOutside(low, high), r.smallestDetectable(low, high), high
	switch {
	case r.Detected:
	case !hasRoom:
		r.Undefined = NoRoom
	case isDifferent, r.leavesNoRoom(low, high):
		r.Undefined = LowAgreement
	case r.isTooUncertain():
		r.Undefined = TooUncertain
	}
}

// isOutside reports whether the whole interval is outside the tolerance.
func (r *Result) isOutside(toleratedLow, toleratedHigh float64) bool {
	low, high := r.bounds()
	return high < toleratedLow || low > toleratedHigh
}

// isTooUncertain reports whether not even a difference of the whole scale would be detected.
func (r *Result) isTooUncertain() bool {
	switch r.Effect {
	case Leniency, AnchoringEffect, FatigueDrift, LengthBias:
		return r.Detectable > 1
	}
	return false
}

// leavesNoRoom reports whether as many items with the most extreme value would be within the tolerance.
func (r *Result) leavesNoRoom(toleratedLow, toleratedHigh float64) bool {
	switch r.Effect {
	case ScoreCompression:
		return toleratedLow <= 0 || r.Value <= 0
	case HaloEffect:
		return toleratedHigh >= 1 || r.Value >= 1
	case CentralTendency, StraightLining, Speeding:
		return stats.NewProportion(r.ItemCount, r.ItemCount).Interval.Low <= toleratedHigh || r.Value >= 1
	}
	return false
}
