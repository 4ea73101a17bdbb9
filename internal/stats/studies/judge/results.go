package main

import (
	"fmt"
	"strings"

	"github.com/labelwright/labelwright/internal/stats/judge"
)

// The bars.
const (
	minRight    = 0.95
	minCoverage = 0.93
)

const introduction = `# Conclusions on model judges

Written by ` + "`go run ./internal/stats/studies/judge -studies %d -out internal/stats/studies/judge`" +
	`. %d simulated studies of each
design and judge. κ among people is uniform on %g to %g, and they differ in level by 0.15 standard deviations. A judge answers all items.
A conclusion is right if it is true of the judge: "as people do" if its κ is at most %g below that of people and its bias is tolerated.

`

func results(rows []row, studies int) string {
	var b strings.Builder
	fmt.Fprintf(&b, introduction, studies, studies, leastKappa, mostKappa, judge.AgreementMargin)
	b.WriteString("## How often a conclusion is right\n\nOver judges of any kind: lower κ by up to 0.5, and half of them with a bias of up to 35% of the scale.\n\n" +
		"| design | as people do | right | agrees less | right | biased | right | too few items | right, of all | 95% CI of the bias covers it |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		t := r.tallies[len(kinds)-1]
		fmt.Fprintf(&b, "| %s |", r.Name)
		for _, c := range []judge.Conclusion{judge.AsPeople, judge.LessThanPeople, judge.Biased} {
			fmt.Fprintf(&b, " %.0f%% | %s |", 100*share(t.concluded[c], t.studies), percent(t.right[c], t.concluded[c]))
		}
		hasBias, covers := r.bias()
		fmt.Fprintf(&b, " %.0f%% | %.1f%% | %.1f%% |\n", 100*share(t.concluded[judge.TooFewItems], t.studies),
			100*t.rightShare(), 100*share(covers, hasBias))
	}
	b.WriteString("\n## How often a judge is found to be what it is\n\n| design |")
	for _, k := range kinds[:len(kinds)-1] {
		fmt.Fprintf(&b, " %s |", k.name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(kinds)-1) + "\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s |", r.Name)
		for _, t := range r.tallies[:len(kinds)-1] {
			fmt.Fprintf(&b, " %.0f%% |", 100*share(t.wanted, t.studies))
		}
		b.WriteString("\n")
	}
	return b.String() + bars(rows)
}

func percent(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f%%", 100*share(n, of))
}

// bias counts the studies of all kinds with an interval of the bias, and those whose interval has it.
func (r row) bias() (hasBias, covers int) {
	for _, t := range r.tallies {
		hasBias, covers = hasBias+t.hasBias, covers+t.coversBias
	}
	return hasBias, covers
}

// bars says which bars are met.
func bars(rows []row) string {
	var wrong, narrow []string
	for _, r := range rows {
		if r.tallies[len(kinds)-1].rightShare() < minRight {
			wrong = append(wrong, r.Name)
		}
		if hasBias, covers := r.bias(); share(covers, hasBias) < minCoverage {
			narrow = append(narrow, r.Name)
		}
	}
	met := func(missed []string) string {
		if len(missed) == 0 {
			return "met"
		}
		return "missed: " + strings.Join(missed, "; ")
	}
	return fmt.Sprintf("\n## Bars\n\n- Right in at least %.0f%% of the judges with a conclusion: %s.\n- The 95%% interval of the bias covers it in at least %.0f%% of studies: %s.\n",
		100*minRight, met(wrong), 100*minCoverage, met(narrow))
}

// picture draws the shares of conclusions on judges of any kind, and which of them are wrong.
func picture(rows []row) string {
	const left, width, height = 300, 480, 24
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", left+width+20, height*len(rows)+60)
	b.WriteString(`<rect width="100%" height="100%" fill="#fff"/><text x="10" y="22" font-size="15">As people do (green), agrees less (orange), biased (blue), wrong (black), too few items (gray)</text>` + "\n")
	for i, r := range rows {
		y, x, t := 40+height*i, float64(left), r.tallies[len(kinds)-1]
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", left-10, y+14, r.Name)
		draw := func(n int, color string) {
			w := width * share(n, t.studies)
			fmt.Fprintf(&b, `<rect x="%.1f" y="%d" width="%.1f" height="18" fill="%s"/>`+"\n", x, y, w, color)
			x += w
		}
		for _, c := range []struct {
			conclusion judge.Conclusion
			color      string
		}{{judge.AsPeople, "#2a7a55"}, {judge.LessThanPeople, "#c9852b"}, {judge.Biased, "#337ab7"}} {
			draw(t.right[c.conclusion], c.color)
			draw(t.concluded[c.conclusion]-t.right[c.conclusion], "#111")
		}
		draw(t.concluded[judge.TooFewItems], "#ddd")
	}
	return b.String() + "</svg>\n"
}
