package page

import (
	"strconv"
	"strings"

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
	lines = append(lines, l.T("You can take a break at any time, and continue early."),
		l.T("Pace: %d–%d seconds per item, for reading, answers and note. The first 20 items may take longer.",
			plan.MinSecondsPerItem, plan.MaxSecondsPerItem))
	if s.HiddenDuplicates > 0 {
		lines = append(lines, l.T("Up to %d items come a second time, unmarked, to measure your consistency.",
			s.HiddenDuplicates))
	}
	return append(lines,
		l.T("Your labels are compared with those of other annotators. The target is a weighted κ of at least %s per question.",
			formatTarget(l, plan.TargetKappa)))
}

// formatTarget formats a target of κ with as many decimals as it has, at most three.
func formatTarget(l *locale.Locale, kappa float64) string {
	_, decimals, _ := strings.Cut(strconv.FormatFloat(kappa, 'f', -1, 64), ".")
	return l.Decimal(kappa, min(len(decimals), 3))
}

// guideEdgeCases is the key of the section of a guide that the observations belong to.
const guideEdgeCases = "edge_cases"
