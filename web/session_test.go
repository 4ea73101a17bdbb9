package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// one is a project with one annotator at work in it.
func (w world) one(key string, h project.Handout) (lead, ann account.Account, p project.Project, b project.Batch) {
	w.Helper()
	lead, ann = w.person("lead@example.org", account.Lead), w.person("ann@example.org", account.Annotator)
	p = w.empathy(lead, key, 6, 0)
	h.Name, h.Annotators, h.Overlap = "one", []string{ann.Email}, 1
	return lead, ann, p, w.handOut(lead, p, h)
}

func TestTwoBatchesOfAProjectAreToldApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead, ann, p, _ := w.one("twofold", project.Handout{Items: 3})
	me := w.as(ann)
	if page := me.get("/work").is(http.StatusOK); strings.Contains(page.Text(), "Your batch") {
		t.Error("a batch alone is numbered")
	}
	w.open(lead, p, "the other", 1, ann.Email)
	me.get("/work").is(http.StatusOK).says("Your batch 1 of this project", "Your batch 2 of this project")
}

func TestALeadSetsWhatHoldsInSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead, ann, _, _ := w.one("set", project.Handout{})
	boss, me := w.as(lead), w.as(ann)
	const path = "/projects/set/session"
	boss.get(path).is(http.StatusOK).First("input[name='after_miss'][value='go_on'][checked]")
	form := url.Values{"after_miss": {"wait"}, "aside_next": {"nobody"}, "break_after": {"25"}, "day_items": {"2"}, "sitting_minutes": {"0"},
		"return_after": {"60"}, "warning": {"Sad texts."}, "support_url": {"nowhere"}}
	boss.post(path, form).is(http.StatusUnprocessableEntity).says("The support link has to be a web address")
	form.Set("support_url", "https://help.example/")
	boss.post(path, form).leads(path)
	form.Set("support_url", "")
	boss.post(path, form).is(http.StatusUnprocessableEntity).says("A batch is open, and the project has a content warning")
	boss.get(path).says("Sad texts.").First("input[name='after_miss'][value='wait'][checked]")
	w.as(w.person("admin@example.org", account.Admin)).get("/admin/audit?action=project.session").is(http.StatusOK).says("after_miss wait", "support_url https://help.example/")

	item := me.post("/work", nil).leads("")
	me.get(item).says("Sad texts.")
	item = me.next()
	for range 2 {
		item = me.post(item, formOf(middling, "")).leads("")
	}
	me.get(item).is(http.StatusOK).says("all that this project asks of anybody in a day")
	if me.next() != "" {
		t.Error("the day's limit does not hold")
	}
}

func TestABatchOfASensitiveProjectWaitsForItsSupportLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead, ann := w.person("lead@example.org", account.Lead), w.person("ann@example.org", account.Annotator)
	w.empathy(lead, "alone", 2, 0)
	w.exec(`UPDATE projects SET support_url = ''`)
	boss := w.as(lead)
	boss.get("/projects/alone/batches/new").is(http.StatusOK).says("say where annotators find somebody to talk to").First("a[href='/projects/alone/session#support_url']")
	form := url.Values{"name": {"one"}, "annotators": {ann.Email}, "overlap": {"1"}, "act": {"look"}}
	boss.post("/projects/alone/batches", form).is(http.StatusUnprocessableEntity).says("a content warning and no support link")
	form.Set("act", "open")
	boss.post("/projects/alone/batches", form).is(http.StatusUnprocessableEntity).says("a content warning and no support link")
	settings := controls(boss.get("/projects/alone/session").First("main form"))
	settings.Set("support_url", "https://support.example/")
	boss.post("/projects/alone/session", settings).leads("/projects/alone/session")
	boss.post("/projects/alone/batches", form).leads("/projects/alone/batches/one")
}

