package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/comparison"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/web/htmltest"
	"github.com/labelwright/labelwright/web/page"
)

func number(value, low, high float64) study.Number {
	return study.Number{Value: &value, Low: &low, High: &high}
}

// summaryReport is a report with a finding for every question.
func summaryReport() *report.Report {
	r := &report.Report{RaterEffects: ratereffect.Result{Powers: []ratereffect.Power{{Effect: ratereffect.Careless, Annotators: 3, Detectable: 0.3}}, Margin: 0.05, ScaleSpan: 2}, Counts: report.Counts{Work: 300, LabeledItems: 150, Annotators: 3, SharedItems: 150}}
	for i, title := range []string{"Emotion recognition", "Validation and warmth", "A question whose title is much longer than any column is wide"} {
		v := report.Verdict{Outcome: []report.Outcome{report.Go, report.Revise, report.NotEnoughData}[i], IsConclusive: i == 0, Target: 0.4, Overlap: report.OverlapMoreItems, OverlapAdvice: "Label more items."}
		if i < 2 {
			v.Kappa.Number = number(0.68-0.3*float64(i), 0.5-0.3*float64(i), 0.8-0.3*float64(i))
		}
		r.Fields = append(r.Fields, report.FieldReport{Key: fmt.Sprint("f", i), Title: title, Scale: []int{1, 2, 3}, Verdict: v, Confusion: [][]int{{4, 1, 0}, {1, 6, 2}, {0, 2, 4}}, Boundaries: []report.Boundary{{Lower: 2, Upper: 3, Pairs: 4, AdjacentPairs: 4}}})
	}
	for i, name := range []string{"a-1", "a-2", "a-3"} {
		a := report.Annotator{Name: name, Labels: 100, Severity: &ratereffect.Severity{Value: -0.1 + 0.1*float64(i), Low: -0.2 + 0.1*float64(i), High: 0.1 * float64(i), Items: 100}}
		if i == 2 {
			a.RaterEffects = []ratereffect.FoundEffect{{Effect: ratereffect.DifferentStandard, Value: 0.1, Low: 0.06, High: 0.2, Items: 100, P: 0.01}}
		}
		for _, f := range r.Fields {
			a.Fields = append(a.Fields, report.AnnotatorField{Field: f.Key, Counts: []int{1, 2, 3}})
		}
		r.Annotators = append(r.Annotators, a)
	}
	b := &report.Breakdown{Result: comparison.Result{Column: "condition", Tested: 3, Groups: []comparison.Group{{Value: "base"}, {Value: "tuned"}}}, Rates: []report.GroupRates{{}, {}}}
	for i, f := range r.Fields {
		d := &comparison.Difference{Conclusion: []comparison.Conclusion{comparison.Higher, comparison.NotShown, comparison.Lower}[i], Detectable: new(0.5), Primary: comparison.Estimate{Number: number(0.9-0.8*float64(i), 0.4-0.8*float64(i), 1.3-0.8*float64(i)), Items: 150}}
		b.Groups[0].Fields = append(b.Groups[0].Fields, comparison.GroupField{Field: f.Key})
		b.Groups[1].Fields = append(b.Groups[1].Fields, comparison.GroupField{Field: f.Key, Difference: d})
	}
	r.Columns, r.Breakdown = []string{"condition"}, b
	lowest, highest := 0.6, 0.7
	r.Metrics = []report.MetricGroup{{Name: report.GroundingMetrics, Title: "Grounding", Rates: []report.Rate{{Title: "Answers with support", Number: number(0.65, 0.55, 0.75), Lowest: &lowest, Highest: &highest, Ties: 4, SampleSize: 40}}}}
	judge := report.Judge{Name: "judge-v3", Items: 2000}
	for i, f := range r.Fields {
		ω := 1 - 0.5*float64(i)
		judge.Fields = append(judge.Fields, report.JudgeField{Field: f.Key, SharedItems: 120, HumanJudge: study.AgreementFigure{Number: number(0.6, 0.5, 0.7)}, Alternative: report.AlternativeTest{WinningRate: &ω, AdvantageProbability: &ω},
			Use: []report.JudgeUse{report.JudgeReplaces, report.JudgeSupports, report.JudgeFails}[i], Message: "The judge may replace an annotator.", BlandAltman: report.LimitsOfAgreement{Undefined: "few items"}, Confusion: f.Confusion})
	}
	judge.Comparison = &report.JudgeComparison{Column: "condition", Message: "With the judge, tuned scores higher than base on “Emotion recognition”."}
	for i, f := range r.Fields {
		d := report.JudgeDifference{Field: f.Key, Baseline: "base", Value: "tuned", Message: "tuned scores higher than base.", BaselineItems: report.JudgedCount{Labels: 60, Judgments: 900}, GroupItems: report.JudgedCount{Labels: 58, Judgments: 982}}
		if d.Undefined = "fewer than two items have labels"; i < 2 {
			d.Undefined, d.LabelsAlone.Number, d.WithJudge.Number = "", number(0.3, -0.1, 0.7), number(0.3, 0.1, 0.5)
			d.EquivalentLabels, d.LabelsAlone.P, d.WithJudge.P = new(310.4), new(0.2), new(0.01)
		}
		judge.Comparison.Differences = append(judge.Comparison.Differences, d)
	}
	r.Judges = []report.Judge{judge}
	return r
}

