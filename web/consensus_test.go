package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/web/page"
)

func TestReport_Judge_IsPlotted(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 24)
	s.labelAll()
	items, err := s.db.ItemsBySourceID(t.Context(), s.project.ID)
	if err != nil {
		t.Fatal(err)
	}
	var judgments []importer.ItemAnswers
	for _, item := range items {
		judgments = append(judgments, importer.ItemAnswers{ItemID: item.ID, Values: map[string]int{"emotion": 3,
			"safety": 4}, Rationale: "It names the feeling."})
	}
	if err := s.db.AddJudge(t.Context(), s.lead.ID, s.project, "judge 1", judgments); err != nil {
		t.Fatal(err)
	}
	s.signInAs(s.lead).waitForReport("/projects/sad-days/report/judges").checkContains("Model judge judge 1",
		"Too few items", "Mean answer over all judged items")
	s.signInAs(s.lead).waitForReport("/projects/sad-days/report").checkContains("Can the judge be used?")
	s.signInAs(s.lead).get(page.ProjectPath("sad-days", "items", formatID(judgments[0].ItemID))).checkStatus(200).
		checkContains("Answers of model judges", "judge 1", "It names the feeling.")
	b := s.signInAs(s.lead)
	b.waitForReport("/projects/sad-days/report/judges?epsilon=0.15").checkContains("0.15 – next to trained annotators")
	if link := b.get("/projects/sad-days/report/judges?epsilon=0.15").FindFirst(
		"select[name='epsilon'] option[selected]").Attr("value"); link != "0.15" {
		t.Errorf("ε %s is chosen", link)
	}
	r, err := s.server.apiReport(t.Context(), s.lead.ID, s.project, postgres.ReportChoice{Epsilon: 0.15})
	if err != nil || r == nil || r.Judges[0].Fields[0].Epsilon != 0.15 {
		t.Errorf("ε of the report: %v, %v", r, err)
	}
	for _, epsilon := range []string{"many", "-1", "1.5", "NaN"} {
		b.get("/projects/sad-days/report/judges?epsilon=" + epsilon).checkStatus(http.StatusNotFound).checkContains(
			"Choose a number from 0 to 1")
	}
}

func TestConsensus_ManyItems_Paginates(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 60)
	lead := s.signInAs(s.lead)
	lead.get("/projects/sad-days/consensus").checkStatus(200).checkContains("No labels yet")
	s.labelAll()
	first := lead.waitForText("/projects/sad-days/consensus", "Items by consensus method").checkContains("60 items",
		"majority of 2")
	if n := len(first.FindAll(".item-table tbody .row-answers > span")); n != 50*5 {
		t.Errorf("the first page has %d answers", n)
	}
	second := lead.get(first.FindFirst("a[rel='next']").Attr("href")).checkStatus(200)
	if n := len(second.FindAll(".item-table tbody tr")); n != 10 || len(second.FindAll("a[rel='next']")) != 0 {
		t.Errorf("the last page has %d items, or a next page", n)
	}
	for _, path := range []string{"?cursor=many", "?method=guess", "?field=none"} {
		lead.get("/projects/sad-days/consensus" + path).checkStatus(http.StatusNotFound)
	}
	lead.get("/projects/sad-days/consensus?method=adjudicated").checkStatus(200).checkContains("No items match",
		"Show all")
}

// Before a batch is closed, annotators learn nothing about the answers of
// others.
func TestReport_Annotator_NotFound(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 24)
	s.labelAll()
	lead, ann := s.signInAs(s.lead), s.signInAs(s.annotators[0])
	lead.waitForReport("/projects/sad-days/report")
	if err := s.db.SetShowRaterEffects(t.Context(), s.lead.ID, s.project, true); err != nil {
		t.Fatal(err)
	}
	item := lead.waitForReport("/projects/sad-days/consensus").FindFirst(".item-table tbody th a").Attr("href")
	for _, path := range []string{"/report", "/report?batch=pilot", "/report/agreement", "/report/full", "/consensus",
		"/disagreements", "/annotators/a", "/export/file"} {
		ann.get("/projects/sad-days" + path).checkStatus(http.StatusNotFound)
	}
	ann.get(item).checkStatus(http.StatusNotFound)
	own := ann.get("/work/rater-effects?project=sad-days").checkStatus(200).checkContains("Nothing to see yet")
	if strings.Contains(own.Text(), "Leniency") {
		t.Error("rater effects are shown before the batch is closed")
	}
	other := s.newUser("elsewhere@example.org", account.Lead)
	s.signInAs(other).get("/projects/sad-days/report").checkStatus(http.StatusNotFound)
}
