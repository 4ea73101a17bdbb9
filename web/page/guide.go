package page

import (
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// openSections is how many sections of a guide are open at first. The others are read when needed.
const openSections = 2

type guideEntry struct{ Path, Text, Language string }

// guideContents lists the sections of a guide in their order.
func guideContents(l *locale.Locale, p protocol.Protocol, project Project) (entries []guideEntry) {
	if project.Instructions != "" {
		entries = append(entries, guideEntry{Path: "instructions", Text: l.T("Instructions of this project")})
	}
	for _, s := range p.Guide {
		entries = append(entries, guideEntry{Path: s.Key, Text: s.Title, Language: p.Language})
	}
	for _, f := range p.Fields {
		entries = append(entries, guideEntry{Path: f.Key, Text: f.Title, Language: p.Language})
	}
	if len(p.Observations) > 0 {
		entries = append(entries, guideEntry{Path: "observations", Text: l.T("What to tick")})
	}
	if project.Session != nil {
		entries = append(entries, guideEntry{Path: "session", Text: l.T("Session")})
	}
	if len(p.Examples) > 0 {
		entries = append(entries, guideEntry{Path: "examples", Text: l.T("Worked examples")})
	}
	return entries
}

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
	if s.GoldItems > 0 {
		lines = append(lines, l.T("Up to %d items have a known answer, unmarked, to check the quality of the work.", s.GoldItems))
	}
	if s.GoldMinimum > 0 {
		lines = append(lines, l.T("If clearly fewer than %d%% of your answers to these are right, your work pauses, and a lead talks to you.",
			s.GoldMinimum))
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
