package page

import (
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// sessionLines are the figures of a batch, as its guide states them.
func sessionLines(l *locale.Locale, plan protocol.SessionPlan, s project.SessionFacts) (lines []string) {
	if s.CalibrationItems > 0 {
		lines = append(lines, l.T("Calibration: %d items with reference answers, before the work.", s.CalibrationItems))
	}
	if s.BreakEvery > 0 && s.BreakMinutes > 0 {
		lines = append(lines, l.T("Breaks: after every %d items, %d min long.", s.BreakEvery, s.BreakMinutes))
	}
	if s.BreakAfterMinutes > 0 {
		lines = append(lines, l.T("A break is also due after %d min of work.", s.BreakAfterMinutes))
	}
	return append(lines, l.T("You can take a break at any time, and continue early."),
		l.T("Pace: %d–%d seconds per item, for reading, answers and note. The first items take longer.",
			plan.MinSecondsPerItem, plan.MaxSecondsPerItem))
}
