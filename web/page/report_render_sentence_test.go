package page_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/web/page"
)

// A renderedPart is a part of a page, and whether it is true of the report.
type renderedPart struct {
	text string
	want bool
}

// A randomPage is a report with random properties, and what its pages say of them.
type randomPage struct {
	page.ReportData
	r     *rand.Rand
	parts []renderedPart
}

func (p *randomPage) chance() bool { return p.r.IntN(2) == 0 }

// add states a part of the page, which is true or not.
func (p *randomPage) add(want bool, format string, args ...any) {
	p.parts = append(p.parts, renderedPart{fmt.Sprintf(format, args...), want})
}

// newRandomPage returns a report of which each part is there or not.
func newRandomPage(r *rand.Rand) *randomPage {
	p := &randomPage{reportData(summaryReport()), r, nil}
	p.FinishedAt = time.Date(2026, 11, 23, 8, 4, 0, 0, time.UTC)
	if p.IsStale = p.chance(); p.IsStale {
		p.LaterLabels = r.IntN(3)
	}
	p.add(p.IsStale, "This report is of 23 Nov 2026, 08:04 UTC; ")
	p.add(p.IsStale && p.LaterLabels == 0, "decisions, judgments or items are newer.")
	p.add(p.IsStale && p.LaterLabels == 1, "1 label was submitted since.")
	p.add(p.IsStale && p.LaterLabels == 2, "2 labels were submitted since.")
	p.HiddenItems = r.IntN(3)
	p.add(p.HiddenItems == 1, "The answers to 1 item are not in this report")
	p.add(p.HiddenItems == 2, "The answers to 2 items are not in this report")
	p.addCounts()
	p.addFields()
	p.addAnnotators()
	p.addGroups()
	p.addMetrics()
	p.addJudge()
	return p
}

func (p *randomPage) addCounts() {
	c := &p.Report.Counts
	c.Duplicates, c.Calibration, c.Judgments, c.DrawnItems = p.r.IntN(2)*p.r.IntN(2), p.r.IntN(2)*p.r.IntN(2), p.r.IntN(2)*p.r.IntN(2), p.r.IntN(3)
	p.add(c.Duplicates+c.Calibration+c.Judgments > 0, "Not part of agreement or consensus: ")
	p.add(c.Duplicates == 1, "1 hidden duplicate")
	p.add(c.Calibration == 1, "1 calibration label")
	p.add(c.Judgments == 1, "1 model judgment")
	c.DrawnSharedItems = p.r.IntN(3)
	p.add(c.DrawnItems > 0, "Drawn by expected gain: %d of 150 labeled items, so agreement", c.DrawnItems)
	p.add(c.DrawnSharedItems > 0, "Drawn by expected gain: %d of 150 items with two or more labels.", c.DrawnSharedItems)
}

func (p *randomPage) addFields() {
	f := &p.Report.Fields[1]
	span := time.Duration(p.r.IntN(2)) * time.Hour
	if periods := p.r.IntN(3); periods > 0 {
		f.MeansOverTime = make([]report.MeanWindow, periods)
		for i := range f.MeansOverTime {
			f.MeansOverTime[i].Mean = number(2, 1.5, 2.5)
			f.MeansOverTime[i].To = f.MeansOverTime[i].From.Add(time.Duration(periods-1) * span)
		}
	}
	p.add(len(f.MeansOverTime) > 1 && span > 0, "a change of the mean is therefore a change in how they label")
	for range []int{0, 29, 31, 40}[p.r.IntN(4)] {
		f.Pairs = append(f.Pairs, report.AnnotatorPair{First: "a-1", Second: fmt.Sprint("a-", len(f.Pairs)+2), Kappa: study.AgreementFigure{Number: number(0.5, 0.4, 0.6), Items: 12}})
	}
	p.add(len(f.Pairs) > 30, "%d pairs of annotators share items. Pairs with fewer than 10 shared items, or without a κ, are not listed", len(f.Pairs))
	if p.chance() {
		f.Verdict.InterimAnalyses = []report.InterimAnalysis{{Items: 20, Level: 0.999, Outcome: []report.Outcome{"", report.Revise}[p.r.IntN(2)]}}
		f.Verdict.InterimAnalyses[0].IsConclusive = f.Verdict.InterimAnalyses[0].Outcome != "" && p.chance()
	}
	list := f.Verdict.InterimAnalyses
	p.add(len(list) > 0, "Is the overlap enough? Each interval")
	p.add(len(list) > 0 && list[0].IsConclusive, "Revise, conclusive")
	p.add(len(list) > 0 && list[0].Outcome != "" && !list[0].IsConclusive, "Revise, uncertain")
	f.Boundaries[0].Guide = []string{"", "A 3 names the feeling."}[p.r.IntN(2)]
	p.add(f.Boundaries[0].Guide != "", "The guide says: “A 3 names the feeling.”")
}

func (p *randomPage) addAnnotators() {
	isFound := p.chance()
	if !isFound {
		p.Report.Annotators[2].RaterEffects = nil
	}
	p.add(!isFound, "No rater effect found. What would have been found: 30%% random answers.")
	p.add(isFound, "a-3, different standard:")
	hasBias := p.chance()
	if hasBias {
		p.Report.Annotators[0].CalibrationBias = []report.CalibrationBias{{Field: "f0", Items: 12, Number: number(0.5, 0.2, 0.8)}}
	}
	p.add(hasBias, "Bold: the whole interval is above or below 0")
	p.RaterEffectsShown = p.chance()
	p.add(p.RaterEffectsShown, "Annotators see only their own rater effects")
	p.add(!p.RaterEffectsShown, "Annotators do not see their own rater effects.")
}

