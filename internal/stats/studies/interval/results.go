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

// picture draws the coverage of each row.
func picture(rows []row) string {
	const left, width, height, least = 480, 400, 16, 0.8
	x := func(coverage float64) float64 { return left + width*(max(coverage, least)-least)/(1-least) }
	var b strings.Builder
	bottom := height*len(rows) + 50
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">`+"\n", left+width+60, bottom+10)
	b.WriteString(`<rect width="100%" height="100%" fill="#fff"/><text x="10" y="20" font-size="15">Share of 95% intervals that contain the true value</text>` + "\n")
	fmt.Fprintf(&b, `<rect x="%.1f" y="30" width="%.1f" height="%d" fill="#e4efe8"/>`+"\n", x(0.93), x(0.97)-x(0.93), bottom-30)
	for i, r := range rows {
		y, color := 45+height*i, "#2a7a55"
		if r.coverage() < r.group.least || r.coverage() > r.group.most || r.group == byItemGroup {
			color = "#c9852b"
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s · %s</text><circle cx="%.1f" cy="%d" r="4" fill="%s"/><text x="%d" y="%d">%.1f%%</text>`+"\n",
			left-10, y, r.figure, r.design, x(r.coverage()), y-4, color, left+width+8, y, 100*r.coverage())
	}
	return b.String() + "</svg>\n"
}

// errorOf returns the standard error of a share of studies.
func errorOf(share float64, studies int) float64 {
	return math.Sqrt(share * (1 - share) / float64(studies))
}
