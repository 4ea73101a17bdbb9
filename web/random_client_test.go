package web

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

func TestLabeling_OldPaths_Redirect(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	_, ann, _, _ := env.newSingleAnnotatorBatch("old", project.BatchSpec{BreakEvery: 3, BreakMinutes: 5})
	annBrowser := env.signInAs(ann)
	first := annBrowser.openItem()
	annBrowser.get(first).checkStatus(http.StatusOK) // reload
	second := annBrowser.post(first, newAnswerForm(middleScores, "")).checkRedirect("")
	annBrowser.get(first).checkRedirect("/work") // back
	// submitted again in another tab
	if to := annBrowser.post(first, newAnswerForm(middleScores, "")).checkRedirect(""); to != second {
		t.Errorf("a second submit redirects to %s, want %s", to, second)
	}
	annBrowser.get("/work/nonsense").checkStatus(http.StatusNotFound)
	if to := annBrowser.post("/work", url.Values{"batch": {""}}).checkRedirect(""); to != second { // skipping ahead
		t.Errorf("starting again redirects to %s", to)
	}
	third := annBrowser.post(second, newAnswerForm(middleScores, "")).checkRedirect("")
	annBrowser.post(third, newAnswerForm(middleScores, "")).checkRedirect("/work")
	annBrowser.get("/work").checkRedirect("/work/break")
	if to := annBrowser.post("/work", nil).checkRedirect(""); to != "/work?start=1" { // no item opens during a break
		t.Errorf("starting in a break redirects to %s", to)
	}
	fourth := annBrowser.post("/work/break/end", nil).checkRedirect("") // before the break is over
	if n := query[int](env, `SELECT count(*) FROM breaks WHERE NOT completed`); n != 1 {
		t.Error("the early end of the break is not stored")
	}
	if to := annBrowser.post("/work/break/end", nil).checkRedirect(""); to != fourth {
		t.Errorf("ending an ended break redirects to %s", to)
	}
	annBrowser.post(fourth+"/break", newAnswerForm(middleScores, "typed before")).checkRedirect("/work/break")
	annBrowser.get(fourth).checkRedirect("/work/break")
	annBrowser.post(fourth, newAnswerForm(middleScores, "sent in the break")).checkRedirect("/work/break")
	annBrowser.post(fourth+"/skip", url.Values{"reason": {"distressing"}}).checkRedirect("/work/break")
	annBrowser.post("/work/break/end", nil).checkRedirect(fourth)
	annBrowser.get(fourth).checkStatus(http.StatusOK).checkContains("sent in the break")
	if n := query[int](env, `SELECT count(*) FROM annotations`); n != 3 {
		t.Errorf("%d annotations, want 3", n)
	}
}

func TestItem_Reassigned_IsConflict(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann, ben := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator),
		env.newUser("ben@example.org", account.Annotator)
	p := env.newEmpathyProject(lead, "gone", 1, 0)
	env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email, ben.Email}, Overlap: 1,
		Assignment: project.Pool})
	annBrowser, benBrowser := env.signInAs(ann), env.signInAs(ben)
	item := annBrowser.openItem()
	annBrowser.post(item+"/draft", url.Values{"draft_version": {"5"}, "note": {"half a thought"},
		"emotion": {"2"}}).checkStatus(http.StatusNoContent)
	env.execSQL(`UPDATE slots SET claimed_at = now() - interval '3 days'`)
	env.execSQL(`UPDATE drafts SET saved_at = now() - interval '3 days'`)
	if _, err := env.db.ReleaseAbandoned(t.Context()); err != nil {
		t.Fatal(err)
	}
	annBrowser.get(item).checkStatus(http.StatusOK).checkContains("half a thought") // the slot is still free
	if to := annBrowser.openItem(); to != item {
		t.Errorf("returning redirects to %s", to)
	}
	env.execSQL(`UPDATE slots SET claimed_at = now() - interval '3 days'`)
	env.execSQL(`UPDATE drafts SET saved_at = now() - interval '3 days'`)
	if benBrowser.openItem() == "" {
		t.Fatal("the item is not reassigned")
	}
	annBrowser.get(item).checkStatus(http.StatusConflict).checkContains("this item is no longer yours")
	annBrowser.post(item, newAnswerForm(middleScores, "")).checkStatus(http.StatusConflict).checkContains(
		"this item is no longer yours", "Continue with the next item")
}

