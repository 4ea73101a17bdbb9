package web

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/browsertest"
)

// atWork opens the first of some items in a browser. As far as the server
// knows it is open for an hour, so that nothing but the pages keeps the time.
func atWork(t *testing.T, items int) (world, browsertest.Tab, time.Time) {
	t.Helper()
	w := newWorld(t)
	lead, ann := w.person("lead@example.org", account.Lead), w.person("ann@example.org", account.Annotator)
	w.handOut(lead, w.empathy(lead, "tabs", items, 0), project.Handout{Name: "b", Annotators: []string{ann.Email}, Overlap: 1})
	path := w.as(ann).next()
	w.exec(`UPDATE assignments SET opened_at = opened_at - interval '1 hour'`)
	h := house{world: w, who: map[string]account.Account{"annotator": ann}}
	b := h.signedInAt(t, "annotator", "/healthz")
	began := time.Now()
	b.Visit(path)
	b.Becomes(`document.getElementById('answers') !== null && document.readyState`, "complete")
	return w, b, began
}

// worked is how long an item was worked on, by the pages that told of it.
func (w world) worked() int {
	return query[int](w, `SELECT coalesce(sum(value::int), 0) FROM drafts, jsonb_each_text(tabs)`)
}

func answersThree(b browsertest.Tab) {
	b.Helper()
	b.Press("3", kb.ArrowDown, "3", kb.ArrowDown, "3", kb.ArrowDown, "3", kb.ArrowDown, "3", kb.Enter)
}

// Reading without typing is work, and a reload loses none of it.
func TestTimeThatWasReadIsKeptWhenThePageIsReloaded(t *testing.T) {
	t.Parallel()
	w, b, began := atWork(t, 2)
	time.Sleep(1500 * time.Millisecond)
	b.Visit(browsertest.Read[string](b, `location.pathname`))
	b.Becomes(`document.getElementById('answers') !== null && document.readyState`, "complete")
	for n := 0; n < 50 && w.worked() < 1400; n++ {
		time.Sleep(100 * time.Millisecond)
	}
	if ms := w.worked(); ms < 1400 || ms > int(time.Since(began).Milliseconds()) {
		t.Errorf("%d ms were kept, want the 1,500 that were read", ms)
	}
	if n := query[int](w, `SELECT count(*) FROM drafts WHERE version <> 0 OR answers->'values' <> '{}'`); n != 0 {
		t.Error("the time came with answers that nobody typed")
	}
	answersThree(b)
	b.Becomes(`document.querySelector('.count')?.textContent.split(' ')[0]`, "1")
	if ms := query[int](w, `SELECT active_ms FROM annotations`); ms < 1500 || ms > int(time.Since(began).Milliseconds()) {
		t.Errorf("the label took %d ms, want what both pages counted", ms)
	}
}

// Two tabs of one item, both in sight: the time counts once, and what is sent
// in the one is said in the other, which leads on.
func TestTwoTabsOfOneItemCountOnceAndTheSecondLeadsOn(t *testing.T) {
	t.Parallel()
	w, first, began := atWork(t, 3)
	path := browsertest.Read[string](first, `location.pathname`)
	time.Sleep(time.Second)
	second := first.Another(t, path)
	second.Becomes(`document.getElementById('answers') !== null && document.readyState`, "complete")
	time.Sleep(2 * time.Second)
	second.Press("2") // kept from here
	second.Becomes(`document.getElementById('saved').textContent`, "saved")
	first.Press("4")
	time.Sleep(time.Second)
	second.Press("3")
	second.Becomes(`document.getElementById('saved').textContent`, "saved")
	answersThree(first)
	first.Becomes(`document.querySelector('.count')?.textContent.split(' ')[0]`, "1")
	passed := int(time.Since(began).Milliseconds())
	if ms := query[int](w, `SELECT active_ms FROM annotations`); ms < 4000 || ms > passed {
		t.Errorf("the label took %d ms, and %d passed", ms, passed)
	}
	second.Becomes(`document.getElementById('trouble').textContent.startsWith('This item was sent or set aside in another tab')`, true)
	second.Becomes(`document.querySelector('.ask-all').inert`, true)
	second.Axe("the second tab")
	second.Click(".foot a.button")
	second.Becomes(`document.querySelector('.count')?.textContent.split(' ')[0]`, "1")
	if here, there := browsertest.Read[string](first, `location.pathname`), browsertest.Read[string](second, `location.pathname`); here != there || here == path {
		t.Errorf("the second tab leads to %s, the first to %s", there, here)
	}
	if n := w.stored(); n != 1 {
		t.Errorf("%d labels are stored", n)
	}
}
