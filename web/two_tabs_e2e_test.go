package web

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/chromedp/chromedp"
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

// Two tabs of one item, both typed in: neither replaces the other unasked.
func TestTwoTabsOfOneItemBothTypedInLoseNothingUnasked(t *testing.T) {
	t.Parallel()
	w, first, _ := atWork(t, 2)
	second := first.Another(t, browsertest.Read[string](first, `location.pathname`))
	second.Becomes(`document.readyState`, "complete")
	second.Press("2")
	second.Becomes(savedNow, "saved")
	first.Press("4")
	first.Becomes(troubleNow, "not saved: another tab holds newer answers to this item.")
	first.Axe("an item with newer answers in another tab")
	w.keeps(2)
	before := w.worked()
	first.Press("5") // it goes on, and is asked still
	for n := 0; n < 30 && w.worked() <= before; n++ {
		time.Sleep(100 * time.Millisecond)
	}
	if w.worked() <= before {
		t.Error("the time of the tab that is asked is not kept")
	}

	wayOf(first, "Keep what is here")
	first.Becomes(savedNow, "saved")
	first.Becomes(troubleNow, "")
	w.keeps(5)
	second.Press("1")
	second.Becomes(troubleNow, "not saved: another tab holds newer answers to this item.")
	wayOf(second, "See those")
	second.Becomes(formNow+`.values.emotion`, 5)
	second.Becomes(troubleNow, "")
	pick(second, "emotion", 3) // it goes on from there
	w.keeps(3)
	pick(first, "emotion", 4)
	first.Becomes(troubleNow, "not saved: another tab holds newer answers to this item.")
	for _, key := range []string{"validation", "helpfulness", "safety", "overall"} {
		pick(first, key, 3)
	}
	first.Press(kb.Enter)
	first.Becomes(`document.querySelector('.count')?.textContent.split(' ')[0]`, "1")
	if got := query[int](w, `SELECT (answers->>'emotion')::int FROM annotations`); got != 4 {
		t.Errorf("%d is stored, want the 4 of the tab that was sent", got)
	}
}

// What reloads, lost answers and dead lines leave behind is a page's own, and no
// other tab's.
func TestAPageIsNeverAskedAboutItsOwnAnswers(t *testing.T) {
	t.Parallel()
	w, b, _ := atWork(t, 2)
	b.Press("2")
	reload(b) // while it is being saved
	b.Becomes(formNow+`.values.emotion`, 2)
	pick(b, "emotion", 3)
	b.Becomes(savedNow, "saved")

	// The answer to a save gets lost, and the save itself does not.
	browsertest.Read[bool](b, `(() => { const real = fetch; let lost = 0; window.fetch = (...a) => real(...a).then(r => { if (lost++ < 2) throw new TypeError('lost'); return r }); return true })()`)
	pick(b, "emotion", 4)
	pick(b, "validation", 1)
	b.Becomes(troubleNow, "not saved: no connection. Keep this page open.")
	pick(b, "emotion", 5)
	b.Becomes(savedNow, "saved")
	b.Becomes(troubleNow, "")

	b.Visit("/work/guide")
	browsertest.Read[bool](b, `history.back(), true`)
	b.Becomes(`document.getElementById('answers') !== null && `+formNow+`.values.emotion`, 5)
	pick(b, "emotion", 1)
	w.keeps(1)
	b.Becomes(troubleNow, "")
}

const (
	savedNow   = `document.getElementById('saved')?.textContent`
	troubleNow = `document.getElementById('trouble')?.textContent`
)

// signIn signs somebody in on the page for it.
func signIn(b browsertest.Tab, email string) {
	b.Helper()
	browsertest.Read[bool](b, `document.querySelector('[name=email]').focus(), true`)
	b.Press(email, kb.Tab, password, kb.Enter)
	b.Becomes(`location.pathname.startsWith('/work')`, true)
}

// keeps waits until the server keeps that answer to the first question.
func (w world) keeps(emotion int) {
	w.Helper()
	kept := func() int {
		return query[int](w, `SELECT coalesce(max((answers->'values'->>'emotion')::int), 0) FROM drafts`)
	}
	for end := time.Now().Add(5 * time.Second); kept() != emotion && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	if n := kept(); n != emotion {
		w.Errorf("%d is kept, want %d", n, emotion)
	}
}

// pick answers a question.
func pick(b browsertest.Tab, key string, value int) {
	b.Helper()
	browsertest.Read[bool](b, fmt.Sprintf(`(document.querySelector('[name=%s][value="%d"]').click(), true)`, key, value))
}

// reload loads the page anew, as a key of the browser does.
func reload(b browsertest.Tab) {
	b.Helper()
	browsertest.Read[bool](b, `window.before = true`)
	b.Do(chromedp.Reload())
	b.Becomes(`window.before === undefined && document.getElementById('answers') !== null && document.readyState`, "complete")
}