func reportData(r *report.Report) page.ReportData {
	return page.ReportData{Project: project.Project{Key: "p", Title: "Pilot"}, Report: r}
}

func TestReport_Summary_AnswersEachQuestion(t *testing.T) {
	t.Parallel()
	doc := renderPage(t, page.Report(reportData(summaryReport())))
	if got := doc.FindFirst(".intro").Text(); !strings.HasPrefix(got, "Agreement meets the target on “Emotion recognition”;") {
		t.Errorf("the headline is %q", got)
	}
	for id, want := range map[string]string{"agreement": "Go ahead", "annotators": "1 of 3 annotators needs a look: a-3 (different standard)", "by-group": "“tuned” scores higher than “base”",
		"metrics": "With the ties in 4 answers decided one way or the other it is 60–70%", "judges": "“judge-v3” may replace an annotator on “Emotion recognition”; it supports estimates on “Validation and warmth”; it cannot be used on"} {
		section := doc.FindOne("#" + id)
		if !strings.Contains(section.Text(), want) {
			t.Errorf("%s: no %q in %s", id, want, section.Text())
		}
		if len(section.FindAll("a[href]")) < 2 || len(section.FindAll("figure.forest")) != 1 {
			t.Errorf("%s: no link to the details or no picture", id)
		}
	}
	for id, want := range map[string]int{"agreement": 1, "annotators": 1, "by-group": 0, "metrics": 1, "judges": 1} {
		if got := len(doc.FindOne("#" + id).FindAll(".next-action a[href]")); got != want {
			t.Errorf("%s has %d next steps other than the link to its details, want %d", id, got, want)
		}
	}
}

// Every picture has a title, says what it shows, and has a description, an address and a table.
func TestReport_Pictures_AreComplete(t *testing.T) {
	t.Parallel()
	data := reportData(summaryReport())
	for name, doc := range map[string]htmltest.Element{"summary": renderPage(t, page.Report(data)), "full": renderPage(t, page.ReportDetails(data, page.FullPart)),
		"annotator": renderPage(t, page.Annotator(page.AnnotatorData{ReportData: data, Name: "a-1"}))} {
		figures, addresses := doc.FindAll("figure"), map[string]bool{}
		if len(figures) < 3 {
			t.Errorf("%s has %d pictures", name, len(figures))
		}
		for _, figure := range figures {
			id, title, measure := figure.Attr("id"), figure.FindFirst(".figure-title").Text(), figure.FindFirst(".figure-measure").Text()
			if title == "" || measure == "" || strings.Contains(title, measure) {
				t.Errorf("%s, %s: the title is %q, and it shows %q", name, id, title, measure)
			}
			if addresses[id] || figure.FindFirst(".figure-link").Attr("href") != "#"+id {
				t.Errorf("%s, %s: no address of its own", name, id)
			}
			addresses[id] = true
			rows, pictures := len(figure.FindAll("details:not(.more-details) tbody tr")), figure.FindAll("svg[role=img]")
			if rows == 0 || len(pictures) == 0 || strings.Contains(figure.Attr("class"), "forest") && len(pictures) != rows {
				t.Errorf("%s, %s: %d pictures, a table with %d rows", name, id, len(pictures), rows)
			}
			for _, picture := range pictures {
				if picture.FindFirst("title").RawText() == "" || picture.FindFirst("desc").RawText() == "" {
					t.Errorf("%s, %s: no description", name, id)
				}
			}
		}
	}
}

