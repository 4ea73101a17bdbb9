package web

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/web/browsertest"
)

// Items of the pilot by keys only, with a planned break after three quarters of them, and one
// item in two tabs. At full size there are forty.
func TestLabel_PilotWithBreak_StoresTimes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test is slow and runs only without -short.")
	}
	items, breakEvery := 12, 9
	if require.FullSize() {
		items, breakEvery = 40, 30
	}
	pilot, others := loadPilotItems(t)
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p := env.newPilotProject(lead, pilot[:60], others)
	env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "pilot", Annotators: []string{ann.Email}, Overlap: 1, Seed: 1,
		BreakEvery: breakEvery, BreakMinutes: 5})
	b := browsertest.Open(t, env.baseURL, "/sign-in")
	form := url.Values{"email": {ann.Email}, "password": {password}}
	browsertest.Eval[bool](b, fmt.Sprintf(
		`fetch('/sign-in', { method: 'POST', body: new URLSearchParams(%q) }).then(r => r.ok)`, form.Encode()))
	b.Visit("/work")
	b.Click(".batch-card button")
	b.WaitFor(`document.querySelector('[action$=reading]') !== null`, true)
	b.Click("[action$=reading] button")
	for n := range items {
		b.WaitFor(`document.readyState === 'complete' && document.querySelector('.item-count')?.textContent.split(' ')[0]`, fmt.Sprint(n))
		if t.Failed() {
			t.FailNow()
		}
		if n == 7 {
			env.saveDraftFromOtherTab(b)
		}
		before := browsertest.Eval[string](b, `location.pathname`)
		b.Press("3", "3", "3", "3", "3", kb.Enter)
		if n == breakEvery-1 {
			env.finishBreak(b)
			continue
		}
		b.WaitFor(`location.pathname !== '`+before+`' && document.readyState`, "complete")
	}
	if n := query[int](env, `SELECT count(*) FROM annotations WHERE active_ms > 0 AND active_ms <= extract(epoch
		FROM submitted_at - opened_at) * 1000`); n != items {
		t.Errorf("%d of %d annotations have a plausible active time", n, items)
	}
	if n := query[int](env, `SELECT count(*) FROM annotations
		WHERE items_since_completed_break = (sequence_no - 1) % $1::int`, breakEvery); n != items {
		t.Errorf("%d of %d annotations have the items since the break", n, items)
	}
}

// saveDraftFromOtherTab makes another tab of the item report more active time
// than has passed.
func (env testEnv) saveDraftFromOtherTab(b browsertest.Tab) {
	env.Helper()
	isSaved := browsertest.Eval[bool](b,
		`fetch(location.pathname + '/draft', { method: 'POST', body: new URLSearchParams({
		tab: 'other', active_ms: 3600000, draft_version: Date.now(), note: 'from the other' }) }).then(r => r.status === 204)`)
	if !isSaved {
		env.Error("the other tab cannot save its draft")
	}
}

// finishBreak goes to the planned break, reloads it, lets its time pass and
// continues.
func (env testEnv) finishBreak(b browsertest.Tab) {
	env.Helper()
	b.WaitFor(`location.pathname`, "/work/break")
	b.WaitFor(`/^[45]:\d\d$/.test(document.querySelector('.clock').textContent)`, true)
	b.Visit("/work/break")
	b.WaitFor(`/^[45]:\d\d$/.test(document.querySelector('.clock').textContent)`, true)
	env.execSQL(`UPDATE breaks SET scheduled_end_at = clock_timestamp()`)
	b.Visit("/work/break")
	b.WaitFor(`document.body.innerText.includes('The break is over')`, true)
	b.Click("form button.primary")
}
