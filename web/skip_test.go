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
	path := s.openNextItem()
	if page := s.get(path + "/skip").wantStatus(http.StatusOK).wantText("Nothing more is asked"); strings.Contains(page.Text(), "Why?") {
		t.Error("the page asks why")
	}
	s.post(path+"/skip", url.Values{"reason": {"unclear"}, "comment": {" "}}).wantStatus(http.StatusUnprocessableEntity).wantText("say a word or two")
	s.post(path+"/skip", url.Values{"reason": {"boring"}, "comment": {"typed"}}).wantStatus(http.StatusUnprocessableEntity).wantText("choose what fits best")
	if got := s.post(path+"/skip", url.Values{"reason": {""}, "comment": {"typed"}}).wantStatus(http.StatusUnprocessableEntity).FindFirst("#comment").RawText(); strings.TrimPrefix(got, "\n") != "typed" {
		t.Errorf("the word came back as %q", got)
	}
	s.post(path+"/skip", url.Values{"reason": {"unclear"}, "comment": {"a\x00b"}}).wantStatus(http.StatusUnprocessableEntity)
	s.post(path+"/skip", url.Values{"reason": {"distressing"}}).wantRedirect("/work/pause")
	s.post(path+"/skip", url.Values{"reason": {"distressing"}}).wantRedirect("/work/pause")
	s.get(path).wantRedirect("/work")
	board := s.testServer.signInAs(s.lead).get("/projects/p/batches/batch").wantStatus(http.StatusOK)
	if row := board.FindFirst("tbody tr").Text(); strings.Contains(row, " 1 ") || strings.Contains(row, "just now") {
		t.Errorf("the lead sees who was distressed: %s", row)
	}
	if s.countAnnotations() != 0 || queryValue[int](s.testServer, `SELECT count(*) FROM set_aside`) != 1 {
		t.Error("it is not stored as set aside, once")
	}
}

// After what distressed there is a quiet page, and no other text before it is
// asked for.
func TestSkip_Distressing_ShowsPause(t *testing.T) {
	t.Parallel()
	w := newTestServer(t)
	lead, ann := w.newUser("lead@example.org", account.Lead), w.newUser("ann@example.org", account.Annotator)
	w.newBatchFromSpec(lead, w.newEmpathyProject(lead, "quiet", 3, 0), project.BatchSpec{Name: "one", Annotators: []string{ann.Email}, Overlap: 1, BreakMinutes: 5})
	annBrowser := w.signInAs(ann)
	pause := annBrowser.post(annBrowser.openNextItem()+"/skip", url.Values{"reason": {"distressing"}}).wantRedirect("/work/pause")
	page := annBrowser.get(pause).wantStatus(http.StatusOK).wantText("You set that one aside", "nobody asks why")
	page.FindFirst("a[href='https://support.example/']")
	if strings.Contains(page.body, "Statement quiet") || queryValue[int](w, `SELECT count(*) FROM assignments WHERE state = 'open'`) != 0 {
		t.Error("the next item is there already")
	}
	forms := page.FindAll(".break-screen form")
	if len(forms) != 2 {
		t.Fatalf("%d ways lead on, want to go on and to rest", len(forms))
	}
	breakForm, continueForm := forms[1], forms[0]
	annBrowser.post(breakForm.Attr("action"), formValues(breakForm)).wantRedirect("/work/break")
	annBrowser.get(pause).wantRedirect("/work")
	next := annBrowser.post("/work/break/end", nil).wantRedirect("")
	annBrowser.get(next).wantStatus(http.StatusOK).wantText("Statement quiet")
	annBrowser.get(annBrowser.post(next+"/skip", url.Values{"reason": {"distressing"}}).wantRedirect("/work/pause")).wantStatus(http.StatusOK)
	next = annBrowser.post(continueForm.Attr("action"), formValues(continueForm)).wantRedirect("")
	annBrowser.get(next).wantStatus(http.StatusOK).wantText("Statement quiet")
	annBrowser.post(next+"/skip", url.Values{"reason": {"unclear"}, "comment": {"What?"}}).wantRedirect("/work")
}

// What distressed is told of nobody: no page or file of the lead's names it
// beside whoever set it aside.
func TestSkip_Distressing_StaysPrivate(t *testing.T) {
	t.Parallel()
	w := newTestServer(t)
	lead, admin := w.newUser("lead@example.org", account.Lead), w.newUser("admin@example.org", account.Admin)
	ann, ben := w.newUser("ann@example.org", account.Annotator), w.newUser("ben@example.org", account.Annotator)
	p := w.newEmpathyProject(lead, "hush", 4, 0)
	w.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email, ben.Email}, Overlap: 2})
	annBrowser := w.signInAs(ann)
	annBrowser.post(annBrowser.openNextItem()+"/skip", url.Values{"reason": {"distressing"}, "comment": {"a word nobody reads"}}).wantRedirect("/work/pause")
	for path := annBrowser.openNextItem(); path != ""; path = annBrowser.openNextItem() {
		annBrowser.post(path, newAnswerForm(middleScores, "")).wantRedirect("")
	}
	pseudonym := queryValue[string](w, `SELECT pseudonym FROM members WHERE account_id = $1`, ann.ID)
	item := queryValue[int64](w, `SELECT a.item_id FROM set_aside s JOIN assignments a ON a.id = s.assignment_id`)
	for viewer, paths := range map[account.Account][]string{
		lead: {"/projects/hush/batches/one", "/projects/hush/batches/one/progress", "/projects/hush/batches/one/calibration", "/projects/hush/report", "/projects/hush/members",
			"/projects/hush/annotators/" + pseudonym, "/projects/hush/items/" + formatID(item), "/projects/hush/items/" + formatID(item) + "/answers"},
		admin: {"/admin/audit-log"},
	} {
		for _, path := range paths {
			page := w.signInAs(viewer).get(path).wantStatus(http.StatusOK)
			text := strings.ReplaceAll(page.Text(), "What somebody sets aside as distressing is not counted here.", "")
			if strings.Contains(strings.ToLower(text), "distress") || strings.Contains(text, "a word nobody reads") {
				t.Errorf("%s tells of it: %s", path, page.Text())
			}
		}
	}
	board := w.signInAs(lead).get("/projects/hush/batches/one").wantStatus(http.StatusOK)
	for _, row := range board.FindAll("tbody tr") {
		if strings.Contains(row.Text(), "Name of ann") && !strings.Contains(row.Text(), " 3 0 ") {
			t.Errorf("the board counts it: %s", row.Text())
		}
	}
}
