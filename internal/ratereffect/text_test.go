package ratereffect

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/stats"
)

// A messageCase is a part of a message, and the condition under which it is true.
type messageCase struct {
	part      string
	condition func(Result) bool
}

func isFound(r Result, effects ...Effect) bool {
	return r.State() == Found && slices.Contains(effects, r.Effect)
}

func isRelative(r Result) bool { return !r.IsAbsolute && !r.IsKnown }

func isNotFound(r Result, effects ...Effect) bool {
	return r.State() == NotFound && !hasMisses(r) && slices.Contains(effects, r.Effect)
}

// hasMisses reports whether missed risks are counted instead of found.
func hasMisses(r Result) bool {
	return r.Effect == MissedSafety && (r.State() == NotFound || r.Undefined == TooFewItems) && r.Misses > 0
}

func isWithinTolerated(r Result) bool { return isTestedMiss(r) && r.Value <= r.Tolerated }

func isMissedOf(r Result, others OtherAnnotators) bool { return hasMisses(r) && r.Others == others }

// isTestedMiss reports whether a share of misses that is not found is tested against other annotators
// of whom more than one report the risks, or against known answers.
func isTestedMiss(r Result) bool {
	return hasMisses(r) && r.Undefined == "" && r.Others != OneOther
}

var signedEffects = []Effect{Leniency, AnchoringEffect, FatigueDrift}

