package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

func TestSubmit_Concurrent_StoresOnce(t *testing.T) {
	t.Parallel()
	s := newWorkFixture(t, 2, project.BatchSpec{})
	path := s.openItem()
	var wg sync.WaitGroup
	locations := make([]string, 16)
	for i := range locations {
		wg.Go(func() { locations[i] = s.post(path, newCompleteForm()).header.Get("Location") })
	}
	wg.Wait()
	if slices.Sort(locations); locations[0] != locations[len(locations)-1] || !strings.HasPrefix(locations[0],
		"/work/") || locations[0] == path {
		t.Errorf("they redirect to %q", locations)
	}
	s.get(locations[0]).checkStatus(http.StatusOK).checkContains("1 of 2")
	if s.countAnnotations() != 1 {
		t.Errorf("%d annotations, want 1", s.countAnnotations())
	}
}

func TestSubmit_TwoTabs_StoresFirst(t *testing.T) {
	t.Parallel()
	s := newWorkFixture(t, 2, project.BatchSpec{})
	path := s.openItem()
	firstForm, secondForm := s.get(path).FindFirst("form#answer-form"), s.get(path).FindFirst("form#answer-form")
	first, second := formValues(firstForm), formValues(secondForm)
	for key, values := range newCompleteForm() {
		first[key], second[key] = values, values
	}
	first.Set("note", "of the first")
	second.Set("note", "of the second")
	next := s.post(path, first).checkRedirect("")
	if again := s.post(path, second).checkRedirect(""); again != next {
		t.Errorf("the second tab redirects to %s, the first to %s", again, next)
	}
	s.post(path+"/draft", url.Values{"note": {"late"}, "draft_version": {"99"}}).checkStatus(http.StatusConflict)
	s.get(path).checkRedirect("/work")
	if note := query[string](s.testEnv, `SELECT string_agg(note, ',') FROM annotations`); note != "of the first" {
		t.Errorf("stored: %q", note)
	}
}

// A second tab submits other answers for a submitted item: the next page says
// so in a notice.
func TestSubmit_Twice_ShowsNotice(t *testing.T) {
	t.Parallel()
	s := newWorkFixture(t, 2, project.BatchSpec{})
	path := s.openItem()
	first, second := newCompleteForm(), newCompleteForm()
	second.Set("note", "of the second")
	next := s.post(path, first).checkRedirect("")
	s.post(path, second).checkRedirect(next)
	const notice = "You already submitted the previous item from another page. The answers from that page count."
	s.get(next).checkStatus(http.StatusOK).checkContains(notice)
	s.get(next).checkStatus(http.StatusOK).checkContains(notice) // a GET changes nothing
	s.post(path, first).checkRedirect(next)
	if strings.Contains(s.get(next).body, notice) {
		t.Error("submitting the same answers twice shows the notice")
	}
	s.post(path, second).checkRedirect(next)
	s.post(next, newCompleteForm()).checkRedirect("/work")
	second.Set("note", "of the second, again")
	s.post(path, second).checkRedirect("/work")
	s.get("/work").checkContains(notice)
	s.post(next, newCompleteForm()).checkRedirect("/work")
	if strings.Contains(s.get("/work").body, notice) {
		t.Error("the notice stays")
	}
}

