package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/web/ui"
)

// comparisonIntro explains the estimates of a comparison.
func comparisonIntro(b *report.Breakdown) string {
	text := "Annotators never see this column."
	if b.Comparisons == 0 {
		return text + " No two groups can be compared yet."
	}
	text += " Each difference is estimated over all items"
	if b.PairedBy != "" {
		text += ", within pairs (" + b.PairedBy.Text() + ")"
	}
	return text + " and, where annotators link the groups, adjusted for their severity; p is adjusted for " + Pluralize(b.Comparisons, "comparison") + "."
}

// noComparisonText says what a comparison needs.
func noComparisonText() string {
	return fmt.Sprintf("Nothing to compare: no metadata column of the labeled items, such as a condition, has 2 to %d different values of at most %d bytes.", report.MaxGroups, report.MaxMetaValueLength)
}

// A differenceRow is one estimate of a difference.
type differenceRow struct {
	name     string
	estimate report.DifferenceEstimate
}

// differenceRows returns the estimates of the difference of a field.
func differenceRows(f report.GroupField) []differenceRow {
	d := f.Difference
	rows := []differenceRow{{"all " + Pluralize(d.AllItems.Items, "item"), d.AllItems}}
	if d.Paired != nil {
		rows = append(rows, differenceRow{"within " + Pluralize(d.Paired.Pairs, "pair"), *d.Paired})
	}
	return append(rows, differenceRow{"adjusted for annotators", d.Adjusted})
}

// shownPairs returns the pairs of groups that differ in a field.
func shownPairs(b *report.Breakdown) (pairs []report.GroupPair) {
	for _, p := range b.AllPairs {
		if p.ShowsDifference() {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

func allPairsCaption(b *report.Breakdown) string {
	comparisons, _ := b.CountPairDifferences()
	return "Difference of each pair, in points, with 95% CI and p adjusted for " + Pluralize(comparisons, "comparison")
}

func pairColumns(d ReportData, b *report.Breakdown) []ui.Column {
	var titles []string
	for _, f := range b.AllPairs[0].Fields {
		titles = append(titles, d.fieldTitle(f.Field))
	}
	return numericColumns("Pair", titles...)
}

// pairNote returns the conclusion from a difference with its p-value, or why there is none.
func pairNote(d *report.GroupDifference) string {
	switch p := d.MainDifference().PText(); d.Conclusion {
	case report.Higher, report.Lower:
		return string(d.Conclusion) + ", p " + p
	case report.EstimatesDisagree:
		return "estimates disagree"
	case report.NotAdjusted:
		return "not when adjusted for annotators"
	case report.OnlyAdjusted:
		return "only when adjusted for annotators"
	case report.Confounded:
		return "different annotators"
	case report.NoInterval:
		return "no interval"
	default:
		return "p " + p
	}
}

// joinClauses joins clauses that are not empty.
func joinClauses(clauses ...string) string {
	var parts []string
	for _, c := range clauses {
		if c != "" {
			parts = append(parts, c)
		}
	}
	return strings.Join(parts, "; ")
}

// differencePlot shows the main difference of each field of a group from the first one; hasDetails
// adds the other estimates.
func (d ReportData) differencePlot(n int, id string, hasDetails bool) ui.ForestPlot {
	first, g := d.Report.Breakdown.Groups[0].Value, d.Report.Breakdown.Groups[n]
	p := ui.ForestPlot{ID: id, Title: d.Report.DescribeGroup(g).Text, Measure: isolate(g.Value) + " − " + isolate(first) + ", in points", From: -0.5, To: 0.5, ShowSign: true,
		LowEnd: isolate(first) + " higher", HighEnd: isolate(g.Value) + " higher", Columns: [4]string{"Difference", "95% CI", "Based on", "Conclusion"},
		Description: "Difference of the means by field with its 95% CI. The vertical line marks no difference."}
	for _, f := range g.Fields {
		main := f.Difference.MainDifference()
		row := newDifferenceRow(main)
		row.Label = d.fieldTitle(f.Field)
		row.Verdict, row.VerdictClass = conclusionBadge(f.Difference.Conclusion)
		p.Rows = append(p.Rows, row)
		for _, e := range differenceRows(f) {
			if hasDetails && e.estimate != main {
				row := newDifferenceRow(e.estimate)
				row.Label, row.IsDetail = e.name, true
				p.Rows = append(p.Rows, row)
			}
		}
	}
	return p
}

func newDifferenceRow(e report.DifferenceEstimate) ui.ForestRow {
	row := ui.ForestRow{Value: e.Value, Low: e.Low, High: e.High, Text: e.Signed(), Missing: e.Undefined, Basis: Pluralize(e.Items, "item")}
	if e.Low != nil {
		row.IntervalText = e.SignedRange()
	}
	return row
}

// conclusionBadge returns the badge of a difference that is shown, and its class.
func conclusionBadge(c report.Conclusion) (text, class string) {
	switch c {
	case report.Higher:
		return "Higher", "go"
	case report.Lower:
		return "Lower", "revise"
	}
	return "", ""
}

// missingIntervalNote says why means of groups have no interval; empty if each has one.
func missingIntervalNote(b *report.Breakdown) string {
	var reasons []string
	for _, g := range b.Groups {
		for _, f := range g.Fields {
			for _, mean := range []report.Number{f.Mean, f.AdjustedMean} {
				if mean.Value != nil && mean.Low == nil && !slices.Contains(reasons, mean.IntervalNote) {
					reasons = append(reasons, mean.IntervalNote)
				}
			}
		}
	}
	if len(reasons) == 0 {
		return ""
	}
	return "Means without a 95% CI: " + strings.Join(reasons, "; ") + "."
}
