package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/project"
)

// Work shows what is left, what came back and why, and what is over, also while an item is open.
func TestWork_Record_ShowsWhatCameBackAndWhatIsOver(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann, p, b := env.newSingleAnnotatorBatch("record", project.BatchSpec{})
	annBrowser, leadBrowser := env.signInAs(ann), env.signInAs(lead)
	work := func() string { t.Helper(); return annBrowser.get("/work").checkStatus(http.StatusOK).Text() }
	check := func(when string, wanted, unwanted []string) {
		t.Helper()
		text := work()
		for _, w := range wanted {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q", when, w)
			}
		}
		for _, u := range unwanted {
			if strings.Contains(text, u) {
				t.Errorf("%s: there is %q", when, u)
			}
		}
	}
	total := query[int](env, `SELECT item_count FROM batches WHERE id = $1`, b.ID)
	check("before", []string{"New", formatID(int64(total)) + " items left for you.", "Start"}, []string{"Your hours",
		"Closed batches"})
	first := annBrowser.openItem()
	second := annBrowser.post(first, newAnswerForm(middleScores, "")).checkRedirect("")
	check("with an open item", []string{formatID(int64(total-1)) + " items left for you.", "Continue",
		"1 item and 0:00 h of active work in the last 31 days"}, []string{"New"})
	annBrowser.get("/").checkRedirect("/work")
	annBrowser.get("/work?start=1").checkRedirect(second)

	report := func(message string) string {
		t.Helper()
		annBrowser.post("/work/corrections", url.Values{"batch": {formatID(b.ID)},
			"token": {strings.TrimPrefix(first, "/work/")}, "message": {message}}).checkRedirect("/work/corrections")
		return query[string](env, `SELECT max(id)::text FROM correction_requests`)
	}
	const progress = "/projects/record/batches/one/progress"
	leadBrowser.post(progress, url.Values{"request_id": {report("Meant a 2.")},
		"reply": {"A 3 is right."}}).checkRedirect(progress)
	check("declined", []string{"Meant a 2.", "A 3 is right."}, []string{"reopened"})
	leadBrowser.post(progress, url.Values{"request_id": {report("Meant a 1.")}, "action": {"accept"}}).checkRedirect(
		progress)
	check("reopened", []string{"Your lead reopened an item for the mistake that you reported:", "Meant a 1."}, nil)

	now := time.Now().UTC()
	annBrowser.get("/work?month="+now.Format("2006-01")).checkContains("1 item and 0:00 h of active work in "+
		now.Format("January 2006"), "Last 31 days")
	if csv := annBrowser.get("/work?hours=csv").checkStatus(http.StatusOK).Text(); csv !=
		"project,day,items,active_hours Project record,"+now.Format(time.DateOnly)+",1,0.00" {
		t.Errorf("the hours as CSV are %q", csv)
	}
	leadBrowser.get("/projects/record/hours?month="+now.Format("2006-01")).checkContains(
		"1 item and 0:00 h of active work in "+now.Format("January 2006"), "Last 31 days")
	if csv := leadBrowser.get("/projects/record/hours?hours=csv").checkStatus(http.StatusOK).Text(); !regexp.MustCompile(
		`^name,pseudonym,day,items,active_hours [^,]+,[^,]+,` + now.Format(time.DateOnly) + `,1,0\.00$`).MatchString(
		csv) {
		t.Errorf("the hours of the project as CSV are %q", csv)
	}
	annBrowser.get("/work?month=2020-02").checkContains("No work in February 2020.")
	annBrowser.get("/work?month=9999-99").checkContains("in the last 31 days")

	annBrowser.post(annBrowser.post(second, newAnswerForm(middleScores, "")).checkRedirect(""),
		newAnswerForm(middleScores, ""))
	check("submitted again", nil, []string{"reopened"})
	if err := env.db.CloseBatch(t.Context(), lead.ID, p, b.Name, project.BatchClosing{Reason: "done",
		ReleaseOpen: true}); err != nil {
		t.Fatal(err)
	}
	check("closed", []string{"Closed batches", "Project record", "A lead closed a batch."}, []string{"Continue",
		"Meant a 2."})
}
