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

func TestReloadBackAndOldAddressesGetWhatThePageWouldHaveSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, ann, _, _ := w.one("old", project.Handout{BreakEvery: 3, BreakMinutes: 5})
	me := w.as(ann)
	first := me.next()
	me.get(first).is(http.StatusOK) // reload
	second := me.post(first, formOf(middling, "")).leads("")
	me.get(first).leads("/work")                                            // back
	if to := me.post(first, formOf(middling, "")).leads(""); to != second { // sent twice, in another tab
		t.Errorf("a second submit leads to %s, want %s", to, second)
	}
	me.get("/work/nonsense").is(http.StatusNotFound)
	if to := me.post("/work", url.Values{"batch": {""}}).leads(""); to != second { // skipping ahead
		t.Errorf("beginning again leads to %s", to)
	}
	third := me.post(second, formOf(middling, "")).leads("")
	me.post(third, formOf(middling, "")).leads("/work")
	me.get("/work").leads("/work/break")
	if to := me.post("/work", nil).leads(""); to != "/work" { // in a break nothing is given
		t.Errorf("beginning in a break leads to %s", to)
	}
	fourth := me.post("/work/break/end", nil).leads("") // early
	if n := query[int](w, `SELECT count(*) FROM breaks WHERE NOT taken`); n != 1 {
		t.Error("leaving the break early is not recorded")
	}
	if to := me.post("/work/break/end", nil).leads(""); to != fourth {
		t.Errorf("ending a break that is over leads to %s", to)
	}
	me.post(fourth+"/break", formOf(middling, "typed before")).leads("/work/break")
	me.get(fourth).leads("/work/break")
	me.post(fourth, formOf(middling, "sent in the break")).leads("/work/break")
	me.post(fourth+"/set-aside", url.Values{"reason": {"distressing"}}).leads("/work/break")
	me.post("/work/break/end", nil).leads(fourth)
	me.get(fourth).is(http.StatusOK).says("sent in the break")
	if n := query[int](w, `SELECT count(*) FROM annotations`); n != 3 {
		t.Errorf("%d annotations, want 3", n)
	}
}

func TestAnItemThatWentToSomebodyElseIsSaidSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead, ann, ben := w.person("lead@example.org", account.Lead), w.person("ann@example.org", account.Annotator), w.person("ben@example.org", account.Annotator)
	p := w.empathy(lead, "gone", 1, 0)
	w.handOut(lead, p, project.Handout{Name: "one", Annotators: []string{ann.Email, ben.Email}, Overlap: 1})
	me, other := w.as(ann), w.as(ben)
	item := me.next()
	me.post(item+"/draft", url.Values{"draft_version": {"5"}, "note": {"half a thought"}, "emotion": {"2"}}).is(http.StatusNoContent)
	w.exec(`UPDATE slots SET claimed_at = now() - interval '3 days'`)
	w.exec(`UPDATE drafts SET saved_at = now() - interval '3 days'`)
	if _, err := w.db.ReturnAbandoned(t.Context()); err != nil {
		t.Fatal(err)
	}
	me.get(item).is(http.StatusOK).says("half a thought") // it is free still
	if to := me.next(); to != item {
		t.Errorf("coming back leads to %s", to)
	}
	w.exec(`UPDATE slots SET claimed_at = now() - interval '3 days'`)
	w.exec(`UPDATE drafts SET saved_at = now() - interval '3 days'`)
	if other.next() == "" {
		t.Fatal("the item does not go to somebody else")
	}
	me.get(item).is(http.StatusConflict).says("You were away for long")
	me.post(item, formOf(middling, "")).is(http.StatusConflict).says("You were away for long", "Go on with the next one")
}

// TestAClientThatTriesAnythingGetsNowhere sends whatever comes to mind, in any
// order, and asks after each whether anything was reached that was not its turn.
func TestAClientThatTriesAnythingGetsNowhere(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This takes a while, and runs with the whole suite.")
	}
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			lead, ann := w.person("lead@example.org", account.Lead), w.person("ann@example.org", account.Annotator)
			p := w.empathy(lead, "tries", 20, 3)
			b := w.handOut(lead, p, project.Handout{Name: "one", Annotators: []string{ann.Email}, Overlap: 1, Seed: 1 + int64(seed),
				Calibration: 3, Duplicates: 4, BreakEvery: 4, BreakMinutes: 5})
			w.exec(`UPDATE projects SET day_items = 12 WHERE id = $1`, p.ID)
			c := client{w.as(ann), b, rand.New(rand.NewPCG(seed, 7)), []string{"/work/nonsense"}}
			for range 80 {
				c.try()
				c.check()
			}
			if n := query[int](w, `SELECT count(*) FROM assignments WHERE kind <> 'calibration'`); n == 0 {
				t.Error("no work was reached at all, so nothing was tried")
			}
		})
	}
}

