package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
)

// Each change around an open item is named once by the next saved draft, with the next
// action, and by the page that is opened then.
func TestDraft_ChangeAround_Reported(t *testing.T) {
	t.Parallel()
	s := newWorkFixture(t, 3, project.BatchSpec{})
	path := s.openItem()
	for _, c := range []struct{ name, change, undo, want, wantPath string }{
		{"nothing", `SELECT 1`, `SELECT 1`, "", ""},
		{"instructions", `UPDATE projects SET instructions = 'New rules.'`,
			`INSERT INTO reading_acknowledgments (project_id, account_id, document, version)
			 SELECT b.project_id, r.account_id, r.document, r.version FROM pending_reading r
			 JOIN batches b ON b.id = r.batch_id`, "changed what you must read", path},
		{"settings", `UPDATE projects SET break_after_minutes = 50`, `SELECT 1`, "changed the session settings", path},
		{"paused", `UPDATE batch_annotators SET paused_at =
			now()`, `UPDATE batch_annotators SET paused_at = NULL`, "paused your work", "/work"},
		{"question", `INSERT INTO questions (assignment_id, batch_id, account_id, message, answer, answered_at)
			SELECT id, batch_id, account_id, 'Is it?', 'It is.', now() FROM assignments
			WHERE state = 'open'`, `UPDATE questions SET acknowledged_at = now()`, "answered your question", path},
		{"closed", `UPDATE batches SET closed_at =
			now()`, `UPDATE batches SET closed_at = NULL`, "The batch was closed", "/work"},
	} {
		form := newCompleteForm()
		form.Set("screen_state", s.get(path).checkStatus(http.StatusOK).FindFirst("input[name=screen_state]").Attr(
			"value"))
		s.execSQL(c.change)
		answer := s.post(path+"/draft", form)
		switch {
		case c.want == "":
			answer.checkStatus(http.StatusNoContent)
		case !strings.Contains(answer.checkStatus(http.StatusOK).body, c.want) ||
			!strings.Contains(answer.body, `"path":"`+c.wantPath+`"`):
			t.Errorf("%s: %s", c.name, answer.body)
		}
		if page := s.get(path).checkStatus(http.StatusOK); (c.name == "paused" ||
			c.name == "closed") != (len(page.FindAll("#screen-change a")) == 1) {
			t.Errorf("%s: the page opened since says: %s", c.name, page.FindFirst("body").Text())
		}
		s.execSQL(c.undo)
	}

	page := s.get(path)
	form := newCompleteForm()
	form.Set("screen_state", page.FindFirst("input[name=screen_state]").Attr("value"))
	s.execSQL(`UPDATE projects SET daily_item_limit = 50`)
	next := s.postFromScreen(path, page.FindFirst("body").Attr("data-screen"), form)
	if next.checkStatus(http.StatusOK); !strings.Contains(next.FindFirst("#screen-change").Text(),
		"changed the session settings") {
		t.Errorf("the next item says %q", next.FindFirst("#screen-change").Text())
	}
	form.Set("screen_state", "garbage")
	s.post(next.FindFirst("form#answer-form").Attr("action")+"/draft", form).checkStatus(http.StatusNoContent)
}
