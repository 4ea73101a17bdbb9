// Command ratereffect simulates studies, and writes how often each rater effect is found in an annotator who has it,
// and how often annotators without any are named.
//
//	go run ./internal/stats/studies/ratereffect -studies 200 -out internal/stats/studies/ratereffect
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/stats/studies/simulated"
)

func main() {
	studies := flag.Int("studies", 200,
		"simulated studies per cell of careless and copied answers, and without an effect")
	rest := flag.Int("rest", 100, "of other effects")
	best := flag.Int("best", 100, "of the best test")
	out := flag.String("out", ".", "folder of results.md")
	flag.Parse()
	var tallies [][]tally
	for _, d := range designs {
		var row []tally
		for _, b := range behaviors {
			n := *rest
			if b.isLarge() {
				n = *studies
			}
			row = append(row, run(d, b, n))
		}
		if d.hasOracle() {
			for j, found := range bounds(d, *best) {
				row[j+1].best = &found
			}
		}
		tallies = append(tallies, row)
		// After each design, so that what is done can be read.
		simulated.WriteResults(*out, results(tallies, *studies, *rest, *best))
	}
}

// A tally is the share of studies in which the effect is found in the first annotator, and in which another annotator
// is named: of studies without an effect, any.
type tally struct {
	found, named float64
	best         *bound // nil if it is not computed
}

// isLarge reports whether what is simulated bears on the bars: careless and copied answers, and none.
func (b behavior) isLarge() bool { return b.random > 0 || b.copied > 0 || len(b.effects) == 0 }

// hasOracle reports whether the best test is computed. In large studies the tests find what there is.
func (d design) hasOracle() bool { return d.annotated > 2 && d.items < 1000 }

func run(d design, b behavior, studies int) (t tally) {
	found, named := make([]bool, studies), make([]bool, studies)
	simulated.Run(studies, func(n int) {
		s := simulate(d, b, rand.New(rand.NewPCG(77, uint64(n))))
		first := s.labels.Annotators[0]
		for _, f := range ratereffect.Detect(s.fields, s.labels, s.known).Findings {
			isFirst := f.Annotator == first || f.IsEither && f.Other == first
			found[n] = found[n] || isFirst && slices.Contains(b.effects, f.Effect)
			named[n] = named[n] || len(b.effects) == 0 || !isFirst
		}
	})
	for n := range studies {
		if found[n] {
			t.found += 1 / float64(studies)
		}
		if named[n] {
			t.named += 1 / float64(studies)
		}
	}
	return t
}

const introduction = `# Power of the tests for rater effects

Written by ` + "`go run ./internal/stats/studies/ratereffect -studies %d -rest %d -best %d -out internal/stats/studies/ratereffect`" + `. Each cell
of careless and copied answers, and without an effect, is %d simulated studies with seed 77; others are %d, and %d of the best
tests. Annotators agree at a κ (quadratic weights) of about 0.65, and of about 0.3 where 3%% of answers are yes; they differ in
level (0.12 of the standard deviation of the items) and in skill (10%% of the standard deviation of errors), and items in
difficulty. The first annotator has one effect. Random answers are drawn from the whole scale.

`

func results(tallies [][]tally, studies, rest, best int) string {
	var b strings.Builder
	fmt.Fprintf(&b, introduction, studies, rest, best, studies, rest, best)
	b.WriteString("## How often the effect is found\n\nEmpty cells cannot be tested: of two annotators, nothing shows who is careless, copied or uses less of the scale: both\ndisagree with the only other one. Equal answers and spread say nothing on yes/no fields.\n\n| design |")
	for _, h := range behaviors[1:] {
		fmt.Fprintf(&b, " %s |", h.name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(behaviors)-1) + "\n")
	for i, d := range designs[:len(tallies)] {
		fmt.Fprintf(&b, "| %s |", d.name)
		for j, t := range tallies[i][1:] {
			if d.canShow(behaviors[j+1]) {
				fmt.Fprintf(&b, " %.0f%% |", 100*t.found)
			} else {
				b.WriteString(" – |")
			}
		}
		b.WriteString("\n")
	}
	b.WriteString(bestTests(tallies))
	b.WriteString("\n## How often annotators without an effect are named\n\nBy any test, in studies without an effect, and at most in studies in which the first annotator has one.\n\n| design | no effect | one effect, mean | most |\n|---|---|---|---|\n")
	for i, d := range designs[:len(tallies)] {
		mean, most := 0.0, 0.0
		for _, t := range tallies[i][1:] {
			mean, most = mean+t.named/float64(len(behaviors)-1), max(most, t.named)
		}
		fmt.Fprintf(&b, "| %s | %.0f%% | %.0f%% | %.0f%% |\n", d.name, 100*tallies[i][0].named, 100*mean, 100*most)
	}
	return b.String() + bars(tallies)
}