var messageCases = []messageCase{
	{"Not enough data", func(r Result) bool { return r.State() == NotEnoughData && !hasMisses(r) }},
	{"8 of 30 items", func(r Result) bool { return r.Undefined == TooFewItems && !hasMisses(r) }},
	{"Cannot be tested with these labels", func(r Result) bool { return r.State() == Untestable }},
	{"the share is ", func(r Result) bool {
		return r.Undefined == NoRoom && slices.Contains([]Effect{CentralTendency, StraightLining, Speeding}, r.Effect)
	}},
	{"the scores vary by", func(r Result) bool { return r.Undefined == NoRoom && r.Effect == ScoreCompression }},
	{"Not enough data: annotators agree too little to tell the effect from errors of the others.", func(r Result) bool { return r.Undefined == LowAgreement }},
	{"Not enough data: all fields have the same answer in ", func(r Result) bool { return r.Undefined == UnverifiedItems }},
	{"the fields correlate at", func(r Result) bool { return r.Undefined == NoRoom && r.Effect == HaloEffect }},
	{"Not found in", func(r Result) bool {
		return isNotFound(r, allEffects()...) && !hasToleratedDifference(r) && (r.IsKnown || r.isTestedAlone)
	}},
	{"No difference from the others found in", func(r Result) bool {
		return isNotFound(r, allEffects()...) && !hasToleratedDifference(r) && !r.IsKnown && !r.isTestedAlone
	}},
	{"with a known answer; could", func(r Result) bool {
		return isNotFound(r, allEffects()...) && !hasToleratedDifference(r) && r.IsKnown
	}},
	{"from the others is not shown to be more than the tolerated", func(r Result) bool { return hasToleratedDifference(r) && !r.IsKnown }},
	{"from the known answers is not shown to be more than the tolerated", func(r Result) bool { return hasToleratedDifference(r) && r.IsKnown }},
	{"could have detected a spread", func(r Result) bool { return isNotFound(r, ScoreCompression) }},
	{"could have detected a correlation", func(r Result) bool { return isNotFound(r, HaloEffect) }},
	{"could have detected a share", func(r Result) bool {
		return isNotFound(r, CentralTendency, StraightLining, Speeding, MissedSafety) || isWithinTolerated(r)
	}},
	{"more than careful work can miss", func(r Result) bool {
		return isFound(r, MissedSafety) && r.IsAbsolute && !r.IsKnown && r.Others != OneOther
	}},
	{"could have detected a difference", func(r Result) bool { return isNotFound(r, Leniency, AnchoringEffect, FatigueDrift, LengthBias) }},
	{"Reports no risk in ", hasMisses},
	{"in which the only other annotator reports one", func(r Result) bool { return isMissedOf(r, OneOther) }},
	{"in which both others report one", func(r Result) bool { return isMissedOf(r, TwoOthers) }},
	{"in which most others report one", func(r Result) bool { return isMissedOf(r, MostOthers) }},
	{"in which the known answer reports one", func(r Result) bool { return isMissedOf(r, "") }},
	{"The test needs 30 such items", func(r Result) bool { return hasMisses(r) && r.Undefined == TooFewItems }},
	{"but can be chance", func(r Result) bool { return isTestedMiss(r) && r.Value > r.Tolerated && r.PValue >= missedLevel }},
	{"within the tolerated", isWithinTolerated},
	{"Either can be right", func(r Result) bool {
		return isMissedOf(r, OneOther) && r.Undefined == "" || isFound(r, allEffects()...) && r.Others == OneOther && (isRelative(r) || r.Effect == MissedSafety && !r.IsKnown)
	}},
	{"have only one other annotator", func(r Result) bool {
		return r.Effect != MissedSafety && r.State() == Found && r.Others == OneOther && isRelative(r)
	}},
	{"whose scores also vary more if that one errs more", func(r Result) bool {
		return (r.Effect == ScoreCompression || r.Effect == CentralTendency) && r.State() == Found && r.Others == OneOther && isRelative(r)
	}},
	{"lower", func(r Result) bool { return isFound(r, signedEffects...) && r.Value < 0 }},
	{"higher", func(r Result) bool { return isFound(r, signedEffects...) && r.Value >= 0 || isFound(r, LengthBias) }},
	{"than the known answers", func(r Result) bool { return isFound(r, Leniency) && r.IsKnown }},
	{"than the others", func(r Result) bool { return isFound(r, Leniency, LengthBias) && !r.IsKnown }},
	{"Scored the first", func(r Result) bool { return isFound(r, AnchoringEffect) }},
	{"compared with known answers", func(r Result) bool { return isFound(r, AnchoringEffect) && r.IsKnown }},
	{"compared with the others", func(r Result) bool { return isFound(r, AnchoringEffect, FatigueDrift) && !r.IsKnown }},
	{"without a break the scores become", func(r Result) bool { return isFound(r, FatigueDrift) }},
	{"than known answers by", func(r Result) bool { return isFound(r, FatigueDrift) && r.IsKnown }},
	{"longer texts higher scores", func(r Result) bool { return isFound(r, LengthBias) }},
	{"than known answers do", func(r Result) bool { return isFound(r, LengthBias) && r.IsKnown }},
	{"The scores vary by", func(r Result) bool { return isFound(r, ScoreCompression) && r.AbsoluteBasis != UnusedEnds }},
	{"Never gives the lowest or the highest score, although most others or known answers do in 40 items", func(r Result) bool { return isFound(r, ScoreCompression) && r.AbsoluteBasis == UnusedEnds }},
	{"the known answers to the same items by", func(r Result) bool { return isFound(r, ScoreCompression) && r.IsKnown }},
	{"middle of the scale in", func(r Result) bool { return isFound(r, CentralTendency) }},
	{"The fields correlate at", func(r Result) bool { return isFound(r, HaloEffect) }},
	{"all fields the same answer", func(r Result) bool { return isFound(r, StraightLining) }},
	{"or repeats the answers of the previous item", func(r Result) bool { return isFound(r, StraightLining) && isRelative(r) }},
	{"and nothing shows that the items deserve it", func(r Result) bool { return isFound(r, StraightLining) && r.IsAbsolute && !r.IsKnown }},
	{"less time than anyone needs", func(r Result) bool { return isFound(r, Speeding) && r.AbsoluteBasis == CarefulWork }},
	{"less than 60 seconds, the minimum of the target pace", func(r Result) bool { return isFound(r, Speeding) && r.AbsoluteBasis == TargetPace }},
	{"less than a third of the others' median time for the same items", func(r Result) bool { return isFound(r, Speeding) && !r.IsAbsolute }},
	{"no risk although the known answer does", func(r Result) bool { return isFound(r, MissedSafety) && r.IsKnown }},
	{"no risk although most others report one", func(r Result) bool { return isFound(r, MissedSafety) && !r.IsKnown && r.Others == MostOthers }},
	{"no risk although both others report one", func(r Result) bool { return isFound(r, MissedSafety) && !r.IsKnown && r.Others == TwoOthers }},
	{"no risk although the only other annotator reports one", func(r Result) bool { return isFound(r, MissedSafety) && !r.IsKnown && r.Others == OneOther }},
	{"; others ", func(r Result) bool {
		return isFound(r, HaloEffect, CentralTendency, StraightLining, Speeding) && isRelative(r) || isFound(r, MissedSafety) && !r.IsKnown && (r.PeerMedian > 0 || !r.IsAbsolute)
	}},
	{"; known answers ", func(r Result) bool { return isFound(r, HaloEffect, CentralTendency, StraightLining) && r.IsKnown }},
}

// hasToleratedDifference reports whether a difference that the interval excludes from being 0 is not found to be an effect.
func hasToleratedDifference(r Result) bool {
	return isNotFound(r, Leniency, AnchoringEffect, FatigueDrift) && (r.Interval.Low > 0 || r.Interval.High < 0) || isNotFound(r, LengthBias) && r.Interval.Low > 0
}

func allEffects() (list []Effect) {
	for _, s := range effectSpecs {
		list = append(list, s.effect)
	}
	return list
}

