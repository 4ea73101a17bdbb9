package ratereffect

import (
	"fmt"
	"math"
)

// Texts writes a text, named by its English form, with its arguments in a language. A Locale
// of package locale does.
type Texts interface {
	T(text string, args ...any) string
}

// english writes texts without separators in numbers.
type english struct{}

// T returns the text itself with its arguments.
func (english) T(text string, args ...any) string { return fmt.Sprintf(text, args...) }

// Text returns the name of the effect.
func (e Effect) Text() string { return e.TextIn(english{}) }

// TextIn returns the name of the effect in the language of t.
func (e Effect) TextIn(t Texts) string {
	return map[Effect]string{
		Leniency: t.T("leniency/severity"), ScoreCompression: t.T("score compression"), CentralTendency: t.T("central tendency"), HaloEffect: t.T("halo effect"),
		AnchoringEffect: t.T("anchoring effect"), FatigueDrift: t.T("fatigue drift"), LengthBias: t.T("length bias"), StraightLining: t.T("straight-lining"),
		Speeding: t.T("speeding"), MissedSafety: t.T("missed safety risks"),
	}[e]
}

// Definition says in a sentence what the effect is, for readers who do not know its name.
func (e Effect) Definition() string {
	return map[Effect]string{
		Leniency:         "Leniency/severity: scores are higher or lower than those of others for the same items.",
		ScoreCompression: "Score compression: scores use less of the scale than the items differ.",
		CentralTendency:  "Central tendency: the middle of the scale is chosen more often than the items deserve.",
		HaloEffect:       "Halo effect: one impression of an item decides several of its fields.",
		AnchoringEffect:  "Anchoring effect: the first items are scored by another standard than later ones.",
		FatigueDrift:     "Fatigue drift: the standard changes the longer the work goes on without a break.",
		LengthBias:       "Length bias: longer texts get higher scores for their length.",
		StraightLining:   "Straight-lining: all fields of an item get the same answer, or the answers of the previous item.",
		Speeding:         "Speeding: answers come faster than the item can be read.",
		MissedSafety:     "Missed safety risks: risks that others or known answers report are not reported.",
	}[e]
}

func (r UntestableReason) textIn(t Texts) string {
	return map[UntestableReason]string{
		NoOtherAnnotators: t.T("no other annotator has labeled items"),
		NoPeerValue:       t.T("no other annotator has enough items to compare"),
		NoSharedItems:     t.T("no other annotator has labeled the same items"),
		TooFewEarlyItems:  t.T("fewer than %d of the first %.0f items have labels of other annotators", minEarlyItems, earlyItems),
		ConstantAnswers:   t.T("the answers do not vary enough"),
		ShortWorkPeriods:  t.T("the breaks are too frequent to measure a drift between them"),
		UnknownBreaks:     t.T("no breaks are recorded"),
		EqualTextLengths:  t.T("the texts have the same length"),
		UnknownLengths:    t.T("the lengths of the texts are unknown"),
		TwoPointScales:    t.T("no scale has more than two points"),
		NoMiddlePoint:     t.T("no scale has a middle point"),
		SingleField:       t.T("at least two fields are needed"),
		TooFewFields:      t.T("at least three fields are needed"),
		NoPeerTimes:       t.T("the times of the other annotators are unknown"),
		UnknownTimes:      t.T("the times are unknown"),
		NoSafetyField:     t.T("no field is about safety"),
		TooUncertain:      t.T("the labels differ so much that not even a difference of the whole scale would be detected"),
		LowAgreement:      t.T("annotators agree too little to tell the effect from errors of the others"),
	}[r]
}

// UndefinedText returns why there is no value, as a clause; empty with a value.
func (r Result) UndefinedText() string { return r.undefinedText(english{}) }

