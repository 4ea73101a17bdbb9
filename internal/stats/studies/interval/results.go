package main

import (
	"fmt"
	"math"
	"strings"
)

// A group is rows with the same bars.
type group struct {
	title, note string
	least, most float64 // coverage
}

var (
	usualGroup  = group{"Usual designs", "", 0.93, 0.97}
	sparseGroup = group{"Few shared items of many",
		"The true value is that of all items. Intervals are wider than they need to be.", 0.93, 0.99}
	rareGroup = group{"Few items decide",
		"Few items have the rarer answer, or nearly all answers agree. Studies without an interval have no disagreement, or " +
			"one answer only.", 0.91, 0.985}
	shareGroup  = group{"Shares of few items", "", 0.925, 0.995}
	byItemGroup = group{"Records left out",
		"As a contrast: what intervals cover that take the items of a record as independent. Reports never do.", 0, 0.93}
)

const introduction = `# Coverage of 95%% intervals

Written by ` + "`go run ./internal/stats/studies/interval -studies %d -out internal/stats/studies/interval`" + `. %d simulated
studies of each design. The true value is the figure of 300,000 items. Annotators err more often on two of five items or
records. Bias: mean error of the estimates, after the correction that the interval makes. Length: of the interval.
The error of simulation of a coverage of 95%% is %.1f points.
`

func results(rows []row, studies int) string {
	var b strings.Builder
	fmt.Fprintf(&b, introduction, studies, studies, 100*errorOf(0.95, studies))
	for i, r := range rows {
		if i == 0 || r.group != rows[i-1].group {
			fmt.Fprintf(&b, "\n## %s\n\n", r.group.title)
			if r.group.note != "" {
				b.WriteString(r.group.note + "\n\n")
			}
			b.WriteString("| figure | design | true value | bias | covered | no interval | length |\n|---|---|---|---|---|---|---|\n")
		}
		fmt.Fprintf(&b, "| %s | %s | %.3f | %+.3f | %.1f%% | %.1f%% | %.2f |\n", r.figure, r.design, r.truth, r.bias,
			100*r.coverage(), 100*float64(r.broken)/float64(r.studies), r.length)
	}
	return b.String() + bars(rows)
}

// bars says which bars are met.
func bars(rows []row) string {
	b := "\n## Bars\n\nShares of the intervals that contain the true value.\n\n"
	for _, g := range []group{usualGroup, sparseGroup, rareGroup, shareGroup, byItemGroup} {
		verdict := "met"
		var missed []string
		for _, r := range rows {
			if r.group == g && (r.coverage() < g.least || r.coverage() > g.most) {
				missed = append(missed, fmt.Sprintf("%s in %s (%.1f%%)", r.figure, r.design, 100*r.coverage()))
			}
		}
		if len(missed) > 0 {
			verdict = "missed by " + strings.Join(missed, "; ")
		}
		b += fmt.Sprintf("- %s: %g to %g%%: %s.\n", g.title,
			100*g.least, 100*g.most, verdict)
	}
	return b
}

// errorOf returns the standard error of a share of studies.
func errorOf(share float64, studies int) float64 {
	return math.Sqrt(share * (1 - share) / float64(studies))
}
