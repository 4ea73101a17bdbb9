package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// newSingleAnnotatorBatch creates a project with a batch for one annotator.
func (env testEnv) newSingleAnnotatorBatch(key string, h project.BatchSpec) (lead, ann account.Account,
	p project.Project, b project.Batch) {
	env.Helper()
	lead, ann = env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p = env.newEmpathyProject(lead, key, 6, 0)
	h.Name, h.Annotators, h.Overlap = "one", []string{ann.Email}, 1
	return lead, ann, p, env.newBatchFromSpec(lead, p, h)
}

func TestWork_TwoBatches_Named(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann, p, _ := env.newSingleAnnotatorBatch("twofold", project.BatchSpec{Sample: project.Sample{Count: 3}})
	env.newBatch(lead, p, "the other", 1, ann.Email)
	env.signInAs(ann).get("/work").checkStatus(http.StatusOK).checkContains("Project twofold one",
		"Project twofold the other")
}

func TestSessionSettings_Saved_Apply(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann, _, _ := env.newSingleAnnotatorBatch("set", project.BatchSpec{})
	leadBrowser, annBrowser := env.signInAs(lead), env.signInAs(ann)
	const path = "/projects/set/session-settings"
	leadBrowser.get(path).checkStatus(http.StatusOK).FindFirst("input[name='miss_policy'][value='continue'][checked]")
	form := url.Values{"miss_policy": {"wait"}, "skip_policy": {"drop"}, "break_after_minutes": {"25"},
		"daily_item_limit": {"2"}, "session_limit_minutes": {"0"},
		"release_after_minutes": {"60"}, "content_warning": {"Sad texts."}, "support_url": {"nowhere"}}
	leadBrowser.post(path, form).checkStatus(http.StatusUnprocessableEntity).checkContains("is not a web address")
	form.Set("support_url", "https://help.example/")
	leadBrowser.post(path, form).checkRedirect(path)
	form.Set("support_url", "")
	leadBrowser.post(path, form).checkStatus(http.StatusUnprocessableEntity).checkContains(
		"has a content warning and an open batch")
	leadBrowser.get(path).checkContains("Sad texts.").FindFirst("input[name='miss_policy'][value='wait'][checked]")
	env.signInAs(env.newUser("admin@example.org", account.Admin)).get(
		"/admin/audit-log?action=project.set_session_settings").checkStatus(http.StatusOK).checkContains(
		"Name of lead changed the session settings of set.")

	item := annBrowser.post("/work", nil).checkRedirect("")
	annBrowser.get(item).checkContains("Sad texts.")
	item = annBrowser.openItem()
	for range 2 {
		item = annBrowser.post(item, newAnswerForm(middleScores, "")).checkRedirect("")
	}
	annBrowser.get(item).checkStatus(http.StatusOK).checkContains("You reached the daily item limit")
	if annBrowser.openItem() != "" {
		t.Error("the daily limit has no effect")
	}
}

// The overview and the form of a batch lead to the instructions that the project needs.
func TestOpenBatch_NoInstructions_LeadsToThem(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	b := env.signInAs(lead)
	b.post("/projects", url.Values{"protocol": {"rag-generation@1"}, "key": {"first"},
		"title": {"First look"}}).checkRedirect("/projects/first/import")
	b.importItems("/projects/first", validItems)
	home := b.get("/projects/first").checkContains("This protocol needs instructions before you open a batch")
	if got := home.FindFirst(".next-step a").Attr("href"); got != "/projects/first/instructions" {
		t.Errorf("the next step is %s", got)
	}
	b.get("/projects/first/batches/new").checkContains("This project has no instructions").FindFirst(
		"main a[href='/projects/first/instructions']")
	b.post("/projects/first/instructions", url.Values{"instructions": {"Cite as [1]."}})
	if got := b.get("/projects/first").FindFirst(".next-step a").Attr("href"); got != "/projects/first/members/invite" {
		t.Errorf("the next step is %s", got)
	}
	if links := b.get("/projects/first/batches/new").FindAll("main a[href='/projects/first/instructions']"); len(
		links) > 0 {
		t.Error("the form asks for instructions that the project has")
	}
}

func TestOpenBatch_SensitiveProject_NeedsSupportLink(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	env.addMembers(env.newEmpathyProject(lead, "alone", 2, 0), account.Annotator, ann.Email)
	env.execSQL(`UPDATE projects SET support_url = ''`)
	leadBrowser := env.signInAs(lead)
	leadBrowser.get("/projects/alone/batches/new").checkStatus(http.StatusOK).checkContains(
		"add a support link").FindFirst("a[href='/projects/alone/session-settings#support_url']")
	form := url.Values{"name": {"one"}, "annotators": {ann.Email}, "fewer_calibration": {"A test."}, "overlap": {"1"},
		"action": {"preview"}}
	leadBrowser.post("/projects/alone/batches", form).checkStatus(http.StatusUnprocessableEntity).checkContains(
		"a content warning but no support link")
	form.Set("action", "open")
	leadBrowser.post("/projects/alone/batches", form).checkStatus(http.StatusUnprocessableEntity).checkContains(
		"a content warning but no support link")
	settings := formValues(leadBrowser.get("/projects/alone/session-settings").FindFirst("main form"))
	settings.Set("support_url", "https://support.example/")
	leadBrowser.post("/projects/alone/session-settings", settings).checkRedirect("/projects/alone/session-settings")
	leadBrowser.post("/projects/alone/batches", form).checkRedirect("/projects/alone/batches/one")
}

