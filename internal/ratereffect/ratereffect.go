// Package ratereffect detects rater effects, such as leniency or straight-lining, by
// comparing each annotator's labels with those of the others on the same items, with known
// answers and with what careful work can give.
package ratereffect

import (
	"math"

	"github.com/labelwright/labelwright/internal/stats"
)

// NotApplicable marks a field that does not apply to an item.
const NotApplicable = math.MinInt

// A FieldSpec is the scale of a field.
type FieldSpec struct {
	Scale         stats.NumericScale
	UnsafeAnswers []int // answers that report a risk; none for fields not about safety
}

// A LabeledItem is one submitted annotation, without calibration items and hidden
// duplicates.
type LabeledItem struct {
	Item, Annotator string
	Position        int     // 1, 2, … in the annotator's sequence
	ItemsSinceBreak int     // 0 right after a break
	ActiveSeconds   float64 // 0 if unknown
	TextLength      float64 // in characters
	Answers         []int   // by field; NotApplicable if the field does not apply
}

// An Effect identifies a rater effect.
type Effect string

// The effects, in the order of reports.
const (
	Leniency         Effect = "leniency"
	ScoreCompression Effect = "score_compression"
	CentralTendency  Effect = "central_tendency"
	HaloEffect       Effect = "halo_effect"
	AnchoringEffect  Effect = "anchoring_effect"
	FatigueDrift     Effect = "fatigue_drift"
	LengthBias       Effect = "length_bias"
	StraightLining   Effect = "straight_lining"
	Speeding         Effect = "speeding"
	MissedSafety     Effect = "missed_safety"
)

// An UntestableReason identifies why an effect could not be tested.
type UntestableReason string

// The reasons.
const (
	TooFewItems       UntestableReason = "too_few_items" // fewer than MinItems
	NoOtherAnnotators UntestableReason = "no_other_annotators"
	NoPeerValue       UntestableReason = "no_peer_value" // no other annotator has enough items
	NoSharedItems     UntestableReason = "no_shared_items"
	TooFewEarlyItems  UntestableReason = "too_few_early_items" // of the first items are shared
	ConstantAnswers   UntestableReason = "constant_answers"
	ShortWorkPeriods  UntestableReason = "short_work_periods" // breaks too frequent for a drift
	UnknownBreaks     UntestableReason = "unknown_breaks"     // no label of any annotator has an item since a break
	EqualTextLengths  UntestableReason = "equal_text_lengths"
	UnknownLengths    UntestableReason = "unknown_lengths"
	TwoPointScales    UntestableReason = "two_point_scales"
	NoMiddlePoint     UntestableReason = "no_middle_point"
	SingleField       UntestableReason = "single_field"
	TooFewFields      UntestableReason = "fewer_than_three_fields"
	NoPeerTimes       UntestableReason = "no_peer_times"
	UnknownTimes      UntestableReason = "unknown_times"
	NoSafetyField     UntestableReason = "no_safety_field"
	LowAgreement      UntestableReason = "low_agreement"    // of annotators, so that errors of the others can be the cause
	UnverifiedItems   UntestableReason = "unverified_items" // nothing shows whether the items deserve equal answers
	TooUncertain      UntestableReason = "too_uncertain"    // not even the whole scale would be detected
	NoRoom            UntestableReason = "no_room"          // the value of the others is so extreme that no value differs from it
)

// A Result is the test of one effect on one annotator. Value, PeerMedian and Interval are
// in the unit of the effect; scores are shares of the scale.
type Result struct {
	Effect    Effect
	Annotator string
	Undefined UntestableReason // why there is no value; blank with a value

	Value         float64
	Interval      stats.Interval
	PeerMedian    float64       // median value of the others
	ItemCount     int           // items used
	MinItems      int           // items needed
	Detected      bool          // the whole interval is outside the tolerance
	IsAbsolute    bool          // detected by what careful work can give, not by comparison with the others
	AbsoluteBasis AbsoluteBasis // of an absolute test
	TargetSeconds float64       // the lower end of the protocol's pace, for TargetPace
	IsKnown       bool          // PeerMedian is of known answers to the same items
	IsConfirmed   bool          // equal answers are frequent, but as close to those of the others as varied ones
	Detectable    float64       // the value that as many items would have shown, if not detected
	ScaleSpan     int           // of the fields; 0 if they differ

	// Others is how many others a comparison is with. Of missed safety risks these are the ones who report the risks, and
	// blank if known answers do; of other effects OneOther is set if two annotators share items only with each other, and OnePeer
	// or OtherHalf if nothing tells whose trend it is.
	Others OtherAnnotators

	// Of missed safety risks. There is a test with as many items as are needed.
	Misses    int     // risks missed, of ItemCount
	Tolerated float64 // share of misses that is tolerated
	PValue    float64 // of at least as many misses where the tolerated share is missed
	// isTestedAlone: a test without other annotators found nothing. isKnownTested: there are enough known answers.
	// isExcluded: these exclude the effect.
	isTestedAlone, isKnownTested, isExcluded bool
	knownItems, minKnownItems                int // known answers, where they are too few; else 0

	margin     float64 // difference that is tolerated, as a share of the scale, in tests of a difference
	lacksPeers bool    // no other annotator has enough items to compare
}

// A ResultState is what a test has shown.
type ResultState string

// The states.
const (
	Found         ResultState = "found"
	NotFound      ResultState = "not_found"
	NotEnoughData ResultState = "not_enough_data"
	Untestable    ResultState = "untestable" // no value could be found with these labels
)

// EitherCanBeRight reports whether nothing shows which of two annotators differs from careful work.
func (r Result) EitherCanBeRight() bool {
	return (r.Others == OneOther || r.Others == OnePeer || r.Others == OtherHalf) && !r.IsKnown && (r.Effect == MissedSafety || !r.IsAbsolute)
}

// State returns what the test has shown.
func (r Result) State() ResultState {
	switch {
	case r.Undefined == NoRoom:
		return Untestable
	case r.Undefined != "":
		return NotEnoughData
	case r.Detected:
		return Found
	}
	return NotFound
}

// isImpossible reports whether the protocol cannot show the effect.
func (r Result) isImpossible() bool { return r.Undefined.isImpossible() }

func (r UntestableReason) isImpossible() bool {
	switch r {
	case TwoPointScales, NoMiddlePoint, SingleField, TooFewFields, NoSafetyField:
		return true
	}
	return false
}

// NeedsOtherData reports whether labels lack what the effect depends on, so that more of the same kind would not show it.
func (r UntestableReason) NeedsOtherData() bool {
	switch r {
	case UnknownTimes, UnknownBreaks, UnknownLengths, ShortWorkPeriods, EqualTextLengths:
		return true
	}
	return false
}

// bounds returns the ends of the interval. If no resample differs there is no interval,
// and the value is as certain as its items can make it.
func (r Result) bounds() (low, high float64) {
	if r.Interval.Defined() {
		return r.Interval.Low, r.Interval.High
	}
	return r.Value, r.Value
}