func (r Result) undefinedText(t Texts) string {
	switch r.Undefined {
	case TooFewItems:
		return t.T("%d of %d items", r.ItemCount, r.MinItems)
	case NoRoom:
		return r.noRoomText(t)
	case UnverifiedItems:
		return t.T("all fields have the same answer in %.0f%% of %d items, and neither other annotators nor known answers show whether the items deserve it", 100*r.Value, r.ItemCount)
	}
	text := r.Undefined.textIn(t)
	switch r.Undefined {
	case NoOtherAnnotators, NoPeerValue, NoSharedItems:
		if r.knownItems > 0 && r.Effect != MissedSafety {
			return text + t.T(", and only %d of %d items needed have a known answer", r.knownItems, r.minKnownItems)
		}
	}
	return text
}

// Message states the finding and, for a detected effect, what to do about it.
func (r Result) Message() string { return r.MessageIn(english{}) }

// MessageIn is Message in the language of t.
func (r Result) MessageIn(t Texts) string {
	switch {
	case r.HasMisses():
		return r.missedText(t)
	case r.Undefined == NoRoom:
		return t.T("Cannot be tested with these labels: %s.", r.undefinedText(t))
	case r.Undefined != "":
		return t.T("Not enough data: %s.", r.undefinedText(t))
	case !r.Detected && r.IsConfirmed:
		return t.T("Not found: the answers are equal in %.0f%% of %d items, but these are as close to those of the others as the varied answers.", 100*r.Value, r.ItemCount)
	case !r.Detected && r.isTolerated() && r.IsKnown:
		return t.T("A difference of %s from the known answers is not shown to be more than the tolerated %s; could have detected %s.", r.size(t), r.points(t, r.margin), r.detectableText(t))
	case !r.Detected && r.isTolerated():
		return t.T("A difference of %s from the others is not shown to be more than the tolerated %s; could have detected %s.", r.size(t), r.points(t, r.margin), r.detectableText(t))
	case !r.Detected && r.IsKnown:
		return t.T("Not found in %d items with a known answer; could have detected %s.", r.ItemCount, r.detectableText(t))
	case !r.Detected && r.isTestedAlone:
		return t.T("Not found in %d items; could have detected %s.", r.ItemCount, r.detectableText(t))
	case !r.Detected:
		return t.T("No difference from the others found in %d items; could have detected %s.", r.ItemCount, r.detectableText(t))
	case r.IsKnown:
		_, advice := r.describe(t)
		return r.describeKnown(t) + ". " + advice
	case r.IsAbsolute:
		finding, advice := r.describeAbsolute(t)
		return finding + ". " + advice
	}
	finding, advice := r.describe(t)
	if r.EitherCanBeRight() && r.Effect != MissedSafety {
		switch r.Others {
		case OnePeer:
			advice = t.T("Either can be right, as only one other annotator started with the same items: look at some of them together.")
			if r.Effect != AnchoringEffect {
				advice = t.T("Either can be right, as only one other annotator shows it: look at some of the items together.")
			}
		case OtherHalf:
			advice = t.T("Either can be right, as half of the annotators differ from the other half: look at some of the items together.")
		default:
			advice = t.T("Either can be right, as these items have only one other annotator: look at some of them together.")
			if r.Effect == ScoreCompression || r.Effect == CentralTendency {
				advice = t.T("Either can be right, as these items have only one other annotator, whose scores also vary more if that one errs more: look at some of them together.")
			}
		}
	}
	return finding + ". " + advice
}

// isTolerated reports whether there is a difference, but not shown to be more than is tolerated.
func (r Result) isTolerated() bool {
	low, high := r.bounds()
	switch r.Effect {
	case Leniency, AnchoringEffect, FatigueDrift:
		return (low > 0 || high < 0) && r.roundPoints(math.Abs(r.Value), math.Round) > 0
	case LengthBias:
		return low > 0 && r.roundPoints(r.Value, math.Round) > 0
	}
	return false
}

