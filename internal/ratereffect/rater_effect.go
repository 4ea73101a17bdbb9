package ratereffect

import (
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// NotApplicable stands for the answer to a field that did not apply.
const NotApplicable = math.MinInt

// An FieldSpec is a field as habits see it.
type FieldSpec struct {
	Scale         stats.NumericScale
	UnsafeAnswers []int // the answers that say danger; none where the field is not about safety
}

// A LabeledItem is one submitted annotation as habits see it. Calibration items and
// hidden duplicates do not belong among them.
type LabeledItem struct {
	Item, Annotator string
	Position        int     // 1, 2, … in the annotator's sequence
	ItemsSinceBreak int     // items done since the last break, 0 just after it
	ActiveSeconds   float64 // active time
	TextLength      float64 // characters of the text that was judged
	Answers         []int   // by field; Absent where a field did not apply
}

// A EffectName is what a habit is called.
type EffectName string

// The habits, in the order they are reported.
const (
	Leniency         EffectName = "leniency"
	ScoreCompression EffectName = "score compression"
	CentralTendency  EffectName = "safe middle"
	HaloEffect       EffectName = "halo"
	AnchoringEffect  EffectName = "anchoring on early items"
	FatigueDrift     EffectName = "fatigue drift"
	LengthBias       EffectName = "length over-credited"
	StraightLining   EffectName = "straight-lining"
	Speeding         EffectName = "speeding"
	MissedRisks      EffectName = "safety overlooked"
)

// A EffectResult is what one annotator's answers say about one habit. Value, Peers and
// Interval are in the habit's own unit; those of scores are shares of the scale.
type EffectResult struct {
	Name      EffectName
	Annotator string
	Undefined string // why it cannot be judged; blank where it can

	Value      float64
	Interval   stats.Interval
	PeerMedian float64 // the median of the same value over the others
	ItemCount  int     // items it rests on
	MinItems   int     // items it takes
	Detected   bool    // the whole interval lies beyond what does not matter
	Message    string  // one sentence: what it is and what to do
}

// A measurement is the measured value of one annotator, before the others are known.
type measurement struct {
	value     float64
	interval  stats.Interval
	itemCount int
	undefined string // why there is no value
}

// A effectSpec is how a habit is measured and when it is found.
type effectSpec struct {
	name      EffectName
	minItems  int
	measure   func(c *labelSet, own []int, o stats.IntervalOptions) measurement
	tolerance func(peers float64) (low, high float64) // inside them it does not matter
	describe  func(h EffectResult, c *labelSet) string
}

// effectSpecs in the order of their names.
func effectSpecs() []effectSpec {
	return []effectSpec{
		{Leniency, 20, measureLeniency, symmetricMargin(0.075), describeLeniency},
		{ScoreCompression, 30, measureCompression, func(peers float64) (float64, float64) { return 0.85 * peers, math.Inf(1) }, describeCompression},
		{CentralTendency, 30, measureCentralTendency, marginAbovePeers(0.1), describeCentralTendency},
		{HaloEffect, 30, measureHalo, marginAbovePeers(0.15), describeHalo},
		{AnchoringEffect, 30, measureAnchoring, symmetricMargin(0.08), describeAnchoring},
		{FatigueDrift, 60, measureFatigue, symmetricMargin(0.05), describeFatigue},
		{LengthBias, 40, measureLengthBias, func(float64) (float64, float64) { return math.Inf(-1), 0.05 }, describeLengthBias},
		{StraightLining, 20, measureStraightLining, marginAbovePeers(0.15), describeStraightLining},
		{Speeding, 20, measureSpeeding, marginAbovePeers(0.1), describeSpeeding},
		{MissedRisks, 8, measureMissedRisks, marginAbovePeers(0.2), describeMissedRisks},
	}
}

// symmetricMargin are limits on both sides of none.
func symmetricMargin(margin float64) func(float64) (float64, float64) {
	return func(float64) (float64, float64) { return -margin, margin }
}

// marginAbovePeers is a limit over the others.
func marginAbovePeers(margin float64) func(float64) (float64, float64) {
	return func(peers float64) (float64, float64) { return math.Inf(-1), peers + margin }
}

// DetectEffects judges every habit of every annotator against the others, annotators in
// the order of their names. A habit is found where its whole interval lies beyond
// a margin that would not matter: small differences between people are no habit.
func DetectEffects(fields []FieldSpec, labels []LabeledItem, o stats.IntervalOptions) []EffectResult {
	c := newLabelSet(fields, labels)
	byAnnotator := map[string][]EffectResult{}
	for _, t := range effectSpecs() {
		for _, h := range t.assess(c, o.WithDefaults()) {
			byAnnotator[h.Annotator] = append(byAnnotator[h.Annotator], h)
		}
	}
	var all []EffectResult
	for _, name := range c.annotators {
		all = append(all, byAnnotator[name]...)
	}
	return all
}

// assess measures everybody, then each against the others.
func (t effectSpec) assess(c *labelSet, o stats.IntervalOptions) []EffectResult {
	measurements := make([]measurement, len(c.annotators))
	for i, own := range c.labelsByAnnotator {
		measurements[i] = t.measureAnnotator(c, own, o)
	}
	results := make([]EffectResult, len(c.annotators))
	for i, name := range c.annotators {
		r := measurements[i]
		h := EffectResult{Name: t.name, Annotator: name, Undefined: r.undefined, ItemCount: r.itemCount, MinItems: t.minItems}
		peers, ok := medianOfOthers(measurements, i)
		if !ok && r.undefined == "" {
			h.Undefined = "nobody else can be compared yet"
		}
		if h.Undefined == "" {
			h.Value, h.Interval, h.PeerMedian = r.value, r.interval, peers
			low, high := t.tolerance(peers)
			from, to := h.bounds()
			h.Detected = to < low || from > high
		}
		h.Message = t.formatMessage(h, c)
		results[i] = h
	}
	return results
}

func (t effectSpec) measureAnnotator(c *labelSet, own []int, o stats.IntervalOptions) measurement {
	if len(c.annotators) < 2 {
		return measurement{undefined: "nobody else has answered: habits show against others"}
	}
	r := t.measure(c, own, o)
	if r.undefined == "" && r.itemCount < t.minItems {
		r.undefined = explainTooFewItems(r.itemCount, t.minItems)
	}
	return r
}

// bounds are the interval's. Where no resample differs the value is as sure as its
// items can make it.
func (h EffectResult) bounds() (low, high float64) {
	if h.Interval.Defined() {
		return h.Interval.Low, h.Interval.High
	}
	return h.Value, h.Value
}

// medianOfOthers says false where nobody else has a value.
func medianOfOthers(measurements []measurement, except int) (float64, bool) {
	var values []float64
	for i, r := range measurements {
		if i != except && r.undefined == "" {
			values = append(values, r.value)
		}
	}
	if len(values) == 0 {
		return 0, false
	}
	slices.Sort(values)
	return stats.Quantile(values, 0.5), true
}