// A client sends requests at random, also to addresses that are long past.
type client struct {
	browser
	batch  project.Batch
	chance *rand.Rand
	items  []string // addresses it ever saw
}

func (c *client) try() {
	c.Helper()
	item, batch := c.items[c.chance.IntN(len(c.items))], url.Values{"batch": {id64(c.batch.ID)}}
	if c.chance.IntN(2) == 0 {
		item = c.items[len(c.items)-1]
	}
	var a answer
	switch c.chance.IntN(14) {
	case 0:
		a = c.get(item)
	case 1, 2, 3, 4:
		a = c.post(item, formOf(middling, ""))
	case 5:
		a = c.post(item, formOf(map[string]int{"emotion": 9}, ""))
	case 6:
		a = c.post(item+"/break", nil)
	case 7, 8:
		a = c.post("/work/break/end", nil)
	case 9:
		a = c.post("/work", batch)
	case 10:
		a = c.post("/work/calibration/on", batch)
	case 11:
		a = c.post("/work/calibration/again", batch)
	case 12:
		a = c.post(item+"/warning", nil)
	case 13:
		a = c.post(item+"/set-aside", url.Values{"reason": {"distressing"}})
	}
	if a.status >= 500 {
		c.Errorf("%s: %d", a.path, a.status)
	}
	to := a.header.Get("Location")
	if strings.HasPrefix(to, "/work/") && !strings.HasPrefix(to, "/work/break") && !strings.HasPrefix(to, "/work/calibration") && to != c.items[len(c.items)-1] {
		c.items = append(c.items, to)
	}
}

// outOfTurn names what was reached that was not its turn.
const outOfTurn = `
	SELECT coalesce(string_agg(says, ', '), '') FROM (
		SELECT 'work was opened before the calibration was settled' AS says WHERE EXISTS (
			SELECT FROM assignments a WHERE a.kind <> 'calibration' AND NOT EXISTS (
			    SELECT FROM calibration_runs r WHERE r.account_id = a.account_id AND r.settled_at <= a.opened_at))
		UNION ALL SELECT 'more than one item is open' WHERE (SELECT count(*) FROM assignments WHERE state = 'open') > 1
		UNION ALL SELECT 'the limit of the day was passed' WHERE (SELECT count(*) FROM assignments) > 12
		UNION ALL SELECT 'a place was left out' WHERE (SELECT count(*) FROM assignments) < (SELECT max(position) FROM assignments)
		UNION ALL SELECT 'an item was answered out of order' WHERE EXISTS (
			SELECT FROM assignments a, assignments b WHERE a.position < b.position AND a.closed_at > b.closed_at)
		UNION ALL SELECT 'something was answered in a break' WHERE EXISTS (
			SELECT FROM annotations n, breaks k WHERE n.submitted_at > k.started_at AND n.submitted_at < coalesce(k.left_at, 'infinity'))
		UNION ALL SELECT 'something was opened in a break' WHERE EXISTS (
			SELECT FROM assignments a, breaks k WHERE a.opened_at > k.started_at AND a.opened_at < coalesce(k.left_at, 'infinity'))
		UNION ALL SELECT 'an answer was given twice' WHERE (SELECT count(*) - count(DISTINCT assignment_id) FROM annotations) > 0
		UNION ALL SELECT 'a duplicate came before its original' WHERE EXISTS (
			SELECT FROM assignments d WHERE d.kind = 'duplicate' AND NOT EXISTS (
			    SELECT FROM assignments o
			    WHERE o.kind = 'work' AND o.item_id = d.item_id AND o.position < d.position AND o.state = 'submitted'))) found`

// check asks the database whether everything came in its turn.
func (c *client) check() {
	c.Helper()
	if found := query[string](c.world, outOfTurn); found != "" {
		c.Fatal(found)
	}
}
