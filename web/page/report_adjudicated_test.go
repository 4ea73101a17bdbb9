package page_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/web/htmltest"
	"github.com/labelwright/labelwright/web/page"
)

// annotatorPage renders the report on an annotator with one field.
func annotatorPage(t *testing.T, adjudicated report.AdjudicationComparison) htmltest.Element {
	t.Helper()
	r := &report.Report{Fields: []report.FieldReport{{Key: "tone", Title: "Tone", Scale: []int{0, 1}}},
		Annotators: []report.Annotator{{Name: "ada", Fields: []report.AnnotatorField{{Field: "tone", Counts: []int{0, 0}, AdjudicationComparison: adjudicated}}}}}
	return renderPage(t, page.Annotator(page.AnnotatorData{ReportData: page.ReportData{Project: project.Project{Key: "p"}, Report: r}, Name: "ada"}))
}

func TestAdjudicated_Many_ShowsCounts(t *testing.T) {
	t.Parallel()
	share, low, high := 0.75, 0.47, 0.91
	doc := annotatorPage(t, report.AdjudicationComparison{Items: 12, MinItems: 10, Confusion: [][]int{{5, 2}, {1, 4}}, PercentAgreement: study.Number{Value: &share, Low: &low, High: &high}})
	text := doc.Text()
	for _, want := range []string{"Comparison with adjudicated items", "the lead saw the answers before deciding", "not as a share of correct answers", "on 12 adjudicated items", "75%", "47–91%"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	if doc.FindOne("#decided-tone-desc").Text() == "" {
		t.Error("the chart has no description")
	}
}

func TestAdjudicated_Few_OnlyCounted(t *testing.T) {
	t.Parallel()
	doc := annotatorPage(t, report.AdjudicationComparison{Items: 4, MinItems: 10})
	if !strings.Contains(doc.Text(), "at most 4 adjudicated items per field with an answer by this annotator. The comparison needs 10.") || len(doc.FindAll("#decided-tone-desc")) > 0 {
		t.Error(doc.Text())
	}
	if strings.Contains(annotatorPage(t, report.AdjudicationComparison{MinItems: 10}).Text(), "Comparison with adjudicated items") {
		t.Error("the section is shown without adjudicated items")
	}
}

func TestReport_MeanTrend_HasTable(t *testing.T) {
	t.Parallel()
	day, mean := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), 3.25
	window := report.MeanWindow{From: day, To: day.Add(time.Hour), Mean: study.Number{Value: &mean, Low: &mean, High: &mean}, Items: 20, Answers: 40}
	revised := window
	revised.NewRevisions = []int{2}
	r := &report.Report{Counts: report.Counts{Work: 80}, Fields: []report.FieldReport{{Key: "tone", Title: "Tone", Scale: []int{1, 2, 3, 4, 5},
		Confusion: make([][]int, 5), MeansOverTime: []report.MeanWindow{window, revised}}}}
	for i := range r.Fields[0].Confusion {
		r.Fields[0].Confusion[i] = make([]int, 5)
	}
	doc := renderPage(t, page.ReportDetails(page.ReportData{Project: project.Project{Key: "p"}, Report: r}, page.AgreementPart))
	if doc.FindOne("#means-tone-title").Text() != "Tone: no clear change of the mean over time" {
		t.Error("the chart has no title")
	}
	fast := *r
	fast.Fields = slices.Clone(r.Fields)
	window.To = day.Add(9 * time.Minute)
	fast.Fields[0].MeansOverTime = []report.MeanWindow{window, window}
	if labeled := renderPage(t, page.ReportDetails(page.ReportData{Project: project.Project{Key: "p"}, Report: &fast}, page.AgreementPart)); len(labeled.FindAll("#means-tone")) > 0 || strings.Contains(labeled.Text(), "a change in how they label") {
		t.Error("labels of nine minutes have a trend")
	}
	text := doc.Text()
	for _, want := range []string{"20 items", "revision 2", "a change in how they label"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
}
