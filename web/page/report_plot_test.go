package page

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/comparison"
	"github.com/labelwright/labelwright/internal/report/study"
)

// Of the pairs of answers to an item, each is counted once, and the title counts the same ones.
func TestConfusionChart_CountsEachPairOnce(t *testing.T) {
	t.Parallel()
	f := report.FieldReport{Key: "tone", Title: "Tone", Scale: []int{1, 2, 3}, Confusion: [][]int{{4, 1, 2}, {1, 6, 0}, {2, 0, 8}}}
	if got, want := countPairsOnce(f.Confusion), [][]int{{2, 1, 2}, {0, 3, 0}, {0, 0, 4}}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	c := confusionChart(f)
	if c.Title != "Tone: 9 of 12 pairs of answers are equal" {
		t.Errorf("the title is %q", c.Title)
	}
	if got, want := fmt.Sprint(c.Rows), "[[1 2 1 2] [2  3 0] [3   4]]"; got != want {
		t.Errorf("the table is %s, want %s", got, want)
	}
}

// TestVerdictGroups_OneAnnotator_ShareOneText checks that fields on which κ rises without the same annotator
// share what is said of them, without advice on the guide or on more items.
func TestVerdictGroups_OneAnnotator_ShareOneText(t *testing.T) {
	t.Parallel()
	field := func(title, annotator string) report.FieldReport {
		f := report.FieldReport{Title: title, Scale: []int{1, 2, 3}, Boundaries: []report.Boundary{{Lower: 1, Upper: 2, Pairs: 9, AdjacentPairs: 9}},
			Verdict: report.Verdict{Outcome: report.Rewrite, Target: 0.4, Message: title + " is low.", OverlapAdvice: "Enough overlap."}}
		f.Verdict.Kappa.Value = new(0.1)
		if annotator != "" {
			f.Verdict.Causes = []report.Cause{{Kind: report.OneAnnotator, Annotator: annotator, KappaWithout: new(0.7), Message: "Without " + annotator + ", κ is 0.70."}}
		}
		return f
	}
	for _, c := range []struct {
		annotators [3]string
		want       []string // the texts of each group
	}{
		{[3]string{"a-1", "a-1", "a-1"}, []string{"Without a-1, κ is 0.70 instead of 0.10, a significant rise on each. Talk to a-1 before you change the questions, and before more items are labeled. / "}},
		{[3]string{"a-1", "", "a-1"}, []string{"Without a-1, κ is 0.70 instead of 0.10, a significant rise on each. Talk to a-1 before you change the questions, and before more items are labeled. / ",
			"Q1 is low. Disagreements are most frequent across the boundary between 1 and 2: 9 pairs of answers. / Enough overlap."}},
		{[3]string{"a-1", "a-2", ""}, []string{"Q0 is low. Without a-1, κ is 0.70. / Enough overlap.", "Q1 is low. Without a-2, κ is 0.70. / Enough overlap.",
			"Q2 is low. Disagreements are most frequent across the boundary between 1 and 2: 9 pairs of answers. / Enough overlap."}},
	} {
		d := ReportData{Report: &report.Report{}}
		for i, name := range c.annotators {
			f := field(fmt.Sprint("Q", i), name)
			d.Report.Fields = append(d.Report.Fields, f)
		}
		var got []string
		for _, g := range d.verdictGroups() {
			got = append(got, strings.Join(g.texts(), " ")+" / "+g.overlapText())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.annotators, got, c.want)
		}
	}
}

// TestSeverityBadge_FollowsMargin checks that a difference whose interval excludes 0 has a badge, which says
// whether it counts.
func TestSeverityBadge_FollowsMargin(t *testing.T) {
	t.Parallel()
	r, seen := rand.New(rand.NewPCG(72, 0)), map[string]int{}
	for range 2000 {
		value, width := 0.4*(r.Float64()-0.5), 0.1*r.Float64()
		low, high := value-width, value+width
		isFound := r.IntN(2) == 0
		a := report.Annotator{Severity: &ratereffect.Severity{Value: value, Low: low, High: high}}
		if isFound {
			a.RaterEffects = []ratereffect.FoundEffect{{Effect: ratereffect.DifferentStandard}}
		}
		want := ""
		switch {
		case isFound && value > 0:
			want = "More lenient"
		case isFound:
			want = "Stricter"
		case low <= 0 && high >= 0:
		case low >= -0.05 && high <= 0.05:
			want = "Negligible"
		default:
			want = "Not clear"
		}
		got, _ := severityBadge(a, 0.05)
		if seen[got]++; got != want {
			t.Fatalf("%v to %v: %q, want %q", low, high, got, want)
		}
	}
	if len(seen) != 5 {
		t.Errorf("%v", seen)
	}
}

// TestSeverityPlot_Unit_FollowsScales checks that differences between annotators are in points where all fields
// have the same scale of three points or more.
func TestSeverityPlot_Unit_FollowsScales(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scales          [][]int
		text, unit, max string
	}{
		{[][]int{{1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}}, "+0.40", "in points", "0.2 points"},
		{[][]int{{0, 1}, {0, 1}}, "+10.0%", "in percent of the scale", "5% of the scale"},
		{[][]int{{0, 1}, {1, 2, 3}}, "+10.0%", "in percent of the scale", "5% of the scale"},
	} {
		d := ReportData{Report: &report.Report{Annotators: []report.Annotator{{Name: "a-1", Severity: &ratereffect.Severity{Value: 0.1}}}, RaterEffects: ratereffect.Result{Margin: 0.05}}}
		for _, scale := range c.scales {
			d.Report.Fields = append(d.Report.Fields, report.FieldReport{Scale: scale})
		}
		p := d.severityPlot("severity", "Finding")
		if p.Rows[0].Text != c.text || !strings.HasSuffix(p.Measure, c.unit) || d.severityUnit().marginText(0.05) != c.max {
			t.Errorf("%v: %s, %s, %s", c.scales, p.Rows[0].Text, p.Measure, d.severityUnit().marginText(0.05))
		}
	}
}

func TestDifferencePlot_Rows_FollowConclusions(t *testing.T) {
	t.Parallel()
	for conclusion, badge := range map[comparison.Conclusion]string{comparison.Higher: "Higher", comparison.Lower: "Lower", comparison.NotShown: "Not shown", comparison.CannotBeTold: "Cannot be told"} {
		difference := &comparison.Difference{Conclusion: conclusion, Primary: comparison.Estimate{Number: study.Number{Value: new(0.5), Low: new(0.1), High: new(0.9)}, Items: 40}}
		b := &report.Breakdown{Result: comparison.Result{Groups: []comparison.Group{{Value: "base"}, {Value: "new", Fields: []comparison.GroupField{{Field: "tone", Difference: difference}}}}}}
		d := ReportData{Report: &report.Report{Fields: []report.FieldReport{{Key: "tone", Title: "Tone"}}, Breakdown: b}}
		p := d.differencePlot(locale.English, 1, "difference")
		if row := p.Rows[0]; len(p.Rows) != 1 || row.Verdict != badge || row.Text != "+0.50" || row.Basis != "over 40 items" || p.Measure != "new − base, in points" || !strings.Contains(p.Title, "Tone") {
			t.Errorf("%s: %s, %+v", conclusion, p.Measure, row)
		}
		difference.IsShare = true
		if p := d.differencePlot(locale.German, 1, "difference"); p.Rows[0].Text != "+50,0%" || p.Measure != "new − base, in Prozentpunkten" || !p.AsPercent {
			t.Errorf("of shares: %s, %s", p.Rows[0].Text, p.Measure)
		}
	}
}
