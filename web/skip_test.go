package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

func TestSkip_Distressing_NeedsNoComment(t *testing.T) {
	t.Parallel()
	s := newWorkFixture(t, 2, project.BatchSpec{})
	path := s.openItem()
	if page := s.get(path + "/skip").checkStatus(http.StatusOK).checkContains("no comment needed"); strings.Contains(
		page.Text(), "Why?") {
		t.Error("the page asks why")
	}
	s.post(path+"/skip", url.Values{"reason": {"unclear"}, "comment": {" "}}).checkStatus(
		http.StatusUnprocessableEntity).checkContains("Add a short comment")
	s.post(path+"/skip", url.Values{"reason": {"boring"}, "comment": {"typed"}}).checkStatus(
		http.StatusUnprocessableEntity).checkContains("Choose a reason")
	if got := s.post(path+"/skip", url.Values{"reason": {""}, "comment": {"typed"}}).checkStatus(
		http.StatusUnprocessableEntity).FindFirst("#comment").RawText(); strings.TrimPrefix(got, "\n") != "typed" {
		t.Errorf("the comment is restored as %q", got)
	}
	s.post(path+"/skip", url.Values{"reason": {"unclear"}, "comment": {"a\x00b"}}).checkStatus(
		http.StatusUnprocessableEntity)
	s.post(path+"/skip", url.Values{"reason": {"distressing"}}).checkRedirect("/work/pause")
	s.post(path+"/skip", url.Values{"reason": {"distressing"}}).checkRedirect("/work/pause")
	s.get(path).checkRedirect("/work")
	board := s.testEnv.signInAs(s.lead).get("/projects/p/batches/batch").checkStatus(http.StatusOK)
	if row := board.FindFirst("tbody tr").Text(); !strings.Contains(row, " 1 of 2 – 1 0") {
		t.Errorf("the board counts the skip as: %s", row)
	}
	if s.countAnnotations() != 0 || query[int](s.testEnv, `SELECT count(*) FROM skips`) != 1 {
		t.Error("the skip is not stored once")
	}
}

// After a distressing item there is a page without item texts, until the
// annotator continues.
func TestSkip_Distressing_ShowsPause(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	env.newBatchFromSpec(lead, env.newEmpathyProject(lead, "quiet", 3, 0), project.BatchSpec{Name: "one",
		Annotators: []string{ann.Email}, Overlap: 1, BreakMinutes: 5})
	annBrowser := env.signInAs(ann)
	pause := annBrowser.post(annBrowser.openItem()+"/skip", url.Values{"reason": {"distressing"}}).checkRedirect(
		"/work/pause")
	page := annBrowser.get(pause).checkStatus(http.StatusOK).checkContains("You skipped this item",
		"you do not have to explain it")
	page.FindFirst("a[href='https://support.example/']")
	if strings.Contains(page.body, "Statement quiet") {
		t.Error("the page shows the next item")
	}
	forms := page.FindAll(".break-screen form")
	if len(forms) != 2 {
		t.Fatalf("%d forms, want continue and break", len(forms))
	}
	breakForm, continueForm := forms[1], forms[0]
	annBrowser.post(breakForm.Attr("action"), formValues(breakForm)).checkRedirect("/work/break")
	annBrowser.get(pause).checkRedirect("/work")
	next := annBrowser.post("/work/break/end", nil).checkRedirect("")
	annBrowser.get(next).checkStatus(http.StatusOK).checkContains("Statement quiet")
	annBrowser.get(annBrowser.post(next+"/skip", url.Values{"reason": {"distressing"}}).checkRedirect(
		"/work/pause")).checkStatus(http.StatusOK)
	next = annBrowser.post(continueForm.Attr("action"), formValues(continueForm)).checkRedirect("")
	annBrowser.get(next).checkStatus(http.StatusOK).checkContains("Statement quiet")
	annBrowser.post(next+"/skip", url.Values{"reason": {"unclear"}, "comment": {"What?"}}).checkRedirect("/work")
}

// No page or file of a lead shows who skipped an item as distressing.
func TestSkip_Distressing_StaysPrivate(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, admin := env.newUser("lead@example.org", account.Lead), env.newUser("admin@example.org", account.Admin)
	ann, ben := env.newUser("ann@example.org", account.Annotator), env.newUser("ben@example.org", account.Annotator)
	p := env.newEmpathyProject(lead, "hush", 4, 0)
	env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email, ben.Email},
		Overlap: 2})
	annBrowser := env.signInAs(ann)
	annBrowser.post(annBrowser.openItem()+"/skip", url.Values{"reason": {"distressing"},
		"comment": {"a comment that is not stored"}}).checkRedirect("/work/pause")
	for path := annBrowser.openItem(); path != ""; path = annBrowser.openItem() {
		annBrowser.post(path, newAnswerForm(middleScores, "")).checkRedirect("")
	}
	pseudonym := query[string](env, `SELECT pseudonym FROM members WHERE account_id = $1`, ann.ID)
	item := query[int64](env, `SELECT a.item_id FROM skips s JOIN assignments a ON a.id = s.assignment_id`)
	for viewer, paths := range map[account.Account][]string{
		lead: {"/projects/hush/batches/one", "/projects/hush/batches/one/progress",
			"/projects/hush/batches/one/calibration", "/projects/hush/report", "/projects/hush/members",
			"/projects/hush/annotators/" + pseudonym, "/projects/hush/items/" + formatID(item)},
		admin: {"/admin/audit-log"},
	} {
		for _, path := range paths {
			page := env.signInAs(viewer).get(path).checkStatus(http.StatusOK)
			text := strings.ReplaceAll(page.Text(), "Personal: outside the annotator's expertise, or distressing", "")
			if strings.Contains(strings.ToLower(text), "distress") ||
				strings.Contains(text, "a comment that is not stored") {
				t.Errorf("%s shows it: %s", path, page.Text())
			}
		}
	}
	board := env.signInAs(lead).get("/projects/hush/batches/one").checkStatus(http.StatusOK)
	for _, row := range board.FindAll("tbody tr") {
		if strings.Contains(row.Text(), "Name of ann") && !strings.Contains(row.Text(), " 4 of 4 – 1 0") {
			t.Errorf("the board shows the own share as: %s", row.Text())
		}
	}
}
