package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/htmltest"
)

// A workFixture is an annotator with a batch of the generation protocol,
// signed in with a browser without scripts.
type workFixture struct {
	browser
	lead, ann account.Account
	batch     project.Batch
}

func newWorkFixture(t *testing.T, items int, h project.BatchSpec) workFixture {
	t.Helper()
	env := newTestEnv(t)
	s := workFixture{lead: env.newUser("lead@example.org", account.Lead), ann: env.newUser("ann@example.org",
		account.Annotator)}
	h.Name, h.Annotators, h.Overlap, h.Seed = "batch", []string{s.ann.Email}, 1, 1
	s.batch = env.newBatchFromSpec(s.lead, env.newProject(s.lead, "p", items), h)
	s.browser = env.signInAs(s.ann)
	return s
}

func (env testEnv) countAnnotations() int {
	env.Helper()
	return query[int](env, `SELECT count(*) FROM annotations`)
}

// newCompleteForm is a valid form of the generation protocol.
func newCompleteForm() url.Values {
	return url.Values{"proper_action": {"1"}, "response_on_topic": {"1"}, "helpful": {"0"}, "incomplete": {"0"},
		"unsafe_content": {"0"}, "note": {""}, "active_ms": {"1200"}, "idle_ms": {"0"}}
}

// formValues returns what a browser without scripts would post.
func formValues(form htmltest.Element) url.Values { return form.FormValues() }

func TestLabel_NoScript_StoresAll(t *testing.T) {
	t.Parallel()
	const items = 3
	s := newWorkFixture(t, items, project.BatchSpec{})
	home := s.get("/work").checkStatus(http.StatusOK).checkContains("Project p", "0 of 3")
	startForm := home.FindFirst(".batch-card form")
	path := s.post(startForm.Attr("action"), formValues(startForm)).checkRedirect("")
	for n := range items {
		page := s.get(path).checkStatus(http.StatusOK).checkContains(fmt.Sprintf("%d of 3", n))
		form := page.FindFirst("form#answer-form")
		if form.Attr("action") != path {
			t.Fatalf("the form of %s posts to %s", path, form.Attr("action"))
		}
		sent := formValues(form)
		sent.Set("helpful", "1")
		again := s.post(path, sent).checkStatus(http.StatusUnprocessableEntity)
		if again.FindFirst("#problem-incomplete").Text() != "Choose an answer." ||
			again.FindFirst("#problem-helpful").Text() != "" {
			t.Error("the problems are not at their fields")
		}
		sent = formValues(again.FindFirst("form#answer-form"))
		for _, key := range []string{"proper_action", "response_on_topic", "incomplete", "unsafe_content"} {
			sent.Set(key, "0")
		}
		path = s.post(path, sent).checkRedirect("")
	}
	s.get(path).checkStatus(http.StatusOK).checkContains("Batch completed", "3 of 3")
	if n := query[int](s.testEnv, `SELECT count(*) FROM annotations WHERE answers->>'helpful' = '1'
		AND answers->>'incomplete' = '0'`); n != items {
		t.Errorf("%d are stored as submitted, want %d", n, items)
	}
}

func TestDraft_Saved_IsRestored(t *testing.T) {
	t.Parallel()
	s := newWorkFixture(t, 1, project.BatchSpec{})
	path := s.openItem()
	saveDraft := func(version, helpful, note string) {
		t.Helper()
		s.post(path+"/draft", url.Values{"helpful": {helpful}, "note": {note}, "draft_version": {version},
			"active_ms": {"5000"}}).checkStatus(http.StatusNoContent)
	}
	checkForm := func(helpful, note string) {
		t.Helper()
		page := s.get(path).checkStatus(http.StatusOK).FindFirst("form#answer-form")
		if got := formValues(page); got.Get("helpful") != helpful || got.Get("note") != note {
			t.Errorf("the form is restored as %v", got)
		}
	}
	saveDraft("7", "1", "half\na thought")
	checkForm("1", "half\na thought")
	saveDraft("6", "0", "older")
	checkForm("1", "half\na thought")
	saveDraft("8", "0", "")
	checkForm("0", "")
	s.post(path+"/break", url.Values{"helpful": {"1"}, "note": {"before the break"}}).checkRedirect("/work/break")
	s.post("/work/break/end", nil).checkRedirect(path)
	checkForm("1", "before the break")
	s.post(path+"/skip", url.Values{"helpful": {"1"}, "note": {"before I ask"}}).checkRedirect(path + "/skip")
	checkForm("1", "before I ask")
	if s.countAnnotations() != 0 {
		t.Error("a draft became an annotation")
	}
}

