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
	"github.com/labelwright/labelwright/internal/protocol"
)

// A lead who labels in an open batch compares by a column in which every value is one or
// two items. No page of the report shows an answer until the batch is closed.
func TestReport_LabelingLead_ShowsNoAnswers(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.startJobs()
	lead, admin := env.newUser("lead@example.org", account.Lead), env.newUser("admin@example.org", account.Admin)
	p := env.newProject(lead, "mine", 0)
	var file strings.Builder
	for i := range 12 {
		fmt.Fprintf(&file, `{"id":"q%d","query":"Question %d?","answer":"An answer.","slice":"s%d"}`+"\n", i, i, i%8)
	}
	leadBrowser := env.signInAs(lead)
	leadBrowser.post(leadBrowser.upload("/projects/mine/import", "items.jsonl", file.String()).checkRedirect(""),
		nil).checkRedirect("/projects/mine")
	ann, ben := env.newUser("ann@example.org", account.Annotator), env.newUser("ben@example.org", account.Annotator)
	b := env.newBatch(admin, p, "first", 3, ann.Email, ben.Email, lead.Email)
	for i, a := range []account.Account{ann, ben} {
		env.labelAll(a, b, i)
	}
	pseudonym := query[string](env, `SELECT pseudonym FROM members WHERE account_id = $1`, ann.ID)
	for path, notice := range map[string]string{"/report": "12 items are not in this report, because you label in the same batch", "/report/full": "12 items are not in this report", "/consensus": "Items that you label yourself are left out", "/disagreements": "Items that you label yourself are left out"} {
		a := leadBrowser.waitForReport("/projects/mine" + path).checkContains(notice)
		if strings.Contains(a.FindOne("#content").Text(), pseudonym) && strings.HasPrefix(path, "/report") ||
			strings.Contains(a.body, "by-group") || len(a.FindAll("table")) > 0 {
			t.Errorf("%s shows answers:\n%s", a.path, a.Text())
		}
	}
	leadBrowser.waitForOutcome("/projects/mine/report?by=slice").checkStatus(http.StatusUnprocessableEntity)
	leadBrowser.get("/projects/mine/annotators/" + pseudonym).checkStatus(http.StatusForbidden)
	env.signInAs(admin).waitForReport("/projects/mine/report/full?by=slice").checkContains(pseudonym,
		"Comparison by slice", "s7")

	leadBrowser.post("/projects/mine/batches/first/close", url.Values{"reason": {"done"}}).checkRedirect("")
	leadBrowser.waitForReport("/projects/mine/report/full?by=slice").checkContains(pseudonym,
		"Comparison by slice", "s7")
}

// A lead who does not label sees the groups of an open batch, but not the small ones.
func TestReport_OpenBatch_HidesSmallGroups(t *testing.T) {
	t.Parallel()
	h := newLabeledFixture(t)
	h.startJobs()
	h.changeItems(`UPDATE items SET meta = '{"condition": "rare"}' WHERE id IN (SELECT id FROM items
		WHERE meta ->> 'condition' = 'new' ORDER BY id LIMIT 2)`)
	page := h.browserFor("lead").waitForReport("/projects/hard-days/report/comparison?by=condition").
		checkContains("because single answers could be recognized in them: 1. A group needs 5 items and 2 annotators.")
	if strings.Contains(page.Text(), "rare") {
		t.Error("the small group is shown")
	}
	h.browserFor("admin").waitForReport("/projects/hard-days/report/comparison?by=condition").checkContains("rare")
}

// labelAll makes an annotator submit all items of a batch with the same answers.
func (env testEnv) labelAll(a account.Account, b project.Batch, helpful int) {
	env.Helper()
	env.label(a, b, helpful, 0)
}

// labelItems makes an annotator submit n items of a batch.
func (env testEnv) labelItems(a account.Account, b project.Batch, n int) {
	env.Helper()
	env.label(a, b, 1, n)
}

// label submits up to n items, or all if n is 0.
func (env testEnv) label(a account.Account, b project.Batch, helpful, n int) {
	env.Helper()
	answers := protocol.Answers{Values: map[string]int{"proper_action": 1, "response_on_topic": 1, "helpful": helpful,
		"incomplete": 0, "unsafe_content": 0}}
	for i := 0; n == 0 || i < n; i++ {
		token, err := env.db.OpenNext(env.Context(), a.ID, b.ID)
		if err == nil && token != "" {
			_, err = env.db.Submit(env.Context(), a.ID, token, labeling.Submission{Answers: answers, ActiveMS: 1000})
		}
		if err != nil {
			env.Fatal(err)
		}
		if token == "" {
			if _, err := env.db.EndBreak(env.Context(), a.ID); err != nil {
				env.Fatal(err)
			}
			return
		}
	}
}