// bestTests writes what the best test finds.
func bestTests(tallies [][]tally) string {
	var b strings.Builder
	b.WriteString("\n## What can be found at all\n\nFound by the tests above, and by the best tests at an error rate of 5% shared by all annotators of a study. Rows: the likelihood ratio\n" +
		"test that knows the levels and errors of all annotators and how labels are made. No test has more power. Fields: the same if only the\n" +
		"answers to one field showed it. A bar of 90% cannot be met where the best test of rows finds less.\n\n| design |")
	for _, h := range behaviors[1:4] {
		fmt.Fprintf(&b, " %s: found | fields | rows |", h.name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", 9) + "\n")
	for i, d := range designs[:len(tallies)] {
		if !d.hasOracle() {
			continue
		}
		fmt.Fprintf(&b, "| %s |", d.name)
		for _, t := range tallies[i][1:4] {
			fmt.Fprintf(&b, " %.0f%% | %.0f%% | %.0f%% |", 100*t.found, 100*t.best[1], 100*t.best[0])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// The bars.
const (
	minFound = 0.9
	maxNamed = 0.05
)

// bars says which bars are met.
func bars(tallies [][]tally) string {
	var b strings.Builder
	b.WriteString("\n## Bars\n\n")
	for j, h := range behaviors[1:4] {
		var met, missed, impossible []string
		for i, d := range designs[:len(tallies)] {
			switch t := tallies[i][j+1]; {
			case !d.canShow(h):
			case t.found >= minFound:
				met = append(met, d.name)
			case t.best != nil && t.best[0] < minFound:
				impossible = append(impossible, fmt.Sprintf("%s (%.0f of %.0f%%)", d.name, 100*t.found, 100*t.best[0]))
			default:
				missed = append(missed, fmt.Sprintf("%s (%.0f%%)", d.name, 100*t.found))
			}
		}
		fmt.Fprintf(&b, "- %s, found in at least %.0f%% of studies: met in %s; missed in %s; impossible, with what the best test finds, in %s.\n",
			h.name, 100*minFound, list(met), list(missed), list(impossible))
	}
	var named []string
	for i, d := range designs[:len(tallies)] {
		if t := tallies[i][0]; t.named > maxNamed {
			named = append(named, fmt.Sprintf("%s (%.1f%%)", d.name, 100*t.named))
		}
	}
	fmt.Fprintf(&b, "- Annotators without an effect named in at most %.0f%% of studies: missed in %s.\n", 100*maxNamed,
		list(named))
	return b.String()
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, "; ")
}

// canShow reports whether a test for the effect is possible.
func (d design) canShow(b behavior) bool {
	isPair, isShort := d.annotated == 2, len(d.shares) < 3
	isOfPairs := slices.ContainsFunc(b.effects, func(e ratereffect.Effect) bool {
		return e == ratereffect.Careless || e == ratereffect.Copied || e == ratereffect.TooFast ||
			e == ratereffect.NarrowUse
	})
	isOfShape := slices.ContainsFunc(b.effects,
		func(e ratereffect.Effect) bool { return e == ratereffect.EqualAnswers || e == ratereffect.NarrowUse })
	return !(isPair && isOfPairs) && !(isShort && isOfShape)
}