// To other annotators an item does not exist, open or submitted.
func TestItem_OtherUser_NotFound(t *testing.T) {
	t.Parallel()
	s := newWorkFixture(t, 2, project.BatchSpec{})
	submitted := s.openItem()
	open := s.post(submitted, newCompleteForm()).checkRedirect("")
	stranger := s.testEnv.signInAs(s.testEnv.newUser("eve@example.org", account.Annotator))
	leadBrowser := s.testEnv.signInAs(s.lead)
	before := s.hashState()
	for _, b := range []browser{stranger, leadBrowser} {
		for _, step := range []string{"GET ", "POST ", "POST /draft", "GET /skip", "POST /skip", "POST /break"} {
			method, suffix, _ := strings.Cut(step, " ")
			form := newCompleteForm()
			if suffix == "/skip" {
				form = url.Values{"reason": {"distressing"}}
			}
			send := func(path string) testResponse {
				if method == http.MethodGet {
					return b.get(path + suffix)
				}
				return b.post(path+suffix, form)
			}
			missing := send("/work/" + strings.Repeat("A", len(open)-len("/work/")))
			for what, path := range map[string]string{"open": open, "spent": submitted} {
				if a := send(path); a.status != http.StatusNotFound || a.bodyWithoutID() != missing.bodyWithoutID() ||
					missing.status != a.status {
					t.Errorf("%s of an item that is %s: %d, of no item: %d\n%s\n%s", step, what, a.status,
						missing.status, a.Text(), missing.Text())
				}
			}
		}
	}
	if s.hashState() != before {
		t.Error("another annotator changed data")
	}
}

// Ending a break twice, as from two tabs, opens no item of another batch.
func TestEndBreak_Twice_SameBatch(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	for _, key := range []string{"first", "second"} {
		env.newBatchFromSpec(lead, env.newEmpathyProject(lead, key, 4, 0), project.BatchSpec{Name: "one",
			Annotators: []string{ann.Email}, Overlap: 1, BreakEvery: 2, BreakMinutes: 5})
	}
	annBrowser := env.signInAs(ann)
	second := annBrowser.post(annBrowser.openItem(), newAnswerForm(middleScores, "")).checkRedirect("")
	annBrowser.post(second, newAnswerForm(middleScores, "")).checkRedirect("/work")
	batchForm := url.Values{"batch": {annBrowser.get("/work/break").checkStatus(http.StatusOK).FindFirst(
		"form[action='/work/break/end'] input[name='batch']").Attr("value")}}
	next := annBrowser.post("/work/break/end", batchForm).checkRedirect("")
	last := annBrowser.post(next, newAnswerForm(middleScores, "")).checkRedirect("") // one item is left
	annBrowser.post(last, newAnswerForm(middleScores, "")).checkRedirect("/work")
	annBrowser.get(annBrowser.post("/work/break/end", batchForm).checkRedirect("/work")).checkStatus(
		http.StatusOK).checkContains("Batch completed")
	if n := query[int](env, `SELECT count(*) FROM assignments`); n != 4 {
		t.Errorf("%d items were opened, want the 4 of one batch", n)
	}
}

// A break holds for all batches, and the work resumes in the batch that the annotator chose
// meanwhile, not where the break became due.
func TestEndBreak_OtherBatchStarted_OpensThatBatch(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	var batches []project.BatchID
	for _, key := range []string{"first", "second"} {
		b := env.newBatchFromSpec(lead, env.newEmpathyProject(lead, key, 4, 0), project.BatchSpec{Name: "one",
			Annotators: []string{ann.Email}, Overlap: 1, BreakEvery: 1, BreakMinutes: 5})
		batches = append(batches, b.ID)
	}
	s := env.signInAs(ann)
	first := s.post("/work", url.Values{"batch": {formatID(batches[0])}}).checkRedirect("")
	s.readRequired(first)
	second := s.post(first, newAnswerForm(middleScores, "")).checkRedirect("")
	s.post(second, newAnswerForm(middleScores, "")).checkRedirect("/work") // the break of the first batch is due
	home := s.post("/work", url.Values{"batch": {formatID(batches[1])}}).checkRedirect("/work")
	form := s.get(s.get(home).checkRedirect("/work/break")).checkStatus(http.StatusOK).FindFirst(
		"form[action='/work/break/end']")
	next := s.post("/work/break/end", formValues(form)).checkRedirect("")
	if got := query[project.BatchID](env, `SELECT batch_id FROM assignments WHERE '/work/' || token = $1`,
		next); got != batches[1] {
		t.Errorf("ending the break opens %s of batch %d, want batch %d", next, got, batches[1])
	}
}

