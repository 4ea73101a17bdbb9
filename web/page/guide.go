package page

import (
	"fmt"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// sessionLines are the figures of a batch, as its guide states them.
func sessionLines(plan protocol.SessionPlan, s project.SessionFacts) (lines []string) {
	if s.CalibrationItems > 0 {
		lines = append(lines, fmt.Sprintf("Calibration: %s with reference answers, before the work.", Pluralize(s.CalibrationItems, "item")))
	}
	if s.BreakEvery > 0 && s.BreakMinutes > 0 {
		lines = append(lines, fmt.Sprintf("Breaks: %s after every %s.", Pluralize(s.BreakMinutes, "minute"), Pluralize(s.BreakEvery, "item")))
	}
	if s.BreakAfterMinutes > 0 {
		lines = append(lines, fmt.Sprintf("A break is also due after %s of work.", Pluralize(s.BreakAfterMinutes, "minute")))
	}
	return append(lines, "You can take a break at any time, and continue early.",
		fmt.Sprintf("Pace: %d–%d seconds per item, for reading, answers and note. The first items take longer.", plan.MinSecondsPerItem, plan.MaxSecondsPerItem))
}
