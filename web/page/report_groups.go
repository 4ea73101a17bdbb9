package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/web/ui"
)

// comparisonIntro says which difference is shown, and when it counts.
func comparisonIntro(b *report.Breakdown) string {
	if b.Comparisons == 0 {
		return "No two groups can be compared yet."
	}
	text := "The difference shown is over all items."
	if b.PairedBy != "" {
		text = "The difference shown is within pairs where half of the items are paired (" + b.PairedBy.Text() + "), else over all items."
	}
	return text + " A group scores higher or lower if the whole interval is above or below 0 and p, adjusted for the number of comparisons, is at most 0.05: " +
		"also when adjusted for the severity of annotators who link the groups, and without annotators whose answers are in question."
}

// columnNote says that a comparison by a metadata column is blind.
func columnNote(b *report.Breakdown) string {
	return "Annotators do not see an item’s value of “" + isolate(b.Column) + "”."
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
	rows = append(rows, differenceRow{"adjusted for annotators", d.Adjusted})
	if d.Without != nil {
		rows = append(rows, differenceRow{withoutText(d), d.Without.MainDifference()})
		if d.Without.Adjusted.Low != nil {
			rows = append(rows, differenceRow{withoutText(d) + ", adjusted", d.Without.Adjusted})
		}
	}
	return rows
}

// withoutText names the questioned annotators, without whose answers a difference is estimated again.
func withoutText(d *report.GroupDifference) string { return "without " + d.QuestionedText() }

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
	return "Difference of each pair, " + differenceUnit(b.AllPairs[0].Fields) + ", with 95% CI and p adjusted for " + Pluralize(comparisons, "comparison")
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
	case report.DependsOnAnnotators:
		return "depends on " + d.QuestionedText()
	case report.UnreliableAnswers:
		return "too little agreement"
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

// differencePlot shows the main difference of each field of a group from the first one. hasDetails adds the
// other estimates of a field whose conclusion rests on more than one.
func (d ReportData) differencePlot(n int, id string, hasDetails bool) ui.ForestPlot {
	b := d.Report.Breakdown
	first, g := b.Groups[0].Value, b.Groups[n]
	var differences []report.FieldDifference
	for _, f := range g.Fields {
		differences = append(differences, report.FieldDifference{Field: f.Field, Difference: f.Difference})
	}
	p := ui.ForestPlot{ID: id, Title: d.Report.DescribeGroup(g).Text, Measure: isolate(g.Value) + " − " + isolate(first) + ", " + differenceUnit(differences), From: -0.5, To: 0.5, ShowSign: true,
		LowEnd: isolate(first) + " higher", HighEnd: isolate(g.Value) + " higher", Columns: [4]string{"Difference", "95% CI", "Based on", "Conclusion"},
		Description: "Difference of the means by field with its 95% CI. The vertical line marks no difference."}
	if !slices.ContainsFunc(differences, func(f report.FieldDifference) bool { return !f.Difference.IsShare }) {
		p.AsPercent, p.From, p.To = true, -0.1, 0.1
	}
	for _, f := range g.Fields {
		main := f.Difference.MainDifference()
		row := newGroupDifferenceRow(f.Difference, main)
		row.Label = d.fieldTitle(f.Field)
		row.Verdict, row.VerdictClass, row.VerdictNote = groupDifferenceBadge(f.Difference)
		p.Rows = append(p.Rows, row)
		for _, e := range differenceRows(f) {
			isWithout := f.Difference.Without != nil && strings.HasPrefix(e.name, withoutText(f.Difference))
			if hasDetails && e.estimate != main && (restsOnAll(f.Difference.Conclusion) || isWithout) {
				row := newGroupDifferenceRow(f.Difference, e.estimate)
				row.Label, row.IsDetail = e.name, true
				p.Rows = append(p.Rows, row)
			}
		}
	}
	return p
}

// restsOnAll reports whether a conclusion compares the estimates of a difference with each other.
func restsOnAll(c report.Conclusion) bool {
	return c == report.EstimatesDisagree || c == report.NotAdjusted || c == report.OnlyAdjusted
}

// differenceUnit names the unit of the differences of fields.
func differenceUnit(fields []report.FieldDifference) string {
	shares := 0
	for _, f := range fields {
		if f.Difference.IsShare {
			shares++
		}
	}
	switch shares {
	case 0:
		return "in points"
	case len(fields):
		return "in percentage points"
	}
	return "in points; in percentage points on yes/no fields"
}

// newDifferenceRow returns the row of a difference in points.
func newDifferenceRow(e report.DifferenceEstimate) ui.ForestRow {
	return newGroupDifferenceRow(&report.GroupDifference{}, e)
}

// newGroupDifferenceRow returns the row of one estimate of a difference between groups.
func newGroupDifferenceRow(d *report.GroupDifference, e report.DifferenceEstimate) ui.ForestRow {
	row := ui.ForestRow{Value: e.Value, Low: e.Low, High: e.High, Text: d.Format(e.Number), Missing: e.Undefined, Basis: Pluralize(e.Items, "item")}
	if e.Pairs > 0 {
		row.Basis = Pluralize(e.Pairs, "pair")
	}
	if e.Low != nil {
		row.IntervalText = d.FormatRange(e.Number)
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

// groupDifferenceBadge returns the badge of what the estimates show, its class and a note; nothing if they show
// no difference.
func groupDifferenceBadge(d *report.GroupDifference) (text, class, note string) {
	class = "undetermined"
	switch d.Conclusion {
	case report.NotAfterHolm:
		comparisons := d.MainDifference().Tested
		if comparisons == 1 || d.IsTooClose() {
			return "Can be chance", class, "p " + d.MainDifference().PText()
		}
		return "Can be chance", class, "adjusted for " + Pluralize(comparisons, "comparison")
	case report.NotAdjusted:
		return "Not clear", class, "not when adjusted for annotators"
	case report.OnlyAdjusted:
		return "Not clear", class, "only when adjusted for annotators"
	case report.Confounded:
		return "Not clear", class, "different annotators"
	case report.EstimatesDisagree:
		return "Not clear", class, "estimates disagree"
	case report.DependsOnAnnotators:
		return "Not clear", class, "depends on " + d.QuestionedText()
	case report.UnreliableAnswers:
		return "Not clear", class, "too little agreement"
	}
	text, class = conclusionBadge(d.Conclusion)
	return text, class, ""
}

// missingIntervalNote says why means of groups have no interval; empty if each has one.
func missingIntervalNote(b *report.Breakdown) string {
	var reasons []string
	for _, g := range b.Groups {
		for _, f := range g.Fields {
			for _, mean := range []study.Number{f.Mean, f.AdjustedMean} {
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
