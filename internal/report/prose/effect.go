package prose

import (
	"math"
	"strings"

	"github.com/labelwright/labelwright/internal/ratereffect"
)

// Effect returns the name of a rater effect.
func (w Writer) Effect(e ratereffect.Effect) string {
	switch e {
	case ratereffect.Careless:
		return w.T("careless answers")
	case ratereffect.Copied:
		return w.T("copied answers")
	case ratereffect.MissedRisks:
		return w.T("missed risks")
	case ratereffect.DifferentStandard:
		return w.T("different standard")
	case ratereffect.EqualAnswers:
		return w.T("equal answers")
	case ratereffect.NarrowUse:
		return w.T("narrow use of the scale")
	case ratereffect.Halo:
		return w.T("halo effect")
	case ratereffect.Drift:
		return w.T("drift within sessions")
	case ratereffect.TooFast:
		return w.T("too fast")
	}
	return ""
}

// An EffectWriter writes about the rater effects of one study.
type EffectWriter struct {
	Writer
	ScaleSpan int // of all fields; 0 if they differ
}

// Effects returns the writer on rater effects of a study.
func (w Writer) Effects(r ratereffect.Result) EffectWriter {
	return EffectWriter{Writer: w, ScaleSpan: r.ScaleSpan}
}

// Found returns what was found, with its figure. Colleague is the name of the other annotator of copied answers.
func (w EffectWriter) Found(f ratereffect.FoundEffect, colleague string) string {
	text := w.found(f, colleague)
	if f.IsEither && f.Effect != ratereffect.Copied {
		text += " " + w.T("Either can be right: the items have only one other annotator.")
	}
	return text
}

func (w EffectWriter) found(f ratereffect.FoundEffect, colleague string) string {
	switch f.Effect {
	case ratereffect.Careless:
		return w.T("Answers about %.0f%% of %d items as if at random (95%% CI %.0f–%.0f%%; others %.0f%%).",
			100*f.Value, f.Items, 100*f.Low, 100*f.High, 100*f.Others)
	case ratereffect.Copied:
		share := w.T("%.0f%% of %d shared items (agreement with others predicts %.0f%%)", 100*f.Value, f.Items,
			100*f.Others)
		if f.IsEither {
			return w.T("Gives the same answers to all fields as %s in %s; nothing shows who of the two copied.",
				colleague, share)
		}
		return w.T("Gives the same answers to all fields as %s in %s, and later.", colleague, share)
	case ratereffect.MissedRisks:
		return w.T("Misses %.0f%% of %d known risks (95%% CI %.0f–%.0f%%; others %.0f%%).", 100*f.Value, f.Items,
			100*f.Low, 100*f.High, 100*f.Others)
	case ratereffect.DifferentStandard:
		switch {
		case f.HasReferences && f.Value < 0:
			return w.T("Scores lower than the reference answers, by %s.", w.size(f))
		case f.HasReferences:
			return w.T("Scores higher than the reference answers, by %s.", w.size(f))
		case f.Value < 0:
			return w.T("Scores lower than the others on the same items, by %s.", w.size(f))
		}
		return w.T("Scores higher than the others on the same items, by %s.", w.size(f))
	case ratereffect.EqualAnswers:
		return w.T("Gives all fields the same answer in %.0f%% of %d items (95%% CI %.0f–%.0f%%; others %.0f%%).",
			100*f.Value, f.Items, 100*f.Low, 100*f.High, 100*f.Others)
	case ratereffect.NarrowUse:
		return w.T("The scores vary %.0f%% as much as those of the others on the same %d items (95%% CI %.0f–%.0f%%).",
			100*f.Value, f.Items, 100*f.Low, 100*f.High)
	case ratereffect.Halo:
		return w.T("The fields correlate at %.2f on %d items (95%% CI %.2f–%.2f; others %.2f).", f.Value, f.Items,
			f.Low, f.High, f.Others)
	case ratereffect.Drift:
		if f.Value < 0 {
			return w.T("Over 30 items without a break, the scores become lower by %s.", w.size(f))
		}
		return w.T("Over 30 items without a break, the scores become higher by %s.", w.size(f))
	case ratereffect.TooFast:
		return w.T("Takes less time than reading needs for %.0f%% of %d items (95%% CI %.0f–%.0f%%).", 100*f.Value,
			f.Items, 100*f.Low, 100*f.High)
	}
	return ""
}

// size formats the absolute value with its interval.
func (w EffectWriter) size(f ratereffect.FoundEffect) string {
	low, high := math.Abs(f.Low), math.Abs(f.High)
	return w.T("%s (95%% CI %s to %s; %d items)", w.points(math.Abs(f.Value)), w.points(min(low, high)),
		w.points(max(low, high)), f.Items)
}

// points formats a share of the scale in points, or in percent if the scales differ.
func (w EffectWriter) points(share float64) string {
	if w.ScaleSpan == 0 {
		return w.T("%.0f%% of the scale", 100*share)
	}
	return w.T("%.1f points", share*float64(w.ScaleSpan))
}

// EffectAction returns what to do about an effect.
func (w Writer) EffectAction(e ratereffect.Effect) string {
	switch e {
	case ratereffect.Careless:
		return w.T("Read some of these items together before you assign more.")
	case ratereffect.Copied:
		return w.T("Ask both how they worked, and count only one of the two.")
	case ratereffect.MissedRisks:
		return w.T("Go through these items and the safety anchors together soon.")
	case ratereffect.DifferentStandard:
		return w.T("Discuss the largest differences together, with the anchors.")
	case ratereffect.EqualAnswers:
		return w.T("Ask for one field at a time, each with its own anchors.")
	case ratereffect.NarrowUse:
		return w.T("Show clear examples of both ends of the scale.")
	case ratereffect.Halo:
		return w.T("Ask for one field at a time, each with its own anchors.")
	case ratereffect.Drift:
		return w.T("Suggest more frequent breaks.")
	case ratereffect.TooFast:
		return w.T("Check some of these items, and ask about time pressure.")
	}
	return ""
}

// NothingFound returns what the tests of a study could have found, in one sentence; what was looked for in fewer than
// two
// annotators is left out.
func (w EffectWriter) NothingFound(powers []ratereffect.Power) string {
	var parts []string
	for _, p := range powers {
		if text := w.detectable(p); text != "" && p.Detectable < 1 {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return w.T("There are too few shared items to look for rater effects.")
	}
	return w.T("No annotator stands out. What would have been found: %s.", strings.Join(parts, ", "))
}

func (w EffectWriter) detectable(p ratereffect.Power) string {
	percent := 100 * p.Detectable
	switch p.Effect {
	case ratereffect.Careless:
		return w.T("%.0f%% random answers", percent)
	case ratereffect.Copied:
		return w.T("%.0f%% copied items", percent)
	case ratereffect.MissedRisks:
		return w.T("%.0f%% of risks missed", percent)
	case ratereffect.DifferentStandard:
		return w.T("a standard that differs by %s", w.points(p.Detectable))
	case ratereffect.EqualAnswers:
		return w.T("equal answers in %.0f%% of items", percent)
	case ratereffect.NarrowUse:
		if percent < 1 {
			return ""
		}
		return w.T("%.0f%% of the others’ spread", percent)
	case ratereffect.Halo:
		return w.T("fields that correlate at %.2f", p.Detectable)
	case ratereffect.Drift:
		return w.T("a drift by %s", w.points(p.Detectable))
	}
	return ""
}