// wayOf presses what is offered beside what stands in the way.
func wayOf(b browsertest.Tab, text string) {
	b.Helper()
	b.Becomes(`(w => w ? (w.click(), true) : false)([...document.querySelectorAll('.ways > *')].find(w => w.textContent === '`+text+`'))`, true)
}

// A session that is over while somebody types: the page leads to the sign-in
// page beside it, and saves by itself once they are back.
func TestAPageSavesByItselfOnceItsPersonIsBack(t *testing.T) {
	t.Parallel()
	w, b, _ := atWork(t, 2)
	pick(b, "emotion", 2)
	b.Becomes(savedNow, "saved")
	w.exec(`DELETE FROM sessions`)
	pick(b, "emotion", 4)
	b.Becomes(troubleNow, "not saved: you are signed out. Sign in in another tab and come back; keep this page open.")
	b.Axe("an item whose person is signed out")
	b.Becomes(`(({ pathname, target, rel }) => [pathname, target, rel])(document.querySelector('.ways a'))`, []string{"/sign-in", "_blank", "noopener"})

	beside := b.Another(t, "/sign-in")
	signIn(beside, "ann@example.org")
	b.Becomes(savedNow, "saved")
	b.Becomes(troubleNow, "")
	b.Becomes(`document.querySelectorAll('.ways > *').length`, 0)
	w.keeps(4)

	// The same for what is sent.
	w.exec(`DELETE FROM sessions`)
	for _, key := range []string{"validation", "helpfulness", "safety", "overall"} {
		pick(b, key, 3)
	}
	b.Press(kb.Enter)
	b.Becomes(troubleNow, "Not sent yet: you are signed out. Sign in in another tab and come back; keep this page open.")
	b.Becomes(`document.querySelector('.ways a').getAttribute('href')`, "/sign-in")
	again := b.Another(t, "/sign-in")
	signIn(again, "ann@example.org")
	b.Becomes(`document.querySelector('.count')?.textContent.split(' ')[0]`, "1")
	if got := query[int](w, `SELECT (answers->>'emotion')::int FROM annotations`); got != 4 {
		t.Errorf("%d is stored, want 4", got)
	}
}

// Somebody else signs in beside: nothing of the page goes to them, and nothing
// of it is lost.
func TestAPageOfSomebodyElseKeepsWhatIsTyped(t *testing.T) {
	t.Parallel()
	w, b, _ := atWork(t, 2)
	w.person("eve@example.org", account.Annotator)
	beside := b.Another(t, "/sign-in")
	signIn(beside, "eve@example.org")
	pick(b, "emotion", 4)
	b.Becomes(troubleNow, "not saved: this page is not open to whoever is signed in now. Sign in as yourself in another tab and come back; keep this page open.")
	b.Becomes(formNow+`.values.emotion`, 4)
	beside.Visit("/sign-in")
	signIn(beside, "ann@example.org")
	b.Becomes(savedNow, "saved")
	b.Becomes(troubleNow, "")
}

// Ten seconds without a connection amid a note of 4,000 characters, and a hasty
// double Enter at its end: it is kept whole, and sent once.
func TestALongNoteOutlastsADeadLineAndADoubleEnter(t *testing.T) {
	t.Parallel()
	w, b, _ := atWork(t, 2)
	long := strings.Repeat("我得到了努力四年的升职，", 200) + strings.Repeat("لم أشعر إلا بالخوف ", 84)
	long += strings.Repeat("。", 4000-utf8.RuneCountInString(long))
	half := string([]rune(long)[:2000])
	for _, key := range []string{"emotion", "validation", "helpfulness", "safety", "overall"} {
		pick(b, key, 3)
	}
	b.Press("n")
	b.Insert(half)
	b.Becomes(savedNow, "saved")
	b.Offline(true)
	b.Insert(strings.TrimPrefix(long, half))
	b.Becomes(troubleNow, "not saved: no connection. Keep this page open.")
	time.Sleep(10 * time.Second)
	b.Offline(false)
	b.Becomes(troubleNow, "")
	b.Becomes(savedNow, "saved")
	if got := query[string](w, `SELECT answers->>'note' FROM drafts`); got != long {
		t.Errorf("%d characters are kept, want 4,000", utf8.RuneCountInString(got))
	}
	b.Press(kb.Escape, kb.Enter, kb.Enter)
	b.Becomes(`document.querySelector('.count')?.textContent.split(' ')[0]`, "1")
	if got := query[string](w, `SELECT string_agg(note, '|') FROM annotations`); got != long {
		t.Errorf("%d characters are stored, want 4,000 once", utf8.RuneCountInString(got))
	}
	browsertest.Read[bool](b, `history.back(), true`)
	b.Becomes(`document.querySelector('.count')?.textContent.split(' ')[0]`, "1")
}
