package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// postFromScreen posts a form as the script of a labeling screen with that key does.
func (b browser) postFromScreen(path, key string, form url.Values) testResponse {
	b.Helper()
	return b.request(http.MethodPost, path, form.Encode(), map[string]string{
		"Content-Type": formContentType, "Sec-Fetch-Site": "same-origin", screenHeader: key})
}

// checkNextPage requires an answer that names another page instead of an item.
func (a testResponse) checkNextPage(want string) {
	a.Helper()
	if a.checkStatus(http.StatusNoContent).header.Get(nextPageHeader) != want || a.body != "" {
		a.Errorf("the next page is %q, want %q", a.header.Get(nextPageHeader), want)
	}
}

func TestSubmit_FromScreen_AnswersNextItem(t *testing.T) {
	t.Parallel()
	s := newWorkFixture(t, 6, project.BatchSpec{BreakEvery: 4, BreakMinutes: 5})
	path := s.openItem()
	first := s.get(path).checkStatus(http.StatusOK)
	key := first.FindFirst("body").Attr("data-screen")

	next := s.postFromScreen(path, key, newCompleteForm()).checkStatus(http.StatusOK)
	nextPath := next.FindFirst("form#answer-form").Attr("action")
	page := s.get(nextPath).checkStatus(http.StatusOK)
	if nextPath == path || next.FindFirst("body").Attr("data-screen") != key || len(next.body) > len(page.body)/2 {
		t.Errorf("%s follows %s, with %d bytes of a page of %d", nextPath, path, len(next.body), len(page.body))
	}
	if got, want := next.FindFirst("title").Text(), page.FindFirst("title").Text(); got != want {
		t.Errorf("the title is %q, want %q", got, want)
	}
	parts := page.FindAll("[data-part]")
	for i, part := range next.FindAll("[data-part]") {
		if len(parts) <= i || part.Text() != parts[i].Text() || part.Attr("data-part") != parts[i].Attr("data-part") {
			t.Errorf("part %d (%s) differs from that of the page", i, part.Attr("data-part"))
		}
	}
	if again := s.postFromScreen(path, key, newCompleteForm()).checkStatus(http.StatusOK); again.FindFirst(
		"form#answer-form").Attr("action") != nextPath {
		t.Error("a repeated request answers with another item")
	}
	s.postFromScreen(nextPath, key, url.Values{"helpful": {"1"}}).checkStatus(
		http.StatusUnprocessableEntity).checkContains("Choose an answer.")
	s.postFromScreen(nextPath, key, nil).checkStatus(http.StatusUnprocessableEntity)

	third := s.postFromScreen(nextPath+"/skip", key, url.Values{"reason": {"unclear"}, "comment": {"No text."}})
	thirdPath := third.checkStatus(http.StatusOK).FindFirst("form#answer-form").Attr("action")
	s.postFromScreen(thirdPath, "another", newCompleteForm()).checkNextPage(s.currentItemPath())
	fourthPath := s.currentItemPath()
	s.postFromScreen(fourthPath+"/skip", key, url.Values{"reason": {"distressing"}}).checkNextPage(
		"/work/pause?batch=" + formatID(s.batch.ID))
	s.postFromScreen(s.currentItemPath()+"/break", key, nil).checkNextPage("/work/break")
	s.postFromScreen(s.currentItemPath(), key, newCompleteForm()).checkNextPage(
		"/work/break?batch=" + formatID(s.batch.ID))
}

// currentItemPath returns the path of the item that is open.
func (s workFixture) currentItemPath() string {
	s.Helper()
	return "/work/" + query[string](s.testEnv, `SELECT token FROM assignments WHERE state = 'open'`)
}

// What the screen shows around the item has changed since it was loaded, or the session has
// ended: the next page is loaded as a whole.
func TestSubmit_FromOutdatedScreen_NamesNextPage(t *testing.T) {
	t.Parallel()
	s := newWorkFixture(t, 4, project.BatchSpec{})
	path := s.openItem()
	key := s.get(path).FindFirst("body").Attr("data-screen")
	s.execSQL(`UPDATE projects SET support_url = 'https://support.example/'`)
	answer := s.postFromScreen(path, key, newCompleteForm())
	answer.checkNextPage(s.currentItemPath())

	path = s.currentItemPath()
	if newKey := s.get(path).FindFirst("body").Attr("data-screen"); newKey == key {
		t.Error("another support page has the same key")
	}
	settings := account.DefaultSettings()
	settings.Theme = account.DarkTheme
	key = s.get(path).FindFirst("body").Attr("data-screen")
	if err := s.db.SaveSettings(t.Context(), s.ann.ID, settings); err != nil {
		t.Fatal(err)
	}
	s.postFromScreen(path, key, newCompleteForm()).checkNextPage(s.currentItemPath())

	path = s.currentItemPath()
	signedOut := s.newBrowser().postFromScreen(path, key, newCompleteForm()).checkStatus(http.StatusNoContent)
	if next := signedOut.header.Get(nextPageHeader); !strings.HasPrefix(next, "/sign-in?") {
		t.Errorf("without a session the next page is %q", next)
	}
	key = s.get(path).FindFirst("body").Attr("data-screen")
	last := s.postFromScreen(path, key, newCompleteForm()).checkStatus(http.StatusOK).FindFirst(
		"form#answer-form").Attr("action")
	s.postFromScreen(last, key, newCompleteForm()).checkNextPage("/work?batch=" + formatID(s.batch.ID))
}
