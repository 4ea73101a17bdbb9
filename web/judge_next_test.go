package web

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// addJudgedItems adds items that no one has labeled, and a judge that has answered all items.
func (s reportFixture) addJudgedItems(count int) {
	s.Helper()
	items := make([]project.Item, count)
	for i := range items {
		items[i] = project.Item{SourceID: fmt.Sprintf("n%02d", i+1), Facts: protocol.Facts{}, Content: project.Content{
			"user_statement": {Text: fmt.Sprintf("Another statement %d", i)}, "response": {Text: "Response."}}}
	}
	if err := s.db.Import(s.Context(), s.lead.ID, s.project, postgres.File{Name: "more.jsonl",
		SHA256: sha256.Sum256([]byte("more"))}, items); err != nil {
		s.Fatal(err)
	}
	known, err := s.db.ItemsBySourceID(s.Context(), s.project.ID)
	if err != nil {
		s.Fatal(err)
	}
	var judgments []importer.ItemAnswers
	for _, item := range known {
		judgments = append(judgments, importer.ItemAnswers{ItemID: item.ID,
			Values: map[string]int{"emotion": 2 + int(item.ID%3), "safety": 3}})
	}
	if err := s.db.AddJudge(s.Context(), s.lead.ID, s.project, "judge 1", judgments); err != nil {
		s.Fatal(err)
	}
}

// A lead goes from a judge's scorecard to a draw, and opens a batch with exactly what was shown.
func TestNextLabels_LeadsToBatch(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 24)
	s.labelAll()
	lead := s.signInAs(s.lead)
	lead.get("/projects/sad-days/report/judges/next").checkStatus(200).checkContains("No model judge has judged items")
	s.addJudgedItems(40)
	next := lead.waitForReport("/projects/sad-days/report/judges").FindFirst("a[href*='/report/judges/next']").Attr(
		"href")
	form := lead.get(next).checkStatus(200).checkContains("What to label next", "judge 1", "Where judges differ most")
	if n := len(form.FindAll("table")); n != 0 {
		t.Errorf("%d tables before the draw", n)
	}
	path := lead.get(next + "&order=random&size=12").checkRedirect("/projects/sad-days/report/judges/next")
	page := lead.get(path).checkStatus(200).checkContains("12 drawn items",
		"from 40 items in no open batch that the judge has answered", "Another statement")
	var shown []string
	for _, note := range page.FindAll("tbody th small") {
		shown = append(shown, note.Text())
	}
	if again := lead.get(path); again.FindFirst("table").Text() != page.FindFirst("table").Text() {
		t.Error("the same address shows another draw")
	}
	open := page.FindFirst("a.button.primary").Attr("href")
	batchForm := lead.get(open).checkStatus(200).checkContains("12 items that judge 1 has judged, drawn at random.")
	if len(batchForm.FindAll("input[name='sample']")) != 0 {
		t.Error("a batch of drawn items can draw from them")
	}
	fields := url.Values{"name": {"next"}, "annotators": {"ann@example.org"}, "overlap": {"1"}, "duplicates": {"0"},
		"calibration": {"0"}, "fewer_calibration": {"A test."}, "break_every": {"30"}, "break_minutes": {"5"},
		"draw": {batchForm.FindFirst("input[name='draw']").Attr("value")}, "action": {"preview"}}
	preview := lead.get(lead.post("/projects/sad-days/batches",
		fields).checkRedirect("/projects/sad-days/batches/new")).checkStatus(200).checkContains("Preview of “next”",
		"12 items that judge 1 has judged")
	fields.Set("action", "open")
	for _, name := range []string{"seed_used", "digest"} {
		fields.Set(name, preview.FindFirst("input[name='"+name+"']").Attr("value"))
	}
	lead.post("/projects/sad-days/batches", fields).checkRedirect("/projects/sad-days/batches/next")
	for _, item := range shown {
		if n := query[int](s.testEnv, `SELECT count(*) FROM items i JOIN batch_items b ON b.item_id = i.id
			WHERE i.source_id = $1`, item); n != 1 {
			t.Errorf("%s is in %d batches", item, n)
		}
	}
	fields.Set("name", "again")
	lead.post("/projects/sad-days/batches", fields).checkStatus(http.StatusUnprocessableEntity).checkContains(
		"The items that can be drawn changed since this draw was shown")
}

func TestNextLabels_BadForm_SaysWhy(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 4)
	s.addJudgedItems(3)
	lead, path := s.signInAs(s.lead), "/projects/sad-days/report/judges/next?"
	for query, want := range map[string]string{
		"judge=judge+1&size=0&seed=1":                    "Enter a number of items from 1 to 100,000",
		"judge=judge+1&size=many&seed=1":                 "must be a whole number",
		"judge=judge+2&size=5&seed=1":                    "This project has no judge “judge 2”",
		"judge=judge+1&order=none&size=5&seed=1":         "“none” is no order of a draw",
		"judge=judge+1&order=disagreement&size=5&seed=1": "On no item that “judge 1” has answered do two judges differ",
	} {
		lead.get(path+query).checkContains("Nothing drawn", want)
	}
	lead.get("/projects/sad-days/batches/new?draw=xyz").checkStatus(http.StatusUnprocessableEntity)
	s.signInAs(s.annotators[0]).get(path + "judge=judge+1&size=2&seed=1").checkStatus(http.StatusNotFound)
}
