package ratereffect

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/stats"
)

// A measurement is the value of one annotator before it is compared with the others.
type measurement struct {
	value     float64
	interval  stats.Interval
	itemCount int
	undefined UntestableReason
	figure    stats.WeightedFigure // whose interval is missing; nil: none is
	misses    int                  // of missed safety risks: those missed of itemCount
	others    OtherAnnotators      // of missed safety risks
	peers     float64              // the value of the others on shared items, if the effect has bind
	peerBound float64              // the value closest to the effect that such others show of work without it
	hasPeers  bool
}

// An effectSpec defines how an effect is measured and which values are tolerated.
type effectSpec struct {
	effect    Effect
	minItems  int
	measure   func(c *labelSet, own []int32) measurement
	tolerance func(peers float64) (low, high float64)
	// bind returns the measure of an effect whose value depends on the items, to be compared on those shared
	// with others; nil: measure compares with them itself.
	bind func(c *labelSet, pairs []labelPair) func(labels []int32) measurement
	// bound returns the value closest to the effect that an annotator without it can have next to that of one other
	// annotator, or false if that one shows nothing; nil: the same value.
	bound func(c *labelSet, pair labelPair, ofOther float64) (float64, bool)
}

// effectSpecs in the order of reports.
var effectSpecs = []effectSpec{
	{effect: Leniency, minItems: 20, measure: measureLeniency, tolerance: symmetricMargin(0.075)},
	{effect: ScoreCompression, minItems: 30, bind: onItems(measureCompression), bound: (*labelSet).boundCompression, tolerance: func(peers float64) (float64, float64) { return 0.85 * peers, math.Inf(1) }},
	{effect: CentralTendency, minItems: 30, bind: onItems(measureCentralTendency), bound: (*labelSet).boundCentralTendency, tolerance: marginAbovePeers(0.1)},
	{effect: HaloEffect, minItems: 30, bind: onItems(measureHalo), bound: (*labelSet).boundHalo, tolerance: marginAbovePeers(0.15)},
	{effect: AnchoringEffect, minItems: 30, measure: measureAnchoring, tolerance: symmetricMargin(0.08)},
	{effect: FatigueDrift, minItems: 60, measure: measureFatigue, tolerance: symmetricMargin(0.05)},
	{effect: LengthBias, minItems: 40, measure: measureLengthBias, tolerance: func(float64) (float64, float64) { return math.Inf(-1), 0.05 }},
	{effect: StraightLining, minItems: 20, bind: onItems(measureStraightLining), tolerance: marginAbovePeers(0.15)},
	{effect: Speeding, minItems: 20, bind: bindSpeeding, tolerance: marginAbovePeers(0.1)},
	{effect: MissedSafety, minItems: minMissedItems, measure: measureMissedSafety, tolerance: marginAbovePeers(missedMargin)},
}

func symmetricMargin(margin float64) func(float64) (float64, float64) {
	return func(float64) (float64, float64) { return -margin, margin }
}

func marginAbovePeers(margin float64) func(float64) (float64, float64) {
	return func(peers float64) (float64, float64) { return math.Inf(-1), peers + margin }
}

// Detect tests every effect that the fields can show on every annotator, annotators sorted by
// name. An effect is detected if its whole interval is outside a tolerance for harmless
// differences: from the others or, for some effects, from what careful work can give.
func Detect(fields []FieldSpec, labels []LabeledItem, o stats.IntervalOptions) []Result {
	return DetectAmong(fields, newLabels(fields, labels), KnownAnswers{}, o)
}

