package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/stats/judge"
)

// printJudges prints the verdict on each judge and the test against each annotator.
func printJudges(w io.Writer, judges []judge.Result) error {
	for _, r := range judges {
		fmt.Fprintf(w, "\n%s\n", judgeVerdict(r))
		if len(r.Annotators) > 0 {
			table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
			fmt.Fprintln(table, "  LEFT OUT\tITEMS\tJUDGE AS CLOSE OR CLOSER\tP")
			for _, a := range r.Annotators {
				fmt.Fprintf(table, "  %s\t%d\t%s\t%s\n", a.Annotator, a.Items, formatRounded(a.Advantage), formatP(a.P))
			}
			if err := table.Flush(); err != nil {
				return err
			}
		}
		if len(r.Skipped) > 0 {
			fmt.Fprintf(w, "  Not tested, with fewer than 30 shared items: %s.\n", pluralize(len(r.Skipped), "annotator"))
		}
		fmt.Fprintf(w, "  %s\n", ppiSentence(r.PPI))
	}
	return nil
}

// judgeVerdict says whether the judge may replace an annotator.
func judgeVerdict(r judge.Result) string {
	if r.Undefined != "" {
		return fmt.Sprintf("%s, %s: no alternative annotator test: %s.", r.Judge, r.Dimension, r.Undefined)
	}
	may := "may not"
	if r.Replaces {
		may = "may"
	}
	return fmt.Sprintf("%s, %s: the judge %s replace an annotator (ω = %s, ρ = %s, ε = %g, %s).",
		r.Judge, r.Dimension, may, formatRounded(*r.WinningRate), formatRounded(*r.AdvantageProbability), r.Epsilon, r.Score)
}

// ppiSentence says what the judge adds to the labels.
func ppiSentence(p judge.PPIResult) string {
	if p.Undefined != "" {
		return "No estimate with the judge: " + p.Undefined + "."
	}
	return fmt.Sprintf("Mean with the judge on %d more items: %s (95%% CI %s to %s). Its %d labeled items give the precision of %.0f.",
		p.Judgments, formatRounded(*p.Mean), formatRounded(*p.Low), formatRounded(*p.High), p.Labels, *p.EquivalentLabels)
}

func formatP(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}
	return formatRounded(p)
}
