package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/judge"
)

// printJudges prints the verdict on each judge and the test against each annotator.
func printJudges(w io.Writer, judges []judge.Result, dimensions []stats.Dimension) error {
	for _, r := range judges {
		fmt.Fprintf(w, "\n%s\n", judgeVerdict(r))
		if len(r.Annotators) > 0 {
			table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
			fmt.Fprintln(table, "  LEFT OUT\tITEMS\tJUDGE AS CLOSE OR CLOSER\tP\tP (ADJUSTED)")
			for i, p := range adjustedPValues(r.Annotators) {
				a := r.Annotators[i]
				fmt.Fprintf(table, "  %s\t%d\t%s\t%s\t%s\n", a.Annotator, a.Items, formatRounded(a.Advantage), formatP(a.P), formatP(p))
			}
			if err := table.Flush(); err != nil {
				return err
			}
		}
		if len(r.Skipped) > 0 && len(r.Annotators) > 0 {
			fmt.Fprintf(w, "  Not tested, with fewer than 30 items that the judge and another annotator answered too: %s.\n", strings.Join(r.Skipped, ", "))
		}
		n := slices.IndexFunc(dimensions, func(d stats.Dimension) bool { return d.Name == r.Dimension })
		fmt.Fprintf(w, "  %s\n", ppiSentence(r.PPI, dimensions[n]))
	}
	return nil
}

func adjustedPValues(annotators []judge.AnnotatorResult) []float64 {
	pValues := make([]float64, len(annotators))
	for i, a := range annotators {
		pValues[i] = a.P
	}
	return judge.AdjustFalseDiscovery(pValues)
}

// judgeVerdict says whether the judge may replace an annotator.
func judgeVerdict(r judge.Result) string {
	if r.Undefined != "" {
		return fmt.Sprintf("%s, %s: whether the judge may replace an annotator is not known: %s.", r.Judge, r.Dimension, r.Undefined)
	}
	wins := int(*r.WinningRate*float64(len(r.Annotators)) + 0.5)
	figures := fmt.Sprintf("it wins against %d of %s (ω = %s, ρ = %s, ε = %g, %s)",
		wins, pluralize(len(r.Annotators), "annotator"), formatRounded(*r.WinningRate), formatRounded(*r.AdvantageProbability), r.Epsilon, r.Score)
	verdict := "the judge may not replace an annotator: " + figures + "."
	switch {
	case r.Obstacle.LacksData():
		verdict = fmt.Sprintf("whether the judge may replace an annotator is not known: %s, but %s. %s", figures, r.Reason, r.NextAction)
	case r.Obstacle != "":
		verdict = fmt.Sprintf("the judge is not recommended to replace an annotator, although %s: %s. %s", figures, r.Reason, r.NextAction)
	case r.Replaces:
		verdict = "the judge may replace an annotator: " + figures + "."
	}
	return fmt.Sprintf("%s, %s: %s", r.Judge, r.Dimension, verdict)
}

// ppiSentence says what the judge adds to the labels. The estimate is a mean or, of two words without
// an order, the share of the second.
func ppiSentence(p judge.PPIResult, d stats.Dimension) string {
	if p.Undefined != "" {
		return "No estimate with the judge: " + p.Undefined + "."
	}
	estimate, points := "Mean answer", d.NamedScale()
	names, values := points.PointNames(), points.NumericValues()
	if last := len(names) - 1; d.Nominal {
		estimate = fmt.Sprintf("Share of “%s”", names[last])
	} else if slices.ContainsFunc(names, stats.IsNonNumeric) {
		estimate = fmt.Sprintf("Mean answer (“%s” is %g, “%s” is %g)", names[0], values[0], names[last], values[last])
	}
	text := fmt.Sprintf("%s over %s, of which %s have labels: ", estimate, pluralize(p.Labels+p.Judgments, "judged item"), formatCount(p.Labels))
	if p.IntervalUndefined != "" {
		return text + formatRounded(*p.Mean) + ". No conclusion: " + p.IntervalUndefined + "."
	}
	text += fmt.Sprintf("%s (95%% CI %s to %s), if the labeled items are a random sample of them. ", formatRounded(*p.IntervalMean), formatRounded(*p.IntervalLow), formatRounded(*p.IntervalHigh))
	if p.GainUndefined != "" {
		return text + "How many labels the judgments are worth is not known: " + p.GainUndefined + "."
	}
	if *p.EquivalentLabels*minAgreeGain < float64(p.Labels) {
		return text + "The judge adds nothing: the labels alone are more precise."
	}
	if *p.EquivalentLabels < minAgreeGain*float64(p.Labels) {
		return text + "The judge adds nothing: the labels alone are about as precise."
	}
	return text + fmt.Sprintf("With the judge, the labels give the precision of labels of %s.", pluralize(int(*p.EquivalentLabels), "item"))
}

// minAgreeGain is how many times as many labels a judge must be worth to be said to add to them.
const minAgreeGain = 1.1

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
