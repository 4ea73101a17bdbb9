package web

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// newInboxEnv returns a lead whose annotator has an item open.
func newInboxEnv(t *testing.T) (env testEnv, lead, ann account.Account, token string) {
	t.Helper()
	env = newTestEnv(t)
	lead, ann = env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	env.newBatchFromSpec(lead, env.newEmpathyProject(lead, "pilot", 3, 0), project.BatchSpec{Name: "b",
		Annotators: []string{ann.Email}, Overlap: 1})
	env.execSQL(`
		INSERT INTO reading_acknowledgments (project_id, account_id, document, version)
		SELECT r.project_id, ba.account_id, r.document, r.version
		FROM batch_annotators ba JOIN required_reading r ON r.batch_id = ba.batch_id
		ON CONFLICT DO NOTHING`)
	token, err := env.db.OpenNext(t.Context(), ann.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	return env, lead, ann, token
}

func (env testEnv) mustAsk(a account.Account, token, message string) {
	env.Helper()
	if err := env.db.AskLead(env.Context(), a.ID, token, message); err != nil {
		env.Fatal(err)
	}
}

// openStream opens the events of an address as the browser b.
func (b browser) openStream(path string) *bufio.Scanner {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, b.baseURL+path, http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	client := *b.client
	client.Timeout = 0
	response, err := client.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = response.Body.Close() })
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
		b.Fatalf("GET %s: %d %s", path, response.StatusCode, response.Header.Get("Content-Type"))
	}
	return bufio.NewScanner(response.Body)
}

// waitForLine reads a stream up to a line; false: it ended before.
func waitForLine(stream *bufio.Scanner, want string) bool {
	for stream.Scan() {
		if stream.Text() == want {
			return true
		}
	}
	return false
}

func TestInbox_Question_LinkedAndCounted(t *testing.T) {
	t.Parallel()
	env, lead, ann, token := newInboxEnv(t)
	b := env.signInAs(lead)
	b.get("/").checkRedirect("/inbox")
	b.get("/inbox").checkStatus(200).checkContains("Nothing waits for you.", "Project pilot", "0 of 3")
	env.mustAsk(ann, token, "Is this a 4?")
	inbox := b.get("/inbox")
	for deadline := time.Now().Add(time.Minute); len(inbox.FindAll(".badge")) == 0 && time.Now().Before(deadline); {
		time.Sleep(100 * time.Millisecond) // badges are as old as badgeLifetime
		inbox = b.get("/inbox")
	}
	inbox.checkStatus(200).checkContains("1 thing waits for you in 1 project.", "Name of ann · ",
		"asks: “Is this a 4?”")
	if got := inbox.FindFirst(".site-header .badge").Text(); got != "1" {
		t.Errorf("the badge of the inbox is %q", got)
	}
	path, _, _ := strings.Cut(inbox.FindFirst("tbody a").Attr("href"), "#")
	form := b.get(path).checkStatus(200)
	b.post(path+"/questions", map[string][]string{"question_id": {form.FindFirst("[name='question_id']").Attr("value")},
		"answer": {"Yes."}}).checkRedirect("/projects/pilot/questions")
	if after := b.get("/inbox").checkStatus(200).checkContains("Nothing waits for you."); len(
		after.FindAll(".badge")) != 0 {
		t.Error("the badge is still there")
	}
	env.signInAs(ann).get("/inbox").checkStatus(404)
}

func TestLive_Question_PushesBadges(t *testing.T) {
	t.Parallel()
	env, lead, ann, token := newInboxEnv(t)
	b := env.signInAs(lead)
	b.get("/inbox/events").checkStatus(422)
	stream := b.openStream("/inbox/events")
	if !waitForLine(stream, "data: {}") {
		t.Fatal("the stream does not start with the badges")
	}
	env.mustAsk(ann, token, "Is this a 4?")
	if !waitForLine(stream, `data: {"/inbox":1,"/projects/pilot/items":1,"/projects/pilot/questions":1}`) ||
		!waitForLine(stream, "event: change") {
		t.Fatal("the change was not sent")
	}
}

// A stream ends when the user signs out, for a newer stream of the account, and when the
// server drains.
func TestLive_Stream_Ends(t *testing.T) {
	t.Parallel()
	env, lead, _, _ := newInboxEnv(t)
	b := env.signInAs(lead)
	oldest := b.openStream("/inbox/events")
	var newest *bufio.Scanner
	for range maxLivePerAccount {
		newest = b.openStream("/projects/pilot/batches/b/events")
	}
	if !waitForLine(oldest, "event: end") {
		t.Error("the oldest stream was not ended")
	}
	env.server.Drain()
	ended := make(chan bool)
	go func() { ended <- !waitForLine(newest, "never") }()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("a stream continues while the server drains")
	}
}

// In a browser, the inbox follows changes and keeps the focus.
func TestLive_Browser_UpdatesInbox(t *testing.T) {
	t.Parallel()
	env, lead, ann, token := newInboxEnv(t)
	env.mustAsk(ann, token, "Is this a 4?")
	h := projectFixture{testEnv: env, accounts: map[string]account.Account{"lead": lead}}
	b := h.openTabAt(t, "lead", "/healthz")
	b.Visit("/inbox")
	b.WaitFor(`document.querySelector('#inbox tbody a')?.textContent.startsWith("Name of ann · ")`, true)
	b.WaitFor(`document.querySelector('#inbox tbody a').focus() === undefined`, true)
	env.mustAsk(ann, token, "Is this a 5?")
	b.WaitFor(`document.querySelector('#inbox .inbox-detail').textContent`, "“Is this a 5?”")
	b.WaitFor(`document.querySelector('.site-header .badge').textContent`, "1")
	b.WaitFor(`document.activeElement.textContent.startsWith("Name of ann · ")`, true)
}

// Labels that no annotator of a batch can give lead from the inbox to the board, which says why
// they are missing and what helps.
func TestInbox_StuckLabels_LeadToBoard(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	env.newBatch(lead, env.newEmpathyProject(lead, "p", 2, 0), "one", 1, ann.Email)
	b := env.signInAs(lead)
	if text := b.get("/projects/p/batches/one").Text(); strings.Contains(text, "another annotator") {
		t.Error("labels are stuck before the work starts")
	}
	token, err := env.db.OpenNext(t.Context(), ann.ID, 0)
	if err == nil {
		_, err = env.db.Skip(t.Context(), ann.ID, token, labeling.Skip{Reason: labeling.Unclear, Comment: "why?"})
	}
	for more := true; more && err == nil; {
		more, err = env.db.RefreshBatchState(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	b.get("/inbox").FindFirst("main a[href='/projects/p/batches/one']")
	board := b.get("/projects/p/batches/one").checkContains(
		"1 label waits for another annotator: each one of the batch already had the item.")
	board.FindFirst("#board-totals a[href='/projects/p/batches/one/change']")
}
