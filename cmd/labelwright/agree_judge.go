package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/report/judging"
	"github.com/labelwright/labelwright/internal/report/prose"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// printJudges prints for each judge and dimension how it agrees with people, the test against each annotator, and the
// mean with the judge.
func printJudges(out io.Writer, judges []judge.Result, dimensions []stats.Dimension) error {
	w := prose.Writer{Locale: locale.English}
	for _, r := range judges {
		fmt.Fprintf(out, "\n%s, %s: %s\n", r.Judge, r.Dimension, w.JudgeField(judging.Field{Result: r}))
		if r.Undefined != "" {
			fmt.Fprintf(out, "  No test against annotators. %s\n", w.JudgeReason(r.Undefined))
		} else {
			fmt.Fprintf(out, "  Alternative annotator test: ω = %s, ρ = %s, ε = %g, %s.\n",
				formatRounded(*r.WinningRate), formatRounded(*r.AdvantageProbability), r.Epsilon, r.Score)
		}
		if len(r.Annotators) > 0 {
			table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
			fmt.Fprintln(table, "  LEFT OUT\tITEMS\tJUDGE AS CLOSE OR CLOSER\tP")
			for _, a := range r.Annotators {
				fmt.Fprintf(table, "  %s\t%d\t%s\t%s\n", a.Annotator, a.Items, formatRounded(a.Advantage), formatP(a.P))
			}
			if err := table.Flush(); err != nil {
				return err
			}
		}
		if len(r.Skipped) > 0 && len(r.Annotators) > 0 {
			fmt.Fprintf(out, "  Not tested, with fewer than 30 items that the judge and another annotator answered too: %s.\n", strings.Join(r.Skipped, ", "))
		}
		for _, d := range dimensions {
			if d.Name == r.Dimension {
				fmt.Fprintf(out, "  %s\n", ppiSentence(w, r.PPI, d))
			}
		}
	}
	return nil
}

// ppiSentence says what the judge adds to the labels. The estimate is a mean or, of two words without
// an order, the share of the second.
func ppiSentence(w prose.Writer, p judge.PPIResult, d stats.Dimension) string {
	if p.Mean == nil {
		return "No mean with the judge. " + w.JudgeReason(p.Undefined)
	}
	estimate, points := "Mean answer", d.NamedScale()
	names, values := points.PointNames(), points.NumericValues()
	if last := len(names) - 1; d.Nominal {
		estimate = fmt.Sprintf("Share of “%s”", names[last])
	} else if slices.ContainsFunc(names, stats.IsNonNumeric) {
		estimate = fmt.Sprintf("Mean answer (“%s” is %g, “%s” is %g)", names[0], values[0], names[last], values[last])
	}
	text := fmt.Sprintf("%s over %s, of which %s have labels: ", estimate, pluralize(p.Labels+p.Judgments,
		"judged item"), formatCount(p.Labels))
	if p.Concluded.Low == nil {
		return text + formatRounded(*p.Mean) + ". " + w.JudgeReason(p.Concluded.Undefined)
	}
	text += fmt.Sprintf("%s (95%% CI %s to %s), if the labeled items are a random sample of them. ",
		formatRounded(*p.Concluded.Value), formatRounded(*p.Concluded.Low), formatRounded(*p.Concluded.High))
	if p.EquivalentLabels == nil {
		return text + w.JudgeReason(p.GainUndefined)
	}
	return text + fmt.Sprintf("This is as precise as labels alone of %s.", pluralize(int(*p.EquivalentLabels), "item"))
}

// formatP rounds small p-values up, so that one above a limit of two digits stays above it.
func formatP(p float64) string {
	switch {
	case p < 0.001:
		return "<0.001"
	case p < 0.1:
		return formatRounded(math.Ceil(p*1000) / 1000)
	}
	return formatRounded(p)
}
