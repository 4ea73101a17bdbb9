package stats

import (
	"fmt"
	"math"
)

// The sentences: what was found, how sure it is, and what to do.

func tooFew(n, needs int) string {
	return fmt.Sprintf("%d items so far; it takes %d to tell", n, needs)
}

func (t trait) sentence(h Habit, c *crew) string {
	switch {
	case h.Undefined != "":
		return "Cannot be told yet: " + h.Undefined + "."
	case !h.Found:
		return fmt.Sprintf("No sign of it in %d items.", h.N)
	}
	return t.says(h, c)
}

// points writes a share of the scale in points, where all fields have one scale.
func (c *crew) points(share float64) string {
	for _, f := range c.fields {
		if f.Scale.Span() != c.fields[0].Scale.Span() {
			return fmt.Sprintf("%.0f %% of the scale", 100*share)
		}
	}
	return fmt.Sprintf("%.1f points", share*float64(c.fields[0].Scale.Span()))
}

// size is an absolute value with its interval, in points.
func (c *crew) size(h Habit) string {
	low, high := h.ends()
	low, high = math.Abs(low), math.Abs(high)
	return fmt.Sprintf("%s (95 %% interval %s to %s, %d items)",
		c.points(math.Abs(h.Value)), c.points(min(low, high)), c.points(max(low, high)), h.N)
}

func upOrDown(v float64, up, down string) string {
	if v > 0 {
		return up
	}
	return down
}

func shares(h Habit) string {
	return fmt.Sprintf("%.0f %% of %d items (95 %% interval %.0f to %.0f %%; others %.0f %%)",
		100*h.Value, h.N, 100*h.Interval.Low, 100*h.Interval.High, 100*h.Peers)
}

func saysLeniency(h Habit, c *crew) string {
	return fmt.Sprintf("Scores %s than the others on the same items, by %s: go through the largest differences together, anchors in hand.",
		upOrDown(h.Value, "higher", "lower"), c.size(h))
}

func saysCompression(h Habit, c *crew) string {
	return fmt.Sprintf("Scores vary by %s around their mean, those of the others by %s (%d items): show clear examples of the ends of the scale.",
		c.points(h.Value), c.points(h.Peers), h.N)
}

func saysMiddle(h Habit, _ *crew) string {
	return "The middle of the scale is chosen in " + shares(h) + ": ask what would make an item one point better or worse."
}

func saysHalo(h Habit, _ *crew) string {
	low, high := h.ends()
	return fmt.Sprintf("The fields go together at a correlation of %.2f (95 %% interval %.2f to %.2f; others %.2f; %d items): ask for one field at a time, each by its own anchors.",
		h.Value, low, high, h.Peers, h.N)
}

func saysAnchoring(h Habit, c *crew) string {
	return fmt.Sprintf("The first ten items were scored %s than the later ones, against the others, by %s: have those ten looked at again.",
		upOrDown(h.Value, "higher", "lower"), c.size(h))
}

func saysFatigue(h Habit, c *crew) string {
	return fmt.Sprintf("Over thirty items without a break the scores go %s by %s: suggest shorter stretches.",
		upOrDown(h.Value, "up", "down"), c.size(h))
}

func saysLength(h Habit, c *crew) string {
	return fmt.Sprintf("Longer texts get more than the others give them, by %s for one standard deviation of length: remind that length is no merit by itself.", c.size(h))
}

func saysStraight(h Habit, _ *crew) string {
	return "Answered in one stroke, all fields alike or as the item before: " + shares(h) + ". Talk it over before more is handed out."
}

func saysSpeed(h Habit, _ *crew) string {
	return "Done in less than a third of the others' usual time: " + shares(h) + ". Look at a few of these items, and ask whether the pace feels forced."
}

func saysSafety(h Habit, _ *crew) string {
	return "No danger seen where most others saw one: " + shares(h) + ". Go through these items and the safety anchors together soon."
}