// detectableText describes the smallest effect that the items would have shown.
func (r Result) detectableText(t Texts) string {
	switch r.Effect {
	case ScoreCompression:
		return t.T("a spread of %s or less", r.points(t, max(r.roundPoints(r.Detectable, math.Floor), 0)))
	case HaloEffect:
		return t.T("a correlation of %.2f or more", min(math.Ceil(100*r.Detectable-epsilon)/100, 1))
	case CentralTendency, StraightLining, Speeding, MissedSafety:
		return t.T("a share of %.0f%% or more", math.Ceil(100*min(r.Detectable, 1)-epsilon))
	}
	return t.T("a difference of %s or more", r.points(t, r.roundPoints(r.Detectable, math.Ceil)))
}

// describeAbsolute returns the finding and the advice for an effect that an absolute test
// detected.
func (r Result) describeAbsolute(t Texts) (finding, advice string) {
	share := t.T("%.0f%% of %d items (95%% CI %.0f–%.0f%%)", 100*r.Value, r.ItemCount, 100*r.Interval.Low, 100*r.Interval.High)
	switch r.Effect {
	case MissedSafety:
		if r.PeerMedian > 0 {
			share = r.share(t)
		}
		return r.describeMissed(t, share)
	case ScoreCompression:
		_, advice = r.describe(t)
		return t.T("Never gives the lowest or the highest score, although most others or known answers do in %d items", r.ItemCount), advice
	case Speeding:
		if r.AbsoluteBasis == TargetPace {
			return t.T("Takes less than %.0f seconds, the minimum of the target pace, for %s", r.TargetSeconds, share), t.T("Check some of these items, and ask about time pressure.")
		}
		return t.T("Takes less time than anyone needs to read the item for %s", share), t.T("Check some of these items, and ask about time pressure.")
	}
	return t.T("Gives all fields the same answer in %s, and nothing shows that the items deserve it", share), t.T("Discuss it before you assign more items.")
}

// describeKnown returns the finding of a test by known answers. Its advice is that of describe.
func (r Result) describeKnown(t Texts) string {
	switch r.Effect {
	case Leniency:
		return choose(r.Value < 0, t.T("Scores lower than the known answers, by %s", r.size(t)), t.T("Scores higher than the known answers, by %s", r.size(t)))
	case ScoreCompression:
		return t.T("The scores vary by %s around their mean; the known answers to the same items by %s (%d items)", r.points(t, r.Value), r.points(t, r.PeerMedian), r.ItemCount)
	case CentralTendency:
		return t.T("Chooses the middle of the scale in %s", r.shareOfKnown(t))
	case HaloEffect:
		low, high := r.bounds()
		return t.T("The fields correlate at %.2f (95%% CI %.2f–%.2f; known answers %.2f; %d items)", r.Value, low, high, r.PeerMedian, r.ItemCount)
	case AnchoringEffect:
		return choose(r.Value < 0, t.T("Scored the first %.0f items lower than the later ones, compared with known answers, by %s", earlyItems, r.size(t)),
			t.T("Scored the first %.0f items higher than the later ones, compared with known answers, by %s", earlyItems, r.size(t)))
	case FatigueDrift:
		return choose(r.Value < 0, t.T("Over %.0f items without a break the scores become lower than known answers by %s", fatigueSpan, r.size(t)),
			t.T("Over %.0f items without a break the scores become higher than known answers by %s", fatigueSpan, r.size(t)))
	case LengthBias:
		return t.T("Gives longer texts higher scores than known answers do, by %s for one standard deviation of length", r.size(t))
	case StraightLining:
		return t.T("Gives all fields the same answer in %s", r.shareOfKnown(t))
	}
	return t.T("Reports no risk although the known answer does, in %.0f%% of %d items (95%% CI %.0f–%.0f%%)", 100*r.Value, r.ItemCount, 100*r.Interval.Low, 100*r.Interval.High)
}

// shareOfKnown formats a share of the items with its interval, next to that of the known answers.
func (r Result) shareOfKnown(t Texts) string {
	return t.T("%.0f%% of %d items (95%% CI %.0f–%.0f%%; known answers %.0f%%)",
		100*r.Value, r.ItemCount, 100*r.Interval.Low, 100*r.Interval.High, 100*r.PeerMedian)
}