func TestBreak_Started_BlocksWork(t *testing.T) {
	t.Parallel()
	s := newWorkFixture(t, 5, project.BatchSpec{BreakEvery: 1, BreakMinutes: 5})
	path := s.post(s.openItem(), newCompleteForm()).checkRedirect("") // a break would follow one item
	s.get("/work/break").checkRedirect("/work")
	s.post(path, newCompleteForm()).checkRedirect("/work")
	s.get("/work").checkRedirect("/work/break")
	s.get("/work/break").checkStatus(http.StatusOK).checkContains("Time for a break", "End break early")
	s.post("/work", nil).checkRedirect("/work")
	second := s.post("/work/break/end", nil).checkRedirect("")
	if !strings.HasPrefix(second, "/work/") || second == path {
		t.Fatalf("continuing redirects to %s", second)
	}
	s.get(second).checkStatus(http.StatusOK).checkContains("2 of 5", "Break after this item")
	s.post(second+"/break", newCompleteForm()).checkRedirect("/work/break")
	s.post("/work/break/end", nil).checkRedirect(second)
	if n := query[int](s.testEnv, `SELECT count(*) FROM breaks WHERE ended_at < scheduled_end_at`); n != 2 {
		t.Errorf("%d breaks ended early, want 2", n)
	}
	if n := query[int](s.testEnv, `SELECT count(*) FROM breaks WHERE planned`); n != 1 {
		t.Errorf("%d breaks were planned, want 1", n)
	}
}

func TestContentWarning_Read_ShowsItem(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	env.newBatchFromSpec(lead, env.newEmpathyProject(lead, "calm", 2, 0), project.BatchSpec{Name: "b",
		Annotators: []string{ann.Email}, Overlap: 1})
	b := env.signInAs(ann)
	path := b.post("/work", nil).checkRedirect("")
	for name, a := range map[string]testResponse{
		"the item": b.get(path), "a refused form": b.post(path, url.Values{"emotion": {"3"}}),
		"a good form": b.post(path, newAnswerForm(middleScores, "")),
		"skip":        b.get(path + "/skip"), "draft": b.post(path+"/draft", newAnswerForm(middleScores, "")),
		"start": b.get("/work"),
	} {
		if strings.Contains(a.body, "Statement calm") || strings.Contains(a.body, "Response calm") {
			t.Errorf("%s: the text is shown before the warning is acknowledged (%d)", name, a.status)
		}
	}
	if env.countAnnotations() != 0 {
		t.Error("an item was submitted before its warning was acknowledged")
	}
	b.get(path).checkStatus(http.StatusOK).checkContains("Some of these messages are about distress", "Get support")
	b.readRequired(path)
	b.get(path).checkStatus(http.StatusOK).checkContains("Statement calm", "Response calm")
	if n := query[int](env, `SELECT count(*) FROM reading_acknowledgments WHERE document = 'content_warning'
		AND day = current_date`); n != 1 {
		t.Errorf("%d acknowledgments are stored, want 1", n)
	}
}

// The board shows the lead in plain words which hidden duplicates are lost, and why.
func TestBoard_LostDuplicates_Explained(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p := env.newEmpathyProject(lead, "lost", 12, 0)
	b := env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email}, Overlap: 1,
		Seed: 1, DuplicateCount: 2})
	leadBrowser := env.signInAs(lead)
	if board := leadBrowser.get("/projects/lost/batches/one").checkStatus(http.StatusOK); strings.Contains(board.Text(),
		"Lost hidden duplicates") {
		t.Error("duplicates are lost before the work starts")
	}
	for token, err := env.db.OpenNext(t.Context(), ann.ID, b.ID); token != ""; token, err = env.db.Skip(t.Context(),
		ann.ID, token, labeling.Skip{Reason: labeling.Unclear, Comment: "why?"}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	leadBrowser.get("/projects/lost/batches/one").checkStatus(http.StatusOK).checkContains("Lost hidden duplicates",
		"2 of 2 hidden duplicates will not be labeled. Labeled so far: 0.", "No labeled item far enough back")
}
