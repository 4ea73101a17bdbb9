package page

import (
	"strconv"
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
	return text + " and adjusted for the severity of annotators. p is adjusted for " + Pluralize(b.Comparisons, "comparison") + "."
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

// differenceChart shows the estimates of the difference of a group from the first one, by field.
func differenceChart(d ReportData, n int) ui.Chart {
	b := d.Report.Breakdown
	g, first := b.Groups[n], b.Groups[0].Value
	s := ui.IntervalChart{ID: "shift-" + strconv.Itoa(n), Title: g.Value + " − " + first, ShowSign: true,
		Description: "Difference of the means (" + g.Value + " − " + first + ") by field, with 95% CI: over all items, then within pairs if there are any, then adjusted for annotators. The vertical line marks no difference. " + g.Summary}
	for _, f := range g.Fields {
		for i, e := range differenceRows(f) {
			row := ui.IntervalRow{Label: "· " + e.name, Value: e.estimate.Value, Low: e.estimate.Low, High: e.estimate.High, Missing: e.estimate.Undefined, Basis: Pluralize(e.estimate.Items, "item")}
			if i == 0 {
				row.Label = d.fieldTitle(f.Field)
			}
			s.Rows = append(s.Rows, row)
		}
	}
	return s.Chart()
}
