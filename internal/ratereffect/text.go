package ratereffect

import (
	"fmt"
	"math"
)

// The sentences: what was found, how sure it is, and what to do.

func explainTooFewItems(n, minItems int) string {
	return fmt.Sprintf("%d items so far; it takes %d to tell", n, minItems)
}

func (t effectSpec) formatMessage(h EffectResult, c *labelSet) string {
	switch {
	case h.Undefined != "":
		return "Cannot be told yet: " + h.Undefined + "."
	case !h.Detected:
		return fmt.Sprintf("No sign of it in %d items.", h.ItemCount)
	}
	return t.describe(h, c)
}

// formatPoints writes a share of the scale in points, where all fields have one scale.
func (c *labelSet) formatPoints(share float64) string {
	for _, f := range c.fields {
		if f.Scale.Span() != c.fields[0].Scale.Span() {
			return fmt.Sprintf("%.0f %% of the scale", 100*share)
		}
	}
	return fmt.Sprintf("%.1f points", share*float64(c.fields[0].Scale.Span()))
}

// formatEffectSize is an absolute value with its interval, in points.
func (c *labelSet) formatEffectSize(h EffectResult) string {
	low, high := h.bounds()
	low, high = math.Abs(low), math.Abs(high)
	return fmt.Sprintf("%s (95 %% interval %s to %s, %d items)",
		c.formatPoints(math.Abs(h.Value)), c.formatPoints(min(low, high)), c.formatPoints(max(low, high)), h.ItemCount)
}

func chooseBySign(v float64, positive, negative string) string {
	if v > 0 {
		return positive
	}
	return negative
}

func formatShares(h EffectResult) string {
	return fmt.Sprintf("%.0f %% of %d items (95 %% interval %.0f to %.0f %%; others %.0f %%)",
		100*h.Value, h.ItemCount, 100*h.Interval.Low, 100*h.Interval.High, 100*h.PeerMedian)
}

func describeLeniency(h EffectResult, c *labelSet) string {
	return fmt.Sprintf("Scores %s than the others on the same items, by %s: go through the largest differences together, anchors in hand.",
		chooseBySign(h.Value, "higher", "lower"), c.formatEffectSize(h))
}

func describeCompression(h EffectResult, c *labelSet) string {
	return fmt.Sprintf("Scores vary by %s around their mean, those of the others by %s (%d items): show clear examples of the ends of the scale.",
		c.formatPoints(h.Value), c.formatPoints(h.PeerMedian), h.ItemCount)
}

func describeCentralTendency(h EffectResult, _ *labelSet) string {
	return "The middle of the scale is chosen in " + formatShares(h) + ": ask what would make an item one point better or worse."
}

func describeHalo(h EffectResult, _ *labelSet) string {
	low, high := h.bounds()
	return fmt.Sprintf("The fields go together at a correlation of %.2f (95 %% interval %.2f to %.2f; others %.2f; %d items): ask for one field at a time, each by its own anchors.",
		h.Value, low, high, h.PeerMedian, h.ItemCount)
}

func describeAnchoring(h EffectResult, c *labelSet) string {
	return fmt.Sprintf("The first ten items were scored %s than the later ones, against the others, by %s: have those ten looked at again.",
		chooseBySign(h.Value, "higher", "lower"), c.formatEffectSize(h))
}

func describeFatigue(h EffectResult, c *labelSet) string {
	return fmt.Sprintf("Over thirty items without a break the scores go %s by %s: suggest shorter stretches.",
		chooseBySign(h.Value, "up", "down"), c.formatEffectSize(h))
}

func describeLengthBias(h EffectResult, c *labelSet) string {
	return fmt.Sprintf("Longer texts get more than the others give them, by %s for one standard deviation of length: remind that length is no merit by itself.", c.formatEffectSize(h))
}

func describeStraightLining(h EffectResult, _ *labelSet) string {
	return "Answered in one stroke, all fields alike or as the item before: " + formatShares(h) + ". Talk it over before more is handed out."
}

func describeSpeeding(h EffectResult, _ *labelSet) string {
	return "Done in less than a third of the others' usual time: " + formatShares(h) + ". Look at a few of these items, and ask whether the pace feels forced."
}

func describeMissedRisks(h EffectResult, _ *labelSet) string {
	return "No danger seen where most others saw one: " + formatShares(h) + ". Go through these items and the safety anchors together soon."
}
