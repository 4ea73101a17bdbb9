package web

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A reportFixture has an empathy project that two annotators have labeled.
type reportFixture struct {
	testEnv
	lead       account.Account
	annotators []account.Account
	project    project.Project
}

func newReportFixture(t *testing.T, items int) reportFixture {
	t.Helper()
	return newReportFixtureOf(t, items, "ann@example.org", "ben@example.org")
}

// newReportFixtureOf is newReportFixture with these annotators.
func newReportFixtureOf(t *testing.T, items int, annotators ...string) reportFixture {
	t.Helper()
	env := newTestEnv(t)
	s := reportFixture{testEnv: env, lead: env.newUser("lead@example.org", account.Lead)}
	for _, email := range annotators {
		s.annotators = append(s.annotators, env.newUser(email, account.Annotator))
	}
	var err error
	if s.project, err = env.db.CreateProject(t.Context(), s.lead, project.Spec{Key: "sad-days", Title: "Sad days",
		Protocol: "empathy", SupportURL: "https://support.example/"}); err != nil {
		t.Fatal(err)
	}
	list := make([]project.Item, items)
	for i := range list {
		list[i] = project.Item{SourceID: fmt.Sprintf("e%02d", i+1), Facts: protocol.Facts{}, Content: project.Content{
			"user_statement": {Text: "Statement " + fmt.Sprint(i/2)}, "response": {Text: "Response."}},
			Meta: map[string]json.RawMessage{"condition": json.RawMessage(fmt.Sprintf("%q",
				[]string{"base", "new"}[i%2]))}}
	}
	if err := env.db.Import(t.Context(), s.lead.ID, s.project, postgres.File{Name: "items.jsonl",
		SHA256: sha256.Sum256([]byte("sad-days"))}, list); err != nil {
		t.Fatal(err)
	}
	env.newBatch(s.lead, s.project, "pilot", len(annotators), annotators...)
	env.startJobs()
	return s
}

// labelAll makes the annotators label everything. They agree, except the second one on every
// fourth item.
func (s reportFixture) labelAll() {
	s.Helper()
	for index, a := range s.annotators {
		for n := 0; ; n++ {
			token, err := s.db.OpenNext(s.Context(), a.ID, 0)
			if err != nil || token == "" {
				break
			}
			screen, err := s.db.LabelingScreen(s.Context(), a.ID, token)
			if err != nil {
				s.Fatal(err)
			}
			score := 2 + int(screen.ItemID%3)
			if screen.ItemID%4 == 0 && index == 1 {
				score = 2 + int((screen.ItemID+1)%3)
			}
			values := map[string]int{"emotion": score, "validation": score, "helpfulness": 3, "safety": 3,
				"overall": score}
			_, err = s.db.Submit(s.Context(), a.ID, token, labeling.Submission{ActiveMS: 60_000,
				Answers: protocol.Answers{Values: values, Note: "A telling note.", Unsure: []string{}}})
			if err != nil {
				s.Fatal(err)
			}
			if _, err := s.db.EndBreak(s.Context(), a.ID); err != nil {
				s.Fatal(err)
			}
		}
	}
}

// waitForReport reloads a page until its report is computed.
func (b browser) waitForReport(path string) testResponse {
	b.Helper()
	return b.waitForOutcome(path).checkStatus(200)
}

