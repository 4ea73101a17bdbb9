package web

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/report"
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
	r, err := report.Build(data, report.BuildOptions{Seed: 1, Column: "condition"})
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := r.WriteJSON(&want); err != nil {
		t.Fatal(err)
	}

	const path = "/projects/sad-days/report/json?batch=pilot&by=condition"
	b.waitForReport("/projects/sad-days/report?batch=pilot&by=condition")
	s.execSQL(`
		WITH j AS (INSERT INTO river.river_job (kind, args, max_attempts, queue) VALUES ('other', '{}', 1, 'other')
		           RETURNING id)
		UPDATE reports SET data_version = 'earlier', job_id = j.id, started_at = now(), progress = '{}' FROM j`)
	pending := b.get(path).checkStatus(http.StatusAccepted).checkContains("being computed")
	s.execSQL(`DELETE FROM river.river_job WHERE queue = 'other'`)
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