// TestRandomClient_AnyOrder_StaysInTurn posts random requests in any order,
// and checks after each that no item was opened out of turn.
func TestRandomClient_AnyOrder_StaysInTurn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test is slow and runs only without -short.")
	}
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org",
				account.Annotator)
			p := env.newEmpathyProject(lead, "tries", 20, 3)
			b := env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "one", Annotators: []string{ann.Email},
				Overlap: 1, Seed: 1 + int64(seed),
				CalibrationCount: 3, DuplicateCount: 4, BreakEvery: 4, BreakMinutes: 5})
			env.execSQL(`UPDATE projects SET daily_item_limit = 12 WHERE id = $1`, p.ID)
			c := randomClient{env.signInAs(ann), b, rand.New(rand.NewPCG(seed, 7)), []string{"/work/nonsense"}}
			for range 80 {
				c.sendRandom()
				c.checkOrder()
			}
			if n := query[int](env, `SELECT count(*) FROM assignments WHERE kind <> 'calibration'`); n == 0 {
				t.Error("no work item was opened")
			}
		})
	}
}

// A randomClient sends random requests, also for old paths.
type randomClient struct {
	browser
	batch     project.Batch
	rng       *rand.Rand
	itemPaths []string // every path of an item so far
}

func (c *randomClient) sendRandom() {
	c.Helper()
	item, batch := c.itemPaths[c.rng.IntN(len(c.itemPaths))], url.Values{"batch": {formatID(c.batch.ID)}}
	if c.rng.IntN(2) == 0 {
		item = c.itemPaths[len(c.itemPaths)-1]
	}
	var a testResponse
	switch c.rng.IntN(14) {
	case 0:
		a = c.get(item)
	case 1, 2, 3, 4:
		a = c.post(item, newAnswerForm(middleScores, ""))
	case 5:
		a = c.post(item, newAnswerForm(map[string]int{"emotion": 9}, ""))
	case 6:
		a = c.post(item+"/break", nil)
	case 7, 8:
		a = c.post("/work/break/end", nil)
	case 9:
		a = c.post("/work", batch)
	case 10:
		a = c.post("/work/calibration/start", batch)
	case 11:
		a = c.post("/work/calibration/retake", batch)
	case 12:
		a = c.post("/work/reading", url.Values{"batch": batch["batch"], "document": {"content_warning"},
			"version": {"1"}})
	case 13:
		a = c.post(item+"/skip", url.Values{"reason": {"distressing"}})
	}
	if a.status >= 500 {
		c.Errorf("%s: %d", a.path, a.status)
	}
	location := a.header.Get("Location")
	if strings.HasSuffix(location, "/reference") {
		location = c.post("/work", nil).header.Get("Location")
	}
	if strings.HasPrefix(location, "/work/") && !strings.HasPrefix(location, "/work/break") &&
		!strings.HasPrefix(location, "/work/calibration") && location != c.itemPaths[len(c.itemPaths)-1] {
		c.itemPaths = append(c.itemPaths, location)
	}
}

// orderViolationsSQL lists violations of the order of work.
const orderViolationsSQL = `
	SELECT coalesce(string_agg(violation, ', '), '') FROM (
		SELECT 'work was opened before the calibration was resolved' AS violation WHERE EXISTS (
			SELECT FROM assignments a WHERE a.kind <> 'calibration' AND NOT EXISTS (
			    SELECT FROM calibration_attempts r WHERE r.account_id = a.account_id AND r.resolved_at <= a.opened_at))
		UNION ALL SELECT 'more than one item is open' WHERE (SELECT count(*) FROM assignments WHERE state = 'open') > 1
		UNION ALL SELECT 'the daily limit was exceeded' WHERE (SELECT count(*) FROM assignments) > 12
		UNION ALL SELECT 'a sequence number is missing' WHERE (SELECT count(*)
		FROM assignments) < (SELECT max(sequence_no) FROM assignments)
		UNION ALL SELECT 'an item was submitted out of order' WHERE EXISTS (
			SELECT FROM assignments a, assignments b WHERE a.sequence_no < b.sequence_no AND a.closed_at > b.closed_at)
		UNION ALL SELECT 'an item was submitted during a break' WHERE EXISTS (
			SELECT FROM annotations n, breaks k WHERE n.submitted_at > k.started_at
			AND n.submitted_at < coalesce(k.ended_at, 'infinity'))
		UNION ALL SELECT 'an item was opened during a break' WHERE EXISTS (
			SELECT FROM assignments a, breaks k WHERE a.opened_at > k.started_at
			AND a.opened_at < coalesce(k.ended_at, 'infinity'))
		UNION ALL SELECT 'an item was submitted twice' WHERE (SELECT count(*) - count(DISTINCT assignment_id)
		FROM annotations) > 0
		UNION ALL SELECT 'a duplicate came before its original' WHERE EXISTS (
			SELECT FROM assignments d WHERE d.kind = 'duplicate' AND NOT EXISTS (
			    SELECT FROM assignments o
			    WHERE o.kind = 'work' AND o.item_id = d.item_id AND o.sequence_no < d.sequence_no
			    AND o.state = 'submitted'))) found`

// checkOrder fails if the stored data violate the order of work.
func (c *randomClient) checkOrder() {
	c.Helper()
	if violations := query[string](c.testEnv, orderViolationsSQL); violations != "" {
		c.Fatal(violations)
	}
}