// waitForOutcome reloads a page until its report is computed, or cannot be.
func (b browser) waitForOutcome(path string) testResponse {
	b.Helper()
	for range 1200 {
		a := b.get(path)
		if a.status != 200 || a.header.Get("Refresh") == "" && !strings.Contains(a.Text(), "being computed") {
			return a
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.Fatalf("%s is never computed", path)
	return testResponse{}
}

// waitForText loads a page until it shows text, which a report in the background adds.
func (b browser) waitForText(path, text string) testResponse {
	b.Helper()
	for range 1200 {
		if a := b.get(path).checkStatus(200); strings.Contains(a.Text(), text) {
			return a
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.Fatalf("%s never shows %q", path, text)
	return testResponse{}
}

func TestReport_Lead_ShowsAgreement(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 24)
	b := s.signInAs(s.lead)
	b.waitForReport("/projects/sad-days/report").checkContains("No labels yet")
	s.labelAll()
	summary := b.waitForReport("/projects/sad-days/report").checkContains("Labels: 48, of 24 items, by 2 annotators",
		"Do annotators agree?", "is open on",
		"Agreement meets the target on", "No annotator stands out.", "Comparison in detail")
	if rows := summary.FindAll("#forest li.forest-row svg[role=img]"); len(rows) != 5 {
		t.Errorf("%d rows of the forest plot have a description, want one per field", len(rows))
	}
	for _, link := range summary.FindAll("#content a[href]") {
		if path := link.Attr("href"); strings.HasPrefix(path, "/projects/sad-days/report/") {
			b.get(path).checkStatus(200)
		}
	}
	a := b.get("/projects/sad-days/report/full").checkStatus(200).checkContains(
		"Labels: 48, of 24 items, by 2 annotators", "Agreement", "κ measures agreement beyond chance",
		"Comparison by condition", "Pairs of annotators", "No annotator stands out.")
	if tab := a.FindFirst(".tabs [aria-current]").Text(); !strings.HasPrefix(tab, "Results") { // perhaps with a number
		t.Errorf("the tab %q is marked", tab)
	}
	for _, chart := range a.FindAll("figure.chart svg") {
		if chart.Attr("role") != "img" || chart.FindFirst("title").RawText() == "" ||
			chart.FindFirst("desc").RawText() == "" {
			t.Error("a chart has no description")
		}
	}
	if charts, plots := len(a.FindAll("figure.chart")), len(a.FindAll("figure.forest")); charts != 5 || plots != 3 {
		t.Errorf("%d charts and %d plots, want five confusion matrices, and plots of agreement, annotators and conditions", charts, plots)
	}
	a.checkContains("In 0% of labels: ")
	tied := b.waitForReport("/projects/sad-days/consensus?field=emotion&method=tie").checkContains("6 of 24 items",
		"tie of 2", "2 or 3")
	if n := len(tied.FindAll(".row-answers > span")); n != 6*5 {
		t.Errorf("%d answers are listed, want those of the 6 items with a tie", n)
	}
	list := b.waitForReport("/projects/sad-days/disagreements?field=emotion")
	row := list.FindFirst("tbody th a")
	item := b.get(row.Attr("href")).checkStatus(200).checkContains("tie of 2", "A telling note.",
		"Response.", "Name of ann · ", "labeled it in 60 s", "Imported from items.jsonl by Name of lead")
	if len(item.FindAll(".comparison-table thead th")) != 4 {
		t.Error("the answers are not shown side by side with the consensus")
	}
	annotatorPage := b.waitForReport(a.FindFirst("#annotators tbody a[href]").Attr("href"))
	annotatorPage.checkContains("Rater effects", "Self-consistency", "Labels: 24")
	if len(annotatorPage.FindAll("figure.chart")) < 5 {
		t.Error("there is no histogram for each field")
	}
	b.waitForReport("/projects/sad-days/report?batch=pilot&by=condition").checkContains("Labels: 48")
}

func TestRaterEffects_Enabled_ShowOwn(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 24)
	s.labelAll()
	lead, ann := s.signInAs(s.lead), s.signInAs(s.annotators[0])
	const path = "/work/rater-effects?project=sad-days"
	ann.get(path).checkStatus(http.StatusNotFound)
	lead.waitForReport("/projects/sad-days/report/annotators").checkContains(
		"Annotators do not see their own rater effects")
	lead.post("/projects/sad-days/report/rater-effects", url.Values{"visible": {"perhaps"}}).checkStatus(
		http.StatusUnprocessableEntity)
	lead.post("/projects/sad-days/report/rater-effects", url.Values{"visible": {"yes"}}).checkRedirect(
		"/projects/sad-days/report/annotators")
	ann.get(path).checkStatus(200).checkContains("Nothing to see yet")
	if err := s.db.CloseBatch(t.Context(), s.lead.ID, s.project, "pilot",
		project.BatchClosing{Reason: "all labels are in"}); err != nil {
		t.Fatal(err)
	}
	ann.get("/work").checkStatus(200).checkContains("Your rater effects in “Sad days”")
	ann.waitForReport(path).checkContains("No annotator stands out.", "These are statistics, not grades")
	lead.get(path).checkStatus(http.StatusNotFound)
	lead.post("/projects/sad-days/report/rater-effects", url.Values{"visible": {"no"}}).checkRedirect(
		"/projects/sad-days/report/annotators")
	ann.get(path).checkStatus(http.StatusNotFound)
}

func TestReport_Unknown_NotFound(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 2)
	b := s.signInAs(s.lead)
	b.get("/projects/sad-days/report?batch=nope").checkStatus(http.StatusNotFound)
	b.get("/projects/sad-days/annotators/unknown").checkStatus(http.StatusNotFound)
	b.get("/projects/sad-days/items/999999").checkStatus(http.StatusNotFound)
	b.waitForOutcome("/projects/sad-days/report?by=secret").checkStatus(http.StatusUnprocessableEntity).checkContains(
		"Cannot compare by “secret”")
	s.signInAs(s.annotators[0]).get("/projects/sad-days/report").checkStatus(http.StatusNotFound)
}
