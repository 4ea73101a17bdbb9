package page_test

import (
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/web/page"
)

// figure returns a coefficient of items with an interval.
func figure(coefficient string, items int, value, low, high float64) study.AgreementFigure {
	return study.AgreementFigure{Coefficient: coefficient, Number: number(value, low, high), Items: items}
}

// With fewer items than a verdict needs, no table looks more certain than the verdict.
func TestAgreement_FewItems_HasNoInterval(t *testing.T) {
	t.Parallel()
	r := summaryReport()
	f := &r.Fields[2]
	f.Verdict.MinItems, f.Verdict.Kappa = 20, figure("shared_kappa", 6, 0.5, -2.3, 0.96)
	f.Figures = []study.AgreementFigure{figure("percent_agreement", 6, 0.7, 0.3, 0.9), f.Verdict.Kappa}
	f.Pairs = []report.AnnotatorPair{{First: "a-1", Second: "a-2", Kappa: figure("light_kappa", 6, 0.51, -2.3, 0.97)}}
	r.Annotators[0].Fields[2].Kappa = figure("shared_kappa", 6, 0.52, -2.3, 0.98)
	text := renderPage(t, page.ReportDetails(reportData(r), page.FullPart)).Text() + renderPage(t, page.Annotator(page.AnnotatorData{ReportData: reportData(r), Name: "a-1"})).Text()
	for _, want := range []string{"too few items to estimate (6 of 20)", "too few items for an interval (6 of 20)", "Pairs that share fewer than 20 items have no interval."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, wrong := range []string{"−2.30", "to 0.96", "to 0.97", "to 0.98"} {
		if strings.Contains(text, wrong) {
			t.Errorf("an interval of 6 items is shown: %q", wrong)
		}
	}
	if !strings.Contains(text, "A dash instead of κ: fewer than 20 items") || strings.Contains(renderPage(t, page.ReportDetails(reportData(r), page.AnnotatorsPart)).Text(), "0.52") {
		t.Error("the table of annotators has a κ of 6 items")
	}
	f.Verdict.Outcome, f.Verdict.MinItems = report.Revise, 6
	if text = renderPage(t, page.ReportDetails(reportData(r), page.FullPart)).Text(); strings.Contains(text, "−2.30") || !strings.Contains(text, "−1.00 to 0.96") {
		t.Error("an interval is shown beyond the possible values")
	}
}

// An annotator who lowers agreement has a mark and a link to the field, on the page of all annotators and of the
// one.
func TestAnnotators_LoweredAgreement_IsMarked(t *testing.T) {
	t.Parallel()
	r := summaryReport()
	without := 0.7
	r.Fields[1].Verdict.Causes = []report.Cause{{Kind: report.OneAnnotator, Annotator: "a-2", KappaWithout: &without, Message: "κ is 0.38; without a-2 it is 0.70."}}
	r.Fields[0].Verdict.Causes = []report.Cause{{Kind: report.ConstantAnswers, Annotator: "a-1", Message: "a-1 gave every shared item the answer 3."}}
	doc := renderPage(t, page.ReportDetails(reportData(r), page.AnnotatorsPart))
	for field, want := range map[string]string{"f1": "Lowers agreement", "f0": "Same answer to all"} {
		path := page.ProjectPath("p", "report", "agreement") + "#field-" + field
		badges := doc.FindAll(`.forest-verdict a[href="` + path + `"]`)
		if len(badges) != 1 || badges[0].Text() != want {
			t.Errorf("%s: %d marks", field, len(badges))
		}
		if len(doc.FindAll(`.significant a[href="`+path+`"]`)) != 1 {
			t.Errorf("%s: no sentence with a link", field)
		}
	}
	one := renderPage(t, page.Annotator(page.AnnotatorData{ReportData: reportData(r), Name: "a-2"}))
	if got := one.FindFirst(".significant").Text(); !strings.Contains(got, "without a-2 it is 0.70") {
		t.Errorf("the page of the annotator says %q", got)
	}
}

func TestReport_OpenBatch_IsNotFinal(t *testing.T) {
	t.Parallel()
	closed := time.Now()
	for name, tt := range map[string]struct {
		batches  []project.Batch
		notice   string
		next     string
		isExport bool
	}{
		"closed":      {batches: []project.Batch{{Name: "first", Slots: 60, ClosedAt: &closed}}, next: "Export the dataset", isExport: true},
		"one open":    {batches: []project.Batch{{Name: "first", Slots: 60, Submitted: 48}}, notice: "The figures are not final: 12 of 60 labels of batch", next: "Follow the open batch"},
		"all labeled": {batches: []project.Batch{{Name: "first", Slots: 60, Submitted: 60}}, notice: "can still change until it is closed. All 60 labels are submitted.", next: "Close the batch"},
		"two open":    {batches: []project.Batch{{Name: "first", Slots: 60, Submitted: 60}, {Name: "second", Slots: 10, Submitted: 9}}, notice: "1 of 70 labels of the open batches is still missing.", next: "Follow the open batches"},
	} {
		r := summaryReport()
		r.Fields = r.Fields[:1]
		d := reportData(r)
		d.SetBatches(tt.batches)
		doc := renderPage(t, page.Report(d))
		text := doc.Text()
		if !strings.Contains(text, tt.notice) || strings.Contains(text, "not final") != (tt.notice != "") {
			t.Errorf("%s: no %q", name, tt.notice)
		}
		if got := doc.FindOne("#agreement").FindFirst(".next-action a").Text(); got != tt.next || strings.Contains(text, "Export the dataset") != tt.isExport {
			t.Errorf("%s: the next step is %q, want %q", name, got, tt.next)
		}
	}
	d := reportData(summaryReport())
	d.Batch = "first"
	if d.SetBatches([]project.Batch{{Name: "second"}}); len(d.OpenBatches) != 0 {
		t.Error("another batch makes the figures of this one not final")
	}
}

func TestReport_CalibrationBias_IsOnSummary(t *testing.T) {
	t.Parallel()
	r := summaryReport()
	const link = "#calibration-bias"
	if text := renderPage(t, page.Report(reportData(r))).Text(); strings.Contains(text, "In calibration") {
		t.Error("a deviation without one")
	}
	r.Annotators[0].CalibrationBias = []report.CalibrationBias{{Field: "f0", Items: 10, Number: number(0.5, 0.2, 0.8)}, {Field: "f1", Items: 10, Number: number(0.1, -0.2, 0.4)}}
	r.Annotators[1].CalibrationBias = []report.CalibrationBias{{Field: "f0", Items: 10, Number: number(0.1, -0.2, 0.4)}}
	one := 1.0
	r.Annotators[2].CalibrationBias = []report.CalibrationBias{{Field: "f0", Items: 10, Number: study.Number{Value: &one, Reason: stats.ConstantDifference}}}
	section := renderPage(t, page.Report(reportData(r))).FindOne("#annotators")
	if !strings.Contains(section.Text(), "In calibration, a-1 and a-3 deviate from the reference answers.") || !strings.HasSuffix(section.FindFirst(`p a[href$="`+link+`"]`).Attr("href"), link) {
		t.Errorf("no deviation with a link in %s", section.Text())
	}
	if len(renderPage(t, page.ReportDetails(reportData(r), page.AnnotatorsPart)).FindAll(link)) != 1 {
		t.Error("the link leads nowhere")
	}
}

// A verdict that rests on a probability states it in its row.
func TestReport_WideInterval_StatesProbability(t *testing.T) {
	t.Parallel()
	r := summaryReport()
	reaches, below := 0.939, 0.02
	r.Fields[0].Verdict.Kappa.Number = number(0.65, 0.03, 0.87)
	r.Fields[0].Verdict.GoProbability, r.Fields[0].Verdict.RewriteProbability = &reaches, &below
	if got := renderPage(t, page.Report(reportData(r))).FindOne("#agreement").FindFirst(".forest-verdict").Text(); !strings.Contains(got, "Go ahead") || !strings.Contains(got, "93% probable to reach 0.40") {
		t.Errorf("the row says %q", got)
	}
}

// Verdicts that overlap are explained, because their rates add up to more than 100%.
func TestMetrics_OverlappingVerdicts_AreExplained(t *testing.T) {
	t.Parallel()
	for preferred, want := range map[float64]bool{0: false, 0.1: true} {
		r := summaryReport()
		r.Metrics = []report.MetricGroup{{Name: report.VerdictMetrics, Title: "Verdicts", Rates: []report.Rate{{Title: "Fail", Number: number(0.6, 0.3, 0.8)}, {Title: "Acceptable", Number: number(0.4, 0.2, 0.7)}, {Title: "Preferred", Number: number(preferred, 0, 0.4)}}}}
		for _, text := range []string{renderPage(t, page.Report(reportData(r))).Text(), renderPage(t, page.ReportDetails(reportData(r), page.MetricsPart)).Text()} {
			if got := strings.Contains(text, "An item can have more than one verdict"); got != want {
				t.Errorf("with %v preferred: %t, want %t", preferred, got, want)
			}
		}
	}
}

// Every topic of the page of methods has a plain sentence first, and a link in the contents.
func TestMethods_Contents_LeadToTopics(t *testing.T) {
	t.Parallel()
	doc := renderPage(t, page.ReportDetails(reportData(summaryReport()), page.MethodsPart)).FindOne("#methods")
	links := doc.FindAll("nav a")
	if len(links) != len(doc.FindAll("h3")) {
		t.Errorf("%d links, %d topics", len(links), len(doc.FindAll("h3")))
	}
	for _, link := range links {
		if doc.FindOne(link.Attr("href")).Text() != link.Text() {
			t.Errorf("%q leads to another topic", link.Text())
		}
	}
}

// The axis of a trend has times where all periods are on one day.
func TestTrend_OneDay_HasTimes(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 25, 8, 4, 0, 0, time.UTC)
	for days, want := range map[int]string{0: "08:04 UTC", 3: "25 Nov 2026"} {
		r := summaryReport()
		for i := range 2 {
			from := day.Add(time.Duration(i)*time.Hour).AddDate(0, 0, i*days)
			r.Fields[0].KappaOverTime = append(r.Fields[0].KappaOverTime, report.KappaWindow{From: from, To: from.Add(time.Hour), Kappa: figure("shared_kappa", 20, 0.5, 0.3, 0.7)})
		}
		figure := renderPage(t, page.ReportDetails(reportData(r), page.AgreementPart)).FindOne("#kappa-f0")
		if got := figure.FindFirst("tbody th").Text(); got != want {
			t.Errorf("the first period starts at %q, want %q", got, want)
		}
	}
}