// randomResult returns a result that the tests of its effect can give.
func randomResult(r *rand.Rand) Result {
	spec := effectSpecs[r.IntN(len(effectSpecs))]
	result := Result{Effect: spec.effect, Annotator: "a-1", ItemCount: 40, MinItems: 30, ScaleSpan: 4 * r.IntN(2), PeerMedian: 0.2, Detectable: 0.3,
		Value: 0.1 * float64(r.IntN(3)), Detected: r.IntN(2) == 0}
	if slices.Contains(signedEffects, spec.effect) && r.IntN(2) == 0 {
		result.Value = -result.Value
	}
	result.Interval = stats.Interval{Low: result.Value - 0.05, High: result.Value + 0.05}
	absolute := absoluteTests[spec.effect]
	_, hasKnown := knownTests[spec.effect]
	result.isTestedAlone = len(absolute) > 0 && r.IntN(2) == 0
	switch basis := r.IntN(4); {
	case basis == 0 && hasKnown:
		result.IsAbsolute, result.IsKnown = true, true
	case basis == 1 && len(absolute) > 0 && result.Detected:
		result.IsAbsolute, result.AbsoluteBasis, result.TargetSeconds = true, absolute[r.IntN(len(absolute))].basis, 60
	case basis == 2 && !result.Detected:
		result.Undefined = []UntestableReason{TooFewItems, NoPeerValue, ConstantAnswers}[r.IntN(3)]
		result.ItemCount = 8
	}
	if spec.effect == MissedSafety {
		setMisses(r, &result)
		return result
	}
	if !result.Detected && result.Undefined == "" && !slices.Contains(append(signedEffects, LengthBias), spec.effect) && r.IntN(3) == 0 {
		result.Undefined = NoRoom
	}
	if !result.IsKnown && r.IntN(3) == 0 {
		result.Others = OneOther
	}
	if undefined := map[Effect]UntestableReason{HaloEffect: LowAgreement, StraightLining: UnverifiedItems}[spec.effect]; !result.Detected && result.Undefined == "" && r.IntN(3) == 0 {
		result.Undefined = undefined
	}
	return result
}

// setMisses replaces the value of a result by random misses and their test.
func setMisses(r *rand.Rand, result *Result) {
	result.Others = []OtherAnnotators{OneOther, TwoOthers, MostOthers}[r.IntN(3)]
	if result.IsKnown {
		result.Others = ""
	}
	if result.Undefined = ""; r.IntN(3) == 0 && !result.IsKnown {
		result.Undefined, result.ItemCount = TooFewItems, 8
	}
	result.Misses, result.PeerMedian, result.IsAbsolute, result.AbsoluteBasis = r.IntN(result.ItemCount+1)*r.IntN(2), 0.2*float64(r.IntN(2)), result.IsKnown, ""
	result.Detected = false
	if result.Undefined != "" {
		return
	}
	result.Tolerated, result.Value = []float64{0.2, 0.4, 0.5}[r.IntN(3)], float64(result.Misses)/float64(result.ItemCount)
	result.Interval = stats.NewProportion(result.Misses, result.ItemCount).Interval
	result.testMisses()
	if result.Detected && !result.IsKnown && result.Tolerated == maxMissedShare {
		result.IsAbsolute, result.AbsoluteBasis = true, CarefulWork
	}
}

// TestResult_Messages_AreTrue checks that each part of a message is there if and only if its condition
// holds, with random results on both sides of every condition.
func TestResult_Messages_AreTrue(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(21, 0))
	holds, fails := make([]int, len(messageCases)), make([]int, len(messageCases))
	for range 10_000 {
		result := randomResult(r)
		message := result.Message()
		for i, c := range messageCases {
			want := c.condition(result)
			if want {
				holds[i]++
			} else {
				fails[i]++
			}
			if got := strings.Contains(message, c.part); got != want {
				t.Fatalf("%q in %q: %t, want %t for %+v", c.part, message, got, want, result)
			}
		}
	}
	for i, c := range messageCases {
		if holds[i] < 15 || fails[i] < 15 {
			t.Errorf("%q: its condition holds for %d results and fails for %d", c.part, holds[i], fails[i])
		}
	}
}

// TestUntestableReasons_HaveTexts requires a text for each reason that a report can give.
func TestUntestableReasons_HaveTexts(t *testing.T) {
	t.Parallel()
	for _, reason := range []UntestableReason{NoOtherAnnotators, NoPeerValue, NoSharedItems, TooFewEarlyItems, ConstantAnswers, ShortWorkPeriods, UnknownBreaks, EqualTextLengths, UnknownLengths, TooUncertain,
		TwoPointScales, NoMiddlePoint, SingleField, TooFewFields, NoPeerTimes, UnknownTimes, NoSafetyField, LowAgreement, UnverifiedItems, NoRoom} {
		if (Result{Undefined: reason}).UndefinedText() == "" {
			t.Errorf("%s has no text", reason)
		}
	}
}