// DetectAmong does the same with columns of labels, and with known answers to some items. Annotators who show straight-lining
// without comparison are then left out of all other comparisons, of which their answers say nothing.
func DetectAmong(fields []FieldSpec, labels Labels, known KnownAnswers, o stats.IntervalOptions) []Result {
	c := newColumnSet(fields, labels)
	c.known = newKnownSet(fields, known)
	attention, comparisons := splitSpecs()
	results := c.detect(attention, o, nil)
	inattentive := findInattentive(results)
	if len(inattentive) == 0 {
		results = append(results, c.detect(comparisons, o, nil)...)
	} else {
		others := newColumnSet(fields, labels.without(inattentive))
		others.known = c.known
		results = append(results, others.detect(comparisons, o, func(name string) bool { return !inattentive[name] })...)
		results = append(results, c.detect(comparisons, o, func(name string) bool { return inattentive[name] })...)
	}
	slices.SortFunc(results, func(a, b Result) int {
		return cmp.Or(strings.Compare(a.Annotator, b.Annotator), cmp.Compare(a.Effect.order(), b.Effect.order()))
	})
	return results
}

// splitSpecs returns the effects that show whether items are read, and all others.
func splitSpecs() (attention, comparisons []effectSpec) {
	for _, spec := range effectSpecs {
		if spec.effect == StraightLining || spec.effect == Speeding {
			attention = append(attention, spec)
		} else {
			comparisons = append(comparisons, spec)
		}
	}
	return attention, comparisons
}

// order returns the place of an effect in reports.
func (e Effect) order() int {
	return slices.IndexFunc(effectSpecs, func(spec effectSpec) bool { return spec.effect == e })
}

// nearlyAll is the share of items with equal answers from which those of an annotator say nothing of others, however they are found.
const nearlyAll = 0.95

// findInattentive returns the annotators who show straight-lining without comparison with each other, or in nearly all items.
func findInattentive(results []Result) map[string]bool {
	found := map[string]bool{}
	for _, r := range results {
		if r.Effect == StraightLining && r.Detected && (r.IsAbsolute || r.IsKnown || r.Value >= nearlyAll && r.ScaleSpan != 1) {
			found[r.Annotator] = true
		}
	}
	return found
}

// detect tests effects on the annotators whom include accepts; if it is nil, on all.
func (c *labelSet) detect(specs []effectSpec, o stats.IntervalOptions, include func(annotator string) bool) []Result {
	measurements := make([][]measurement, len(specs)) // by annotator
	known := make([][]knownMeasurement, len(specs))
	for n := range specs {
		measurements[n], known[n] = make([]measurement, len(c.Annotators)), make([]knownMeasurement, len(c.Annotators))
	}
	for i, own := range c.labelsByAnnotator {
		isTested := include == nil || include(c.Annotators[i])
		var pairs []labelPair
		if isTested {
			pairs = c.pairLabels(own)
		}
		inParallel(len(specs), func(n int) {
			// An annotator who is not tested is measured for the comparison of others with the median value; effects
			// with bind compare on shared items instead.
			if isTested || specs[n].bind == nil {
				measurements[n][i] = specs[n].measureAnnotator(c, own, pairs)
			}
		})
		if !isTested {
			continue
		}
		var list []*measurement
		for n, spec := range specs {
			known[n][i] = c.known.measure(spec.effect, i)
			list = append(list, &measurements[n][i], &known[n][i].measurement)
		}
		addIntervals(list, o.WithDefaults())
	}
	var results []Result
	for i, name := range c.Annotators {
		if include != nil && !include(name) {
			continue
		}
		for n, spec := range specs {
			if r := spec.compare(c, i, measurements[n], known[n][i]); !r.isImpossible() {
				results = append(results, r)
			}
		}
	}
	return results
}

// test measures every annotator and compares each with the others.
func (s effectSpec) test(c *labelSet, o stats.IntervalOptions) []Result {
	measurements, known := make([]measurement, len(c.Annotators)), make([]knownMeasurement, len(c.Annotators))
	for i, own := range c.labelsByAnnotator {
		measurements[i], known[i] = s.measureAnnotator(c, own, c.pairLabels(own)), c.known.measure(s.effect, i)
		addIntervals([]*measurement{&measurements[i], &known[i].measurement}, o)
	}
	results := make([]Result, len(c.Annotators))
	for i := range results {
		results[i] = s.compare(c, i, measurements, known[i])
	}
	return results
}