// The scorecard of a judge compares the conditions in one sentence, one picture and a table.
func TestReport_Judges_CompareConditions(t *testing.T) {
	t.Parallel()
	doc := renderPage(t, page.ReportDetails(reportData(summaryReport()), page.JudgesPart))
	text := doc.FindOne("#judges").Text()
	for _, want := range []string{"Differences by condition", "With the judge, tuned scores higher than base on “Emotion recognition”.", "58 and 60", "982 and 900", "−0.10 to +0.70", "+0.10 to +0.50", "310",
		"fewer than two items have labels", "p is adjusted for 2 comparisons", "assumes that the labeled items of each group are a random sample of its judged ones"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if len(doc.FindAll("#judge-shift-0-0")) != 1 {
		t.Error("there is no picture of the differences")
	}
}

// A field without answers of the judge is not shown as one without labels, and only comparisons that were made are counted.
func TestReport_Judges_NotJudgedField(t *testing.T) {
	t.Parallel()
	rows := map[bool]int{}
	for labels, isJudged := range map[int]bool{0: false, 60: true} {
		r := summaryReport()
		c := r.Judges[0].Comparison
		for i := range r.Judges[0].Fields {
			r.Judges[0].Fields[i].Estimate = report.JudgeEstimate{Labels: 118, Judgments: 1882}
		}
		r.Judges[0].Fields[2].Estimate = report.JudgeEstimate{Labels: labels, Judgments: 15 * labels}
		c.Differences[2].BaselineItems, c.Differences[2].GroupItems = report.JudgedCount{Labels: labels, Judgments: labels}, report.JudgedCount{Labels: labels, Judgments: labels}
		if isJudged {
			c.Differences[2].LabelsAlone.P = new(0.5)
		}
		text := renderPage(t, page.ReportDetails(reportData(r), page.JudgesPart)).FindOne("#judges").Text()
		for part, want := range map[string]bool{
			"Not judged": !isJudged, "60 and 60": isJudged, "0 and 0": false, "118": true, "p is adjusted for 2 comparisons.": !isJudged,
			"p is adjusted for 2 comparisons with the judge and 3 comparisons from the labels alone.": isJudged,
		} {
			if strings.Contains(text, part) != want {
				t.Errorf("judged %t: %q is %t in %s", isJudged, part, !want, text)
			}
		}
		rows[isJudged] = strings.Count(text, "labels alone")
	}
	if rows[true] <= rows[false] {
		t.Errorf("the differences of a field are shown in any case: %v", rows)
	}
}

// The anchors of the report when it was one page lead to the summary, which has links on.
func TestReport_OldAnchors_Exist(t *testing.T) {
	t.Parallel()
	doc := renderPage(t, page.Report(reportData(summaryReport())))
	for _, id := range []string{"agreement", "fields", "annotators", "by-group", "metrics-grounding", "judges", "method"} {
		if len(doc.FindAll("#"+id)) != 1 {
			t.Errorf("no #%s", id)
		}
	}
}

func TestReport_NoData_AsksNothing(t *testing.T) {
	t.Parallel()
	r := summaryReport()
	r.Judges, r.Breakdown, r.Metrics, r.Annotators = nil, nil, nil, nil
	doc := renderPage(t, page.Report(reportData(r)))
	for _, id := range []string{"annotators", "by-group", "metrics", "judges"} {
		if len(doc.FindAll("#"+id)) != 0 {
			t.Errorf("#%s is shown without data", id)
		}
	}
	for _, part := range []page.ReportPart{page.ComparisonPart, page.MetricsPart, page.JudgesPart} {
		if len(renderPage(t, page.ReportDetails(reportData(r), part)).FindAll(".empty-state")) != 1 {
			t.Errorf("%s has no empty state", part)
		}
	}
}
