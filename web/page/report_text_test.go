package page

import (
	"slices"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

func TestPaceText_AnyCount_Pluralizes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		labels  int
		seconds float64
		want    string
	}{
		{24, 0, ""}, {2, 30, ""}, {24, 0.2, "median pace: under 1 s per item"}, {24, 1, "median pace: 1 s per item"},
		{24, 30.4, "median pace: 30 s per item"}, {24, 300, "median pace: 5 min per item"},
	} {
		if got := paceText(tt.labels, tt.seconds); got != tt.want {
			t.Errorf("%d labels of %v s: %q, want %q", tt.labels, tt.seconds, got, tt.want)
		}
	}
}

func TestLowestPairs_Many_ListsLowest(t *testing.T) {
	t.Parallel()
	pair := func(κ float64, items int) report.AnnotatorPair {
		return report.AnnotatorPair{Kappa: study.AgreementFigure{Number: study.Number{Value: &κ}, Items: items}}
	}
	pairs := []report.AnnotatorPair{pair(-1, 9), pair(0.9, 40), pair(0.1, 10)}
	if list, _ := lowestPairs(pairs); len(list) != 3 {
		t.Errorf("of three pairs %d are listed", len(list))
	}
	for range maxListedPairs {
		pairs = append(pairs, pair(0.5, 3), pair(0.6, 12))
	}
	list, caption := lowestPairs(pairs)
	if len(list) != maxListedPairs || *list[0].Kappa.Value != 0.1 || *list[1].Kappa.Value != 0.6 || caption != "Of 63 pairs, the 30 with the lowest κ among those that share 10 items or more" {
		t.Errorf("%d are listed: %s", len(list), caption)
	}
	if list, caption = lowestPairs(pairs[3:34]); len(list) != 15 || caption != "Of 31 pairs, those with a κ that share 10 items or more, lowest κ first" {
		t.Errorf("%d are listed: %s", len(list), caption)
	}
}

func TestRates_NeverObserved_Named(t *testing.T) {
	t.Parallel()
	none, some, high := 0.0, 0.2, 0.031
	m := report.MetricGroup{Title: "Observations", Rates: []report.Rate{
		{Title: "Breaks off", Number: study.Number{Value: &none, Low: &none, High: &high}}, {Title: "Seen", Number: study.Number{Value: &some}}}}
	if got := neverObservedText(m); got != "In 0% of labels: Breaks off. Each occurs in at most 4% of labels (upper limit of the 95% CI)." {
		t.Errorf("got %q", got)
	}
	if rows := ratePlot(m).Rows; len(rows) != 1 || rows[0].Label != "Seen" {
		t.Errorf("drawn are %v", rows)
	}
}

func TestVerdicts_NoOverlap_Grouped(t *testing.T) {
	t.Parallel()
	field := func(title string, outcome report.Outcome, message string) report.FieldReport {
		return report.FieldReport{Title: title, Verdict: report.Verdict{Outcome: outcome, Message: message}}
	}
	few := field("A", report.NotEnoughData, "11 items have two labels.")
	same, fewer, judged := few, field("C", report.NotEnoughData, "6 items have two labels."), field("D", report.Go, "11 items have two labels.")
	same.Title = "B"
	d := ReportData{Report: &report.Report{Fields: []report.FieldReport{few, fewer, same, judged, judged}}}
	if all := d.verdictGroups(); len(all) != 4 || !slices.Equal(all[0].Titles, []string{"A", "B"}) {
		t.Errorf("%+v", all)
	}
	d.Report.Fields = []report.FieldReport{few, same}
	if len(d.verdictGroups()) != 1 {
		t.Errorf("%+v", d.verdictGroups())
	}
}

func TestProgress_Running_NamesStep(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		progress ReportProgress
		want     string
	}{
		{ReportProgress{Elapsed: time.Second}, "Started."},
		{ReportProgress{Elapsed: 40 * time.Second}, "Requested 40 seconds ago. Waiting for another large report."},
		{ReportProgress{Elapsed: 40 * time.Second, CurrentStep: "reading the labels"}, "Requested 40 seconds ago. Current step: reading the labels."},
		{ReportProgress{Elapsed: 3 * time.Minute, StepsDone: 4, StepsTotal: 21, CurrentStep: "rater effects"}, "Requested 3 minutes ago. Current step: rater effects."},
	} {
		if got := tt.progress.statusText(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.progress, got, tt.want)
		}
	}
}

func TestPrintedReport_NamesItsOrigin(t *testing.T) {
	t.Parallel()
	d := ReportData{Project: project.Project{Title: "Pilot"}}
	if got := d.printedOf(); got != "Pilot" {
		t.Errorf("got %q", got)
	}
	d.Batch, d.FinishedAt = "week 1", time.Date(2026, 11, 22, 8, 4, 0, 0, time.UTC)
	if got := d.printedOf(); got != "Pilot · week 1 · 22 Nov 2026, 08:04 UTC" {
		t.Errorf("got %q", got)
	}
}