func TestContentWarning_Unread_HidesItems(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann, _, b := env.newSingleAnnotatorBatch("unseen", project.BatchSpec{})
	annBrowser := env.signInAs(ann)
	item := annBrowser.post("/work", nil).checkRedirect("")
	for _, path := range []string{"/work", "/work", item, item + "/skip", "/work/guide?project=unseen",
		"/work/corrections", "/work/break",
		"/work/calibration?batch=" + formatID(b.ID)} {
		if body := annBrowser.get(path).body; strings.Contains(body, "Statement unseen") ||
			strings.Contains(body, "Response unseen") {
			t.Errorf("%s shows an item before the warning is acknowledged", path)
		}
	}
	wrong := newAnswerForm(map[string]int{"emotion": 9}, "")
	if body := annBrowser.post(item, wrong).body; strings.Contains(body, "Statement unseen") {
		t.Error("a rejected form shows the item before the warning is acknowledged")
	}
	if answer := annBrowser.post(item, newAnswerForm(middleScores, "")); answer.header.Get("Location") != item {
		t.Errorf("an unseen item was submitted: %d, redirects to %s", answer.status, answer.header.Get("Location"))
	}
	_ = lead
}

func TestCorrection_Accepted_Reopens(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann, _, _ := env.newSingleAnnotatorBatch("reopen", project.BatchSpec{})
	leadBrowser, annBrowser := env.signInAs(lead), env.signInAs(ann)
	first := annBrowser.openItem()
	second := annBrowser.post(first, newAnswerForm(middleScores, "")).checkRedirect("")
	token := strings.TrimPrefix(first, "/work/")
	annBrowser.get("/work/corrections").checkStatus(http.StatusOK).FindFirst("input[name='token'][value='" +
		token + "']")
	annBrowser.post("/work/corrections", url.Values{"token": {token}, "message": {" "}}).checkStatus(
		http.StatusUnprocessableEntity).checkContains("Describe the mistake")
	annBrowser.post("/work/corrections", url.Values{"token": {token},
		"message": {"Safety should be 2."}}).checkRedirect("/work/corrections")
	annBrowser.get("/work/corrections").checkContains("Sent to your lead.")
	board := leadBrowser.get("/projects/reopen/batches/one/progress").checkStatus(http.StatusOK).checkContains(
		"Safety should be 2.", "reopen-")
	requestID := board.FindFirst("input[name='request_id']").Attr("value")
	leadBrowser.post("/projects/reopen/batches/one/progress", url.Values{"request_id": {requestID},
		"action": {"accept"}}).checkRedirect("")
	again := annBrowser.post(second, newAnswerForm(middleScores, "")).checkRedirect("")
	annBrowser.get(again).checkStatus(http.StatusOK).FindFirst("input[name='emotion'][value='3'][checked]")
	better := newAnswerForm(middleScores, "")
	better.Set("safety", "2")
	annBrowser.post(again, better).checkRedirect("")
	if n := query[int](env, `SELECT count(*) FROM annotations WHERE replaces_id IS NOT NULL
		AND (answers ->> 'safety')::int = 2`); n != 1 {
		t.Error("the first answers are not kept")
	}
	leadBrowser.get("/projects/reopen/batches/one/progress").checkContains("Reopened.")
}

func TestSupportLink_WorkPages_Shown(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p := env.newEmpathyProject(lead, "support", 2, 2)
	b := env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email}, Overlap: 1,
		CalibrationCount: 2, BreakMinutes: 5})
	annBrowser := env.signInAs(ann)
	checkPages := func(paths ...string) {
		t.Helper()
		for _, path := range paths {
			page := annBrowser.get(path).checkStatus(http.StatusOK)
			page.FindFirst("a[href='https://support.example/']")
			checkMarkup(t, page)
		}
	}
	item := annBrowser.post("/work", nil).checkRedirect("")
	checkPages(item, "/work", "/work/guide?project=support") // the item waits for the content warning
	item = annBrowser.openItem()
	checkPages(item, item+"/skip")
	annBrowser.post(item, newAnswerForm(middleScores, "")).checkRedirect("")
	checkPages(annBrowser.submitCalibration(middleScores, ""), "/work")
	item = annBrowser.post("/work/calibration/start", url.Values{"batch": {formatID(b.ID)}}).checkRedirect("")
	annBrowser.post(item+"/break", nil).checkRedirect("/work/break")
	checkPages("/work/break")
	item = annBrowser.post("/work/break/end", nil).checkRedirect("")
	for strings.HasPrefix(item, "/work/") {
		item = annBrowser.post(item, newAnswerForm(middleScores, "")).checkRedirect("")
		checkPages("/work/corrections")
	}
	checkPages("/work", "/work?start=1")
}
