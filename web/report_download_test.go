package web

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/stats/consensus"
	"github.com/labelwright/labelwright/web/api"
	"github.com/labelwright/labelwright/web/browsertest"
)

func TestReportDownload_Lead_IsJSONOfCommand(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 24)
	s.labelAll()
	b := s.signInAs(s.lead)
	data, err := s.db.ReportData(t.Context(), s.lead.ID, s.project, "pilot")
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Build(data, report.BuildOptions{Seed: reportSeed, Column: "condition"})
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := r.WriteJSON(&want); err != nil {
		t.Fatal(err)
	}

	const path = "/projects/sad-days/report/json?batch=pilot&by=condition"
	s.server.reports.smallMu.Lock() // as while another report is computed
	pending := b.get(path).checkStatus(http.StatusAccepted).checkContains("being computed")
	s.server.reports.smallMu.Unlock()
	if pending.header.Get("Refresh") == "" || pending.header.Get("Content-Disposition") != "" {
		t.Error("the page of a pending report does not reload, or is a file")
	}
	a := b.get(path)
	for range 1200 {
		if a.status != http.StatusAccepted {
			break
		}
		time.Sleep(100 * time.Millisecond)
		a = b.get(path)
	}
	if a.checkStatus(http.StatusOK); a.body != want.String() {
		t.Errorf("the file differs from the command's output: %.200s", a.body)
	}
	if d := a.header.Get("Content-Disposition"); d != `attachment; filename=sad-days-pilot-report.json` {
		t.Errorf("Content-Disposition is %s", d)
	}
	b.get("/projects/sad-days/report/json?batch=nope").checkStatus(http.StatusNotFound)
	s.signInAs(s.annotators[0]).get(path).checkStatus(http.StatusNotFound)
}

func TestReport_Print_OpensDialog(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 8)
	s.labelAll()
	s.signInAs(s.lead).waitForReport("/projects/sad-days/report")
	tab := projectFixture{testEnv: s.testEnv, accounts: map[string]account.Account{"lead": s.lead}}.openTabAs(t, "lead")
	tab.Visit("/projects/sad-days/report?by=condition")
	tab.Click(".page-header .actions a")
	tab.WaitFor(`location.pathname + location.search`, "/projects/sad-days/report/full?by=condition")
	tab.WaitFor(`document.readyState`, "complete")
	browsertest.Eval[string](tab, `window.print = () => { document.title = 'printed' }, ''`)
	tab.Click("#print")
	tab.WaitFor(`document.title`, "printed")
}

// TestReport_Model_SameAsCommand: the pages, the file and the API show the report by a model that the command writes, and links
// keep the model.
func TestReport_Model_SameAsCommand(t *testing.T) {
	t.Parallel()
	s := newReportFixtureOf(t, 24, "ann@example.org", "ben@example.org", "cleo@example.org")
	s.labelAll()
	b := s.signInAs(s.lead)
	data, err := s.db.ReportData(t.Context(), s.lead.ID, s.project, "")
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Build(data, report.BuildOptions{Seed: reportSeed, Consensus: consensus.ByOrdinalDawidSkene})
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := r.WriteJSON(&want); err != nil {
		t.Fatal(err)
	}
	const query = "?model=dawid-skene-ordinal"
	s.signInAs(s.lead).waitForReport("/projects/sad-days/report/metrics" + query)
	page := b.get("/projects/sad-days/report/metrics" + query).checkContains("Model of the annotators’ errors")
	for _, f := range r.Fields {
		for _, a := range f.ConsensusModel.Annotators {
			page.checkContains(a.Annotator, report.Number{Value: &a.Correct}.Percent())
		}
		if note := f.ConsensusModel.Model.Note; note != "" {
			page.checkContains(note)
		}
	}
	for _, html := range []string{"/projects/sad-days/report/json" + query, "/projects/sad-days/report/agreement" + query, `<option value="dawid-skene-ordinal" selected`} {
		if !strings.Contains(page.body, html) {
			t.Errorf("the page does not contain %s", html)
		}
	}
	if a := b.get("/projects/sad-days/report/metrics").checkContains("Consensus by"); strings.Contains(a.body, "Model of the annotators’ errors") {
		t.Error("the rates by the rule have a model")
	}
	if a := b.get("/projects/sad-days/report/json" + query).checkStatus(http.StatusOK); a.body != want.String() {
		t.Errorf("the file differs from the command's output: %.200s", a.body)
	} else if d := a.header.Get("Content-Disposition"); d != `attachment; filename=sad-days-dawid-skene-ordinal-report.json` {
		t.Errorf("Content-Disposition is %s", d)
	}
	b.get("/projects/sad-days/report?model=nope").checkStatus(http.StatusNotFound).checkContains("Choose dawid-skene or dawid-skene-ordinal")
	apiReport, err := s.server.apiReport(t.Context(), s.lead.ID, s.project, api.ReportChoice{Consensus: consensus.ByOrdinalDawidSkene, Epsilon: report.DefaultEpsilon})
	if err != nil || apiReport == nil {
		t.Fatalf("%v, %v", apiReport, err)
	}
	var got bytes.Buffer
	if err := apiReport.WriteJSON(&got); err != nil || got.String() != want.String() {
		t.Errorf("the API's report differs: %v", err)
	}
}
