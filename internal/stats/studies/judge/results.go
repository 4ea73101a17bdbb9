package main

import (
	"fmt"
	"strings"

	"github.com/labelwright/labelwright/internal/stats/judge"
	"github.com/labelwright/labelwright/internal/stats/studies/simulated"
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
			fmt.Fprintf(&b, " %.0f%% | %s |", 100*simulated.Share(t.concluded[c], t.studies), percent(t.right[c], t.concluded[c]))
		}
		hasBias, covers := r.bias()
		fmt.Fprintf(&b, " %.0f%% | %.1f%% | %.1f%% |\n", 100*simulated.Share(t.concluded[judge.TooFewItems], t.studies),
			100*t.rightShare(), 100*simulated.Share(covers, hasBias))
	}
	b.WriteString("\n## How often a judge is found to be what it is\n\n| design |")
	for _, k := range kinds[:len(kinds)-1] {
		fmt.Fprintf(&b, " %s |", k.name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(kinds)-1) + "\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s |", r.Name)
		for _, t := range r.tallies[:len(kinds)-1] {
			fmt.Fprintf(&b, " %.0f%% |", 100*simulated.Share(t.wanted, t.studies))
		}
		b.WriteString("\n")
	}
	return b.String() + bars(rows)
}

func percent(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f%%", 100*simulated.Share(n, of))
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
		if hasBias, covers := r.bias(); simulated.Share(covers, hasBias) < minCoverage {
			narrow = append(narrow, r.Name)
		}
	}
	return fmt.Sprintf("\n## Bars\n\n- Right in at least %.0f%% of the judges with a conclusion: %s.\n- The 95%% interval of the bias covers it in at least %.0f%% of studies: %s.\n",
		100*minRight, simulated.DescribeBar(wrong), 100*minCoverage, simulated.DescribeBar(narrow))
}