// compare compares the measurement of an annotator with those of the others, and with known answers.
func (s effectSpec) compare(c *labelSet, annotator int, measurements []measurement, known knownMeasurement) Result {
	m := measurements[annotator]
	r := Result{Effect: s.effect, Annotator: c.Annotators[annotator], Undefined: m.undefined, ItemCount: m.itemCount, MinItems: s.minItems, ScaleSpan: c.scaleSpan(), Misses: m.misses, Others: m.others}
	if r.Others == "" && c.isOneOfTwo(annotator) {
		r.Others = OneOther
	} else if r.Others == "" {
		r.Others = c.trends[s.effect].rivalsOf(annotator)
	}
	peers, bound, ok := m.peers, m.peerBound, m.hasPeers
	if s.bind == nil {
		peers, ok = medianOfOthers(measurements, annotator)
		bound = peers
	}
	switch {
	case m.undefined != "":
	case s.effect == MissedSafety:
		c.compareMissed(annotator, m, &r)
	case !ok:
		r.Undefined = NoPeerValue
	default:
		r.compare(m, peers, bound, s.tolerance)
		if s.effect == StraightLining && r.Detected {
			c.contrastEqualAnswers(c.labelsByAnnotator[annotator], &r)
		}
	}
	s.testKnown(known, &r)
	s.testAbsolute(c, c.labelsByAnnotator[annotator], &r)
	return r
}

func (s effectSpec) measureAnnotator(c *labelSet, own []int32, pairs []labelPair) measurement {
	switch {
	case s.effect == Speeding && !c.hasTimes:
		return measurement{undefined: UnknownTimes}
	case s.effect == FatigueDrift && !c.hasBreaks:
		return measurement{undefined: UnknownBreaks}
	case s.effect == LengthBias && !c.hasLengths:
		return measurement{undefined: UnknownLengths}
	}
	if len(c.Annotators) < 2 {
		return s.measureAlone(c, own)
	}
	if s.bind != nil {
		return s.measureOnShared(c, own, pairs)
	}
	m := s.measure(c, own)
	if m.undefined == "" && m.itemCount < s.minItems {
		m.undefined = TooFewItems
	}
	return m
}

// measureAlone returns why an annotator without others cannot be compared: that no fields can show the effect, or that there are
// no others.
func (s effectSpec) measureAlone(c *labelSet, own []int32) measurement {
	measure := func(labels []int32) measurement { return s.measure(c, labels) }
	if s.bind != nil {
		measure = s.bind(c, nil)
	}
	if m := measure(own); m.undefined.isImpossible() {
		return m
	}
	return measurement{undefined: NoOtherAnnotators}
}

// measureOnShared measures an annotator and the others on the items that they share.
func (s effectSpec) measureOnShared(c *labelSet, own []int32, pairs []labelPair) measurement {
	measure, shared := s.bind(c, pairs), c.labelsOnSharedItems(own)
	m := measure(shared)
	switch {
	case m.undefined.isImpossible():
	case len(shared) == 0:
		return measurement{undefined: NoSharedItems}
	case len(shared) < s.minItems:
		return measurement{undefined: TooFewItems, itemCount: len(shared)}
	case m.undefined == "" && m.itemCount < s.minItems:
		m.undefined = TooFewItems
	case m.undefined == "" && !s.areVaried(c, shared, pairs):
		m.undefined = ConstantAnswers
	case m.undefined == "":
		s.compareOnShared(c, pairs, &m, measure)
	}
	return m
}

// onItems binds a measure that depends on an annotator's own labels only.
func onItems(measure func(c *labelSet, own []int32) measurement) func(*labelSet, []labelPair) func([]int32) measurement {
	return func(c *labelSet, _ []labelPair) func([]int32) measurement {
		return func(labels []int32) measurement { return measure(c, labels) }
	}
}

// medianOfOthers returns false if no other annotator has a value.
func medianOfOthers(measurements []measurement, except int) (float64, bool) {
	var values []float64
	for i, m := range measurements {
		if i != except && m.undefined == "" {
			values = append(values, m.value)
		}
	}
	if len(values) == 0 {
		return 0, false
	}
	slices.Sort(values)
	return stats.Quantile(values, 0.5), true
}
