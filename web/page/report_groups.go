package page

import (
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/comparison"
	"github.com/labelwright/labelwright/internal/report/prose"
	"github.com/labelwright/labelwright/web/ui"
)

// differencePlot shows the primary difference of each field of a group from the first one.
func (d ReportData) differencePlot(l *locale.Locale, n int, id string) ui.ForestPlot {
	w, b := prose.Writer{Locale: l}, d.Report.Breakdown
	first, g := b.Groups[0].Value, b.Groups[n]
	p := ui.ForestPlot{ID: id, Title: w.Group(&b.Result, n, d.fieldTitle), From: -0.5, To: 0.5, ShowSign: true,
		LowEnd: l.T("%s higher", isolate(first)), HighEnd: l.T("%s higher", isolate(g.Value)),
		Columns:     [4]string{l.T("Difference"), l.T("95%% CI"), l.T("Based on"), l.T("Conclusion")},
		Description: l.T("Difference of the means by field with its 95%% CI. The vertical line marks no difference.")}
	shares := 0
	for _, f := range g.Fields {
		difference := f.Difference
		if difference.IsShare {
			shares++
		}
		row := ui.ForestRow{Label: d.fieldTitle(f.Field), Value: difference.Primary.Value, Low: difference.Primary.Low,
			High: difference.Primary.High, Text: w.SignedDifference(difference, difference.Primary.Number),
			Verdict:      w.ComparisonConclusion(difference.Conclusion),
			VerdictClass: comparisonClass(difference.Conclusion)}
		if row.Value == nil {
			row.Missing = w.Difference(g.Value, first, difference)
		} else {
			row.IntervalText, row.Basis = w.DifferenceRange(difference, difference.Primary.Number),
				w.Basis(difference.Primary)
		}
		p.Rows = append(p.Rows, row)
	}
	unit := l.T("in points; in percentage points on yes/no fields")
	switch shares {
	case 0:
		unit = l.T("in points")
	case len(g.Fields):
		unit, p.AsPercent, p.From, p.To = l.T("in percentage points"), true, -0.1, 0.1
	}
	p.Measure = isolate(g.Value) + " − " + isolate(first) + ", " + unit
	return p
}

func comparisonClass(c comparison.Conclusion) string {
	switch c {
	case comparison.Higher:
		return "go"
	case comparison.Lower:
		return "revise"
	}
	return "undetermined"
}

// noComparisonText says what a comparison needs.
func noComparisonText(l *locale.Locale) string {
	return l.T("Nothing to compare: no metadata column of the labeled items, such as a condition, has 2 to %d different values of at most %d bytes.", comparison.MaxGroups, report.MaxMetaValueLength)
}

// hasShares reports whether a mean is a share of a yes.
func hasShares(b *report.Breakdown) bool {
	for _, d := range b.Differences() {
		if d.IsShare {
			return true
		}
	}
	return false
}

// formatP formats the p-value of an estimate that is adjusted for the number of comparisons, or as it is where it
// changes no conclusion.
func formatP(l *locale.Locale, e comparison.Estimate) string {
	w := prose.Writer{Locale: l}
	switch {
	case e.HolmP != nil:
		return w.P(*e.HolmP)
	case e.P != nil:
		return w.P(*e.P)
	}
	return ""
}