func (p *randomPage) addGroups() {
	isEmpty := p.r.IntN(5) == 0
	p.add(isEmpty, "Nothing to compare: no metadata column of the labeled items")
	if isEmpty {
		p.Report.Breakdown, p.Report.Judges[0].Comparison = nil, nil
		return
	}
	b := p.Report.Breakdown
	b.Excluded, b.HiddenGroups = p.r.IntN(3), p.r.IntN(3)
	p.add(b.Excluded > 0, "because they have no value in this column: %d.", b.Excluded)
	p.add(b.HiddenGroups > 0, "single answers could be recognized in them: %d.", b.HiddenGroups)
	if p.chance() {
		p.Report.Columns = append(p.Report.Columns, "model")
	}
	p.add(len(p.Report.Columns) > 1, "Compare groups")
	b.Groups[1].Fields[0].Items = 1071
	p.add(true, "1,071")
}

func (p *randomPage) addMetrics() {
	isEmpty := p.r.IntN(5) == 0
	p.add(isEmpty, "This protocol has no metrics, verdicts or observations.")
	if isEmpty {
		p.Report.Metrics = nil
		return
	}
	m := &p.Report.Metrics[0]
	hasSources, hasTies := p.chance(), p.chance()
	if hasSources {
		m.Sources.Single, m.Rates[0].Sources.Single = 7, 7
	}
	if !hasTies {
		m.Rates[0].Ties = 0
	}
	p.add(hasSources, "Rates, and the labels behind them")
	p.add(hasSources && hasTies, "Range ties decided")
}

func (p *randomPage) addJudge() {
	isEmpty := p.r.IntN(5) == 0
	p.add(isEmpty, "No model judge has judged items of this project.")
	if isEmpty {
		p.Report.Judges = nil
		return
	}
	j := &p.Report.Judges[0]
	if c := j.Comparison; c != nil {
		for i := range c.Differences {
			c.Differences[i].Weighted = true
		}
		isUnweighted := p.chance()
		c.Differences[1].Weighted = !isUnweighted
		p.add(isUnweighted, "Where labels are not weighted, the estimate assumes that the labeled items of each group are a random sample")
	}
	j.Items = 1 + p.r.IntN(2)
	p.add(j.Items == 1, "It judged 1 item.")
	p.add(j.Items == 2, "It judged 2 items.")
	isDrawn := p.chance()
	if isDrawn {
		j.Fields[0].Estimate.Design = &report.Design{Note: "The labels are weighted."}
	}
	p.add(isDrawn, "“Emotion recognition”: The labels are weighted.")
	isEstimated := p.chance()
	for i := range j.Fields {
		j.Fields[i].Estimate.WithJudge = study.Number{}
	}
	if isEstimated {
		j.Fields[1].Estimate.WithJudge.Value = new(0.5)
	}
	p.add(isEstimated && !isDrawn, "The estimate with the judge assumes that the labeled items are a random sample of the judged ones.")
	isIncomparable := p.chance()
	if isIncomparable {
		j.Fields[1].SharedItems = 0
	}
	p.add(isIncomparable, "No shared items for: Validation and warmth.")
	t := &j.Fields[0].Alternative
	isTested, isSkipped := p.chance(), p.chance()
	if t.Undefined = "no annotator has 30 items"; isTested {
		t.Annotators = []report.AlternativeResult{{}}
	}
	if isSkipped {
		t.Skipped = []string{"a-2", "a-3"}
	}
	j.Fields[1].Alternative.Undefined, j.Fields[2].Alternative.Undefined = "few", "few"
	p.add(!isTested, "No test against annotators: no annotator has 30 items.")
	p.add(isTested, "Test against each annotator, left out in turn")
	p.add(isTested && isSkipped && !isDrawn, "Not tested, with fewer than 30 items that the judge and another annotator answered too: a-2 and a-3.")
	p.add(isTested && isSkipped && isDrawn, "or an effective size below 15: a-2 and a-3.")
}

// TestReportPages_Parts_AreTrue checks that each sentence that the pages of the report have of their own is
// there if and only if it is true of a random report.
func TestReportPages_Parts_AreTrue(t *testing.T) {
	t.Parallel()
	r, seen := rand.New(rand.NewPCG(71, 0)), map[string][2]int{}
	for n := range 80 {
		p := newRandomPage(r)
		text := strings.Join(strings.Fields(renderPage(t, page.ReportDetails(p.ReportData, page.FullPart)).Text()), " ")
		for _, part := range p.parts {
			if got := strings.Contains(text, part.text); got != part.want {
				t.Fatalf("report %d: %q is %t, want %t:\n%s", n, part.text, got, part.want, text)
			}
			if count := seen[part.text]; part.want {
				seen[part.text] = [2]int{count[0] + 1, count[1]}
			} else {
				seen[part.text] = [2]int{count[0], count[1] + 1}
			}
		}
	}
	for part, n := range seen {
		if hasFigure := strings.ContainsAny(part, "0123456789"); !hasFigure && (n[0] == 0 || n[1] == 0) {
			t.Errorf("%q is true of %d reports and false of %d; want both", part, n[0], n[1])
		}
	}
}
