package web

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

func TestUndo_LastSubmit_ShowsItsAnswers(t *testing.T) {
	t.Parallel()
	s := newWorkFixture(t, 2, project.BatchSpec{})
	first := s.openItem()
	second := s.post(first, newCompleteForm()).checkRedirect("")
	if len(s.get(second).checkStatus(http.StatusOK).FindAll("#undo-submit")) != 0 {
		t.Error("undo is offered without the setting")
	}
	s.post(second+"/undo", nil).checkStatus(http.StatusConflict).checkContains("cannot be taken back")
	lead := s.testEnv.signInAs(s.lead)
	settings := formValues(lead.get("/projects/p/session-settings").FindFirst("main form"))
	settings.Set("allows_undo", "1")
	lead.post("/projects/p/session-settings", settings).checkRedirect("")
	lead.get("/projects/p/session-settings").FindFirst("input[name=allows_undo][checked]")

	undo := s.get(second).checkStatus(http.StatusOK).checkContains("undo the last submit").FindFirst(
		"#undo-submit").Attr("formaction")
	again := s.post(undo, url.Values{"helpful": {"1"}}).checkRedirect("")
	page := s.get(again).checkStatus(http.StatusOK).checkContains("You took back this submit.", "0 of 2")
	if again == first || again == second || page.FindFirst("input[name=helpful][checked]").Attr("value") != "0" ||
		len(page.FindAll("#undo-submit")) != 0 {
		t.Errorf("%s does not show the answers of %s", again, first)
	}
	s.post(undo, nil).checkRedirect("/work") // a second click
	s.post(second, newCompleteForm()).checkRedirect("/work")
	form := newCompleteForm()
	form.Set("helpful", "1")
	back := s.post(again, form).checkRedirect(second)
	if s.get(back).checkStatus(http.StatusOK).FindFirst("input[name=helpful][checked]").Attr("value") != "0" {
		t.Error("the item that was open has lost its draft")
	}

	done := s.get(s.post(back, newCompleteForm()).checkRedirect("/work")).checkStatus(http.StatusOK)
	last := s.post("/work/undo", formValues(done.FindFirst("form[action='/work/undo']"))).checkRedirect("")
	s.get(last).checkContains("You took back this submit.")
	s.post(last, newCompleteForm()).checkRedirect("/work")
	if n := s.countAnnotations(); n != 4 {
		t.Errorf("%d annotations, want 4", n)
	}
}

// From the labeling screen, the item comes in place; a screen without the setting has no key.
func TestUndo_FromScreen_AnswersItem(t *testing.T) {
	t.Parallel()
	s := newWorkFixture(t, 3, project.BatchSpec{})
	s.execSQL(`UPDATE projects SET allows_undo = true`)
	first := s.openItem()
	key := s.get(first).FindFirst("body").Attr("data-screen")
	next := s.postFromScreen(first, key, newCompleteForm()).checkStatus(http.StatusOK)
	undone := s.postFromScreen(next.FindFirst("#undo-submit").Attr("formaction"), key,
		nil).checkStatus(http.StatusOK).checkContains("You took back this submit.")
	if undone.FindFirst("body").Attr("data-screen") != key {
		t.Error("the screen cannot show the item in place")
	}
	stranger := s.testEnv.signInAs(s.newUser("stranger@example.org", account.Annotator))
	stranger.post(next.FindFirst("#undo-submit").Attr("formaction"), nil).checkStatus(http.StatusNotFound)
	stranger.post("/work/undo", url.Values{"batch": {formatID(s.batch.ID)}}).checkStatus(http.StatusConflict)
}
