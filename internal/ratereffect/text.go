package ratereffect

import (
	"fmt"
	"math"
)

// Text returns the name of the effect.
func (e Effect) Text() string {
	return map[Effect]string{
		Leniency: "leniency/severity", ScoreCompression: "score compression", CentralTendency: "central tendency", HaloEffect: "halo effect",
		AnchoringEffect: "anchoring effect", FatigueDrift: "fatigue drift", LengthBias: "length bias", StraightLining: "straight-lining",
		Speeding: "speeding", MissedSafety: "missed safety risks",
	}[e]
}

var reasonTexts = map[UntestableReason]string{
	NoOtherAnnotators: "no other annotator has labeled items",
	NoPeerValue:       "no other annotator has enough items to compare",
	NoSharedItems:     "no other annotator has labeled the same items",
	ConstantAnswers:   "the answers do not vary enough",
	ShortWorkPeriods:  "the breaks are too frequent to measure a drift between them",
	EqualTextLengths:  "the texts have the same length",
	TwoPointScales:    "no scale has more than two points",
	NoMiddlePoint:     "no scale has a middle point",
	SingleField:       "at least two fields are needed",
	TooFewFields:      "at least three fields are needed",
	NoPeerTimes:       "the times of the other annotators are unknown",
	NoSafetyField:     "no field is about safety",
}

// UndefinedText returns why there is no value, as a clause; empty with a value.
func (r Result) UndefinedText() string {
	if r.Undefined == TooFewItems {
		return fmt.Sprintf("%d of %d items", r.ItemCount, r.MinItems)
	}
	return reasonTexts[r.Undefined]
}

// Message states the finding and, for a detected effect, what to do about it.
func (r Result) Message() string {
	switch {
	case r.Undefined != "":
		return "Not enough data: " + r.UndefinedText() + "."
	case r.Effect == MissedSafety && !r.Detected && r.Value > 0:
		return fmt.Sprintf("Reports no risk in %.0f of %d items in which most others report one. That can be chance: read these items.", r.Value*float64(r.ItemCount), r.ItemCount)
	case !r.Detected:
		return fmt.Sprintf("Not found in %d items; could have detected %s.", r.ItemCount, r.detectableText())
	case r.IsAbsolute:
		finding, advice := r.describeAbsolute()
		return finding + ". " + advice
	}
	finding, advice := r.describe()
	return finding + ". " + advice
}

// detectableText describes the smallest effect that the items would have shown.
func (r Result) detectableText() string {
	switch r.Effect {
	case ScoreCompression:
		return fmt.Sprintf("a spread of %s or less", r.points(max(r.Detectable, 0)))
	case HaloEffect:
		return fmt.Sprintf("a correlation of %.2f or more", min(r.Detectable, 1))
	case CentralTendency, StraightLining, Speeding, MissedSafety:
		return fmt.Sprintf("a share of %.0f%% or more", 100*min(r.Detectable, 1))
	}
	return fmt.Sprintf("a difference of %s or more", r.points(r.Detectable))
}

// describeAbsolute returns the finding and the advice for an effect that an absolute test
// detected.
func (r Result) describeAbsolute() (finding, advice string) {
	share := fmt.Sprintf("%.0f%% of %d items (95%% CI %.0f–%.0f%%)", 100*r.Value, r.ItemCount, 100*r.Interval.Low, 100*r.Interval.High)
	if r.Effect == Speeding {
		return "Takes less time than anyone needs to read the item for " + share, "Check some of these items, and ask about time pressure."
	}
	return "Gives all fields the same answer in " + share + ", more than items of different quality can deserve", "Discuss it before you assign more items."
}

// describe returns the finding and the advice for a detected effect.
func (r Result) describe() (finding, advice string) {
	higherOrLower := "higher"
	if r.Value < 0 {
		higherOrLower = "lower"
	}
	switch r.Effect {
	case Leniency:
		return "Scores " + higherOrLower + " than the others on the same items, by " + r.size(),
			"Discuss the largest differences together, with the anchors."
	case ScoreCompression:
		return fmt.Sprintf("The scores vary by %s around their mean; those of the others by %s (%d items)", r.points(r.Value), r.points(r.PeerMedian), r.ItemCount),
			"Show clear examples of both ends of the scale."
	case CentralTendency:
		return "Chooses the middle of the scale in " + r.share(),
			"Ask what would make an item one point better or worse."
	case HaloEffect:
		low, high := r.bounds()
		return fmt.Sprintf("The fields correlate at %.2f (95%% CI %.2f–%.2f; others %.2f; %d items)", r.Value, low, high, r.PeerMedian, r.ItemCount),
			"Ask for one field at a time, each with its own anchors."
	case AnchoringEffect:
		return fmt.Sprintf("Scored the first %.0f items %s than the later ones, compared with the others, by %s", earlyItems, higherOrLower, r.size()),
			"Have these items checked."
	}
	return r.describeOther(higherOrLower)
}

func (r Result) describeOther(higherOrLower string) (finding, advice string) {
	switch r.Effect {
	case FatigueDrift:
		return fmt.Sprintf("Over %.0f items without a break the scores become %s by %s", fatigueSpan, higherOrLower, r.size()),
			"Suggest more frequent breaks."
	case LengthBias:
		return "Gives longer texts higher scores than the others do, by " + r.size() + " for one standard deviation of length",
			"Remind the annotator that length alone is no merit."
	case StraightLining:
		return "Gives all fields the same answer, or repeats the answers of the previous item, in " + r.share(),
			"Discuss it before you assign more items."
	case Speeding:
		return "Takes less than a third of the others' median time for " + r.share(),
			"Check some of these items, and ask about time pressure."
	}
	return "Reports no risk although most others report one, in " + r.share(),
		"Go through these items and the safety anchors together soon."
}

// points formats a share of the scale in points, or in percent if the scales differ.
func (r Result) points(share float64) string {
	if r.ScaleSpan == 0 {
		return fmt.Sprintf("%.0f%% of the scale", 100*share)
	}
	return fmt.Sprintf("%.1f points", share*float64(r.ScaleSpan))
}

// size formats the absolute value with its interval, in points.
func (r Result) size() string {
	low, high := r.bounds()
	low, high = math.Abs(low), math.Abs(high)
	return fmt.Sprintf("%s (95%% CI %s to %s; %d items)", r.points(math.Abs(r.Value)), r.points(min(low, high)), r.points(max(low, high)), r.ItemCount)
}

// share formats a share of the items with its interval.
func (r Result) share() string {
	return fmt.Sprintf("%.0f%% of %d items (95%% CI %.0f–%.0f%%; others %.0f%%)",
		100*r.Value, r.ItemCount, 100*r.Interval.Low, 100*r.Interval.High, 100*r.PeerMedian)
}