func TestNoTextOfAProjectComesBeforeItsWarning(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead, ann, _, b := w.one("unseen", project.Handout{})
	me := w.as(ann)
	item := me.post("/work", nil).leads("")
	for _, path := range []string{"/work", "/work?all=1", item, item + "/set-aside", "/work/guide?project=unseen", "/work/slip", "/work/break",
		"/work/calibration?batch=" + id64(b.ID)} {
		if body := me.get(path).body; strings.Contains(body, "Statement unseen") || strings.Contains(body, "Response unseen") {
			t.Errorf("%s shows an item before the warning was read", path)
		}
	}
	wrong := formOf(map[string]int{"emotion": 9}, "")
	if body := me.post(item, wrong).body; strings.Contains(body, "Statement unseen") {
		t.Error("a refused form shows the item before the warning was read")
	}
	if answer := me.post(item, formOf(middling, "")); answer.header.Get("Location") != item {
		t.Errorf("an item was labelled unseen: %d, leads to %s", answer.status, answer.header.Get("Location"))
	}
	_ = lead
}

func TestASlipIsFlaggedAndReopenedOverHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead, ann, _, _ := w.one("slip", project.Handout{})
	boss, me := w.as(lead), w.as(ann)
	first := me.next()
	second := me.post(first, formOf(middling, "")).leads("")
	token := strings.TrimPrefix(first, "/work/")
	me.get("/work/slip").is(http.StatusOK).First("input[name='token'][value='" + token + "']")
	me.post("/work/slip", url.Values{"token": {token}, "says": {" "}}).is(http.StatusUnprocessableEntity).says("Please say in a few words")
	me.post("/work/slip", url.Values{"token": {token}, "says": {"Safety should be 2."}}).leads("/work/slip")
	me.get("/work/slip").says("Your lead has been told")
	board := boss.get("/projects/slip/batches/one/progress").is(http.StatusOK).says("Safety should be 2.", "slip-")
	flag := board.First("input[name='flag']").Attr("value")
	boss.post("/projects/slip/batches/one/progress", url.Values{"flag": {flag}, "act": {"reopen"}}).leads("")
	again := me.post(second, formOf(middling, "")).leads("")
	me.get(again).is(http.StatusOK).First("input[name='emotion'][value='3'][checked]")
	better := formOf(middling, "")
	better.Set("safety", "2")
	me.post(again, better).leads("")
	if n := query[int](w, `SELECT count(*) FROM annotations WHERE replaces IS NOT NULL AND (answers ->> 'safety')::int = 2`); n != 1 {
		t.Error("the second answers are not kept beside the first")
	}
	boss.get("/projects/slip/batches/one/progress").says("Opened once more.")
}

func TestSomebodyToTalkToStandsOnEveryPageOfTheWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead, ann := w.person("lead@example.org", account.Lead), w.person("ann@example.org", account.Annotator)
	p := w.empathy(lead, "support", 2, 2)
	b := w.handOut(lead, p, project.Handout{Name: "one", Annotators: []string{ann.Email}, Overlap: 1, Calibration: 2, BreakMinutes: 5})
	me := w.as(ann)
	supported := func(paths ...string) {
		t.Helper()
		for _, path := range paths {
			page := me.get(path).is(http.StatusOK)
			page.First("a[href='https://support.example/']")
			sound(t, page)
		}
	}
	item := me.post("/work", nil).leads("")
	supported(item, "/work?all=1", "/work/guide?project=support") // the item is behind its warning
	item = me.next()
	supported(item, item+"/set-aside")
	me.post(item, formOf(middling, "")).leads("")
	supported(me.calibrates(middling, ""), "/work?all=1")
	item = me.post("/work/calibration/on", url.Values{"batch": {id64(b.ID)}}).leads("")
	me.post(item+"/break", nil).leads("/work/break")
	supported("/work/break")
	item = me.post("/work/break/end", nil).leads("")
	for item != "/work" {
		item = me.post(item, formOf(middling, "")).leads("")
		supported("/work/slip")
	}
	supported("/work", "/work?all=1")
}