// describe returns the finding and the advice for a detected effect.
func (r Result) describe(t Texts) (finding, advice string) {
	switch r.Effect {
	case Leniency:
		return choose(r.Value < 0, t.T("Scores lower than the others on the same items, by %s", r.size(t)), t.T("Scores higher than the others on the same items, by %s", r.size(t))),
			t.T("Discuss the largest differences together, with the anchors.")
	case ScoreCompression:
		return t.T("The scores vary by %s around their mean; those of the others by %s (%d items)", r.points(t, r.Value), r.points(t, r.PeerMedian), r.ItemCount),
			t.T("Show clear examples of both ends of the scale.")
	case CentralTendency:
		return t.T("Chooses the middle of the scale in %s", r.share(t)),
			t.T("Ask what would make an item one point better or worse.")
	case HaloEffect:
		low, high := r.bounds()
		return t.T("The fields correlate at %.2f (95%% CI %.2f–%.2f; others %.2f; %d items)", r.Value, low, high, r.PeerMedian, r.ItemCount),
			t.T("Ask for one field at a time, each with its own anchors.")
	case AnchoringEffect:
		return choose(r.Value < 0, t.T("Scored the first %.0f items lower than the later ones, compared with the others, by %s", earlyItems, r.size(t)),
				t.T("Scored the first %.0f items higher than the later ones, compared with the others, by %s", earlyItems, r.size(t))),
			t.T("Have these items checked.")
	}
	return r.describeOther(t)
}

func (r Result) describeOther(t Texts) (finding, advice string) {
	switch r.Effect {
	case FatigueDrift:
		return choose(r.Value < 0, t.T("Over %.0f items without a break the scores become lower, compared with the others, by %s", fatigueSpan, r.size(t)),
				t.T("Over %.0f items without a break the scores become higher, compared with the others, by %s", fatigueSpan, r.size(t))),
			t.T("Suggest more frequent breaks.")
	case LengthBias:
		return t.T("Gives longer texts higher scores than the others do, by %s for one standard deviation of length", r.size(t)),
			t.T("Remind the annotator that length alone is no merit.")
	case StraightLining:
		return t.T("Gives all fields the same answer, or repeats the answers of the previous item, in %s", r.share(t)),
			t.T("Discuss it before you assign more items.")
	case Speeding:
		return t.T("Takes less than a third of the others' median time for the same items, in %s", r.share(t)),
			t.T("Check some of these items, and ask about time pressure.")
	}
	return r.describeMissed(t, r.share(t))
}

// points formats a share of the scale in points, or in percent if the scales differ.
func (r Result) points(t Texts, share float64) string {
	if r.ScaleSpan == 0 {
		return t.T("%.0f%% of the scale", 100*share)
	}
	return t.T("%.1f points", share*float64(r.ScaleSpan))
}

// roundPoints rounds a value to what points shows of it.
func (r Result) roundPoints(share float64, round func(float64) float64) float64 {
	unit := 100.0
	if r.ScaleSpan != 0 {
		unit = 10 * float64(r.ScaleSpan)
	}
	return round(share*unit) / unit
}

// size formats the absolute value with its interval, in points.
func (r Result) size(t Texts) string {
	low, high := r.bounds()
	low, high = math.Abs(low), math.Abs(high)
	return t.T("%s (95%% CI %s to %s; %d items)", r.points(t, math.Abs(r.Value)), r.points(t, min(low, high)), r.points(t, max(low, high)), r.ItemCount)
}

// share formats a share of the items with its interval.
func (r Result) share(t Texts) string {
	return t.T("%.0f%% of %d items (95%% CI %.0f–%.0f%%; others %.0f%%)",
		100*r.Value, r.ItemCount, 100*r.Interval.Low, 100*r.Interval.High, 100*r.PeerMedian)
}

// choose returns lower if the value is negative, and else higher.
func choose(isNegative bool, lower, higher string) string {
	if isNegative {
		return lower
	}
	return higher
}