func TestSubmit_SignedOut_KeepsForm(t *testing.T) {
	t.Parallel()
	s := newWorkFixture(t, 2, project.BatchSpec{})
	path := s.openItem()
	s.post("/sign-out", nil).checkRedirect("/sign-in")
	form := newCompleteForm()
	form.Set("note", "nothing is lost")
	signInPath := s.post(path, form).checkRedirect("/sign-in")
	page := s.get(signInPath).checkStatus(http.StatusOK).checkContains("Your answers are saved")
	if s.countAnnotations() != 0 {
		t.Fatal("an annotation without an account is stored")
	}
	signIn := formValues(page.FindFirst("main form"))
	if signIn.Get("next") != path {
		t.Errorf("sign-in redirects to %q", signIn.Get("next"))
	}
	other := s.testEnv.signInAs(s.testEnv.newUser("eve@example.org", account.Annotator))
	if body := other.get(path).checkStatus(http.StatusNotFound).body; strings.Contains(body, "nothing is lost") {
		t.Error("another annotator sees the draft")
	}
	signIn.Set("email", s.ann.Email)
	signIn.Set("password", password)
	s.post("/sign-in", signIn).checkRedirect(path)
	restored := s.get(path).checkStatus(http.StatusOK).FindFirst("form#answer-form")
	delete(form, "active_ms") // differs by page
	for key, values := range form {
		if got := formValues(restored)[key]; !slices.Equal(got, values) {
			t.Errorf("%s is restored as %q, want %q", key, got, values)
		}
	}
	s.post(path, formValues(restored)).checkRedirect("")
	if s.countAnnotations() != 1 {
		t.Error("the restored form is not stored")
	}
}

func TestDraft_SignedOut_IsRefused(t *testing.T) {
	t.Parallel()
	s := newWorkFixture(t, 1, project.BatchSpec{})
	path := s.openItem()
	before := s.hashState()
	for _, step := range []string{"/draft", "/break", "/skip"} {
		s.newBrowser().post(path+step, newCompleteForm()).checkStatus(http.StatusUnauthorized)
	}
	s.newBrowser().post("/work/"+strings.Repeat("A", 26), newCompleteForm()).checkRedirect("/sign-in")
	if s.hashState() != before {
		t.Error("data were stored")
	}
}

// The page after the last item is about its batch, even if other batches have
// items.
func TestLastItem_Submitted_ShowsNext(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	first, second := env.newEmpathyProject(lead, "first", 2, 0), env.newEmpathyProject(lead, "second", 1, 2)
	old := env.newBatchFromSpec(lead, first, project.BatchSpec{Name: "one", Annotators: []string{ann.Email},
		Overlap: 1})
	b := env.newBatchFromSpec(lead, second, project.BatchSpec{Name: "two", Annotators: []string{ann.Email}, Overlap: 1,
		CalibrationCount: 2})
	annBrowser, batch := env.signInAs(ann), url.Values{"batch": {formatID(b.ID)}}
	path := annBrowser.post("/work", batch).checkRedirect("")
	annBrowser.readRequired(path)
	if titles := annBrowser.get("/work").checkStatus(http.StatusOK).FindAll(".batch-card h2"); len(titles) != 2 ||
		!strings.HasPrefix(titles[0].Text(), "Project second") {
		t.Error("the last batch is not listed first")
	}
	annBrowser.post(path, newAnswerForm(middleScores, "")).checkRedirect(path + "/reference")
	path = annBrowser.post("/work", batch).checkRedirect("")
	annBrowser.post(path, newAnswerForm(middleScores, "")).checkRedirect(path + "/reference")
	path = annBrowser.post("/work", batch).checkRedirect("")
	annBrowser.get(path).checkRedirect("/work/calibration")
	path = annBrowser.post("/work/calibration/start", batch).checkRedirect("")
	path = annBrowser.post(path, newAnswerForm(middleScores, "")).checkRedirect("")
	annBrowser.get(path).checkStatus(http.StatusOK).checkContains("Batch completed", "Project second",
		"You have more work in another batch", "Report a mistake", "See calibration results")
	if titles := annBrowser.get("/work").checkStatus(http.StatusOK).FindAll(".batch-card h2"); !strings.HasPrefix(
		titles[0].Text(), "Project first") {
		t.Error("a finished batch is listed before an open one")
	}
	path = annBrowser.post("/work", url.Values{"batch": {formatID(old.ID)}}).checkRedirect("")
	annBrowser.readRequired(path)
	env.signInAs(lead).post("/projects/first/batches/one/close", url.Values{"reason": {"done"}}).checkRedirect("")
	annBrowser.get(annBrowser.post(path, newAnswerForm(middleScores, "")).checkRedirect("/work")).checkStatus(
		http.StatusOK).checkContains("This batch is closed. Your labels are saved.")
}
