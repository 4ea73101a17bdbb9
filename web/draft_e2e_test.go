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

// openLabelingTab opens the first of some items in a browser. On the server
// the item has been open for an hour, so that only the page limits the active
// time.
func openLabelingTab(t *testing.T, items int) (testEnv, browsertest.Tab, time.Time) {
	t.Helper()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	env.newBatchFromSpec(lead, env.newEmpathyProject(lead, "tabs", items, 0), project.BatchSpec{Name: "b",
		Annotators: []string{ann.Email}, Overlap: 1})
	path := env.signInAs(ann).openItem()
	env.execSQL(`UPDATE assignments SET opened_at = opened_at - interval '1 hour'`)
	h := projectFixture{testEnv: env, accounts: map[string]account.Account{"annotator": ann}}
	b := h.openTabAt(t, "annotator", "/healthz")
	start := time.Now()
	b.Visit(path)
	b.WaitFor(`document.getElementById('answer-form') !== null && document.readyState`, "complete")
	return env, b, start
}

// recordedActiveTime returns the active time that the pages have reported, in
// milliseconds.
func (env testEnv) recordedActiveTime() int {
	return query[int](env, `SELECT coalesce(sum(value::int), 0) FROM drafts, jsonb_each_text(tab_times)`)
}

func submitThrees(b browsertest.Tab) {
	b.Helper()
	b.Press("3", "3", "3", "3", "3", kb.Enter)
}

// Reading without typing counts as active time, and a reload keeps it.
func TestActiveTime_Reload_IsKept(t *testing.T) {
	t.Parallel()
	w, b, start := openLabelingTab(t, 2)
	time.Sleep(1500 * time.Millisecond)
	b.Visit(browsertest.Eval[string](b, `location.pathname`))
	b.WaitFor(`document.getElementById('answer-form') !== null && document.readyState`, "complete")
	for n := 0; n < 50 && w.recordedActiveTime() < 1400; n++ {
		time.Sleep(100 * time.Millisecond)
	}
	if ms := w.recordedActiveTime(); ms < 1400 || ms > int(time.Since(start).Milliseconds()) {
		t.Errorf("%d ms were stored, want at least 1,500", ms)
	}
	if n := query[int](w, `SELECT count(*) FROM drafts WHERE version <> 0 OR answers->'values' <> '{}'`); n != 0 {
		t.Error("the time was stored with answers")
	}
	submitThrees(b)
	b.WaitFor(`document.querySelector('.item-count')?.textContent.split(' ')[0]`, "1")
	if ms := query[int](w, `SELECT active_ms FROM annotations`); ms < 1500 ||
		ms > int(time.Since(start).Milliseconds()) {
		t.Errorf("the annotation has %d ms, want the time of both pages", ms)
	}
}

// Two visible tabs of one item: the time counts once. A submit in one tab is
// shown in the other, which links to the next item.
func TestTwoTabs_SameItem_CountOnce(t *testing.T) {
	t.Parallel()
	w, first, start := openLabelingTab(t, 3)
	path := browsertest.Eval[string](first, `location.pathname`)
	time.Sleep(time.Second)
	second := first.NewTab(t, path)
	second.WaitFor(`document.getElementById('answer-form') !== null && document.readyState`, "complete")
	time.Sleep(2 * time.Second)
	second.Press("2") // saved by this tab
	second.WaitFor(`document.getElementById('save-status').textContent`, "Saved")
	first.Press("4")
	time.Sleep(time.Second)
	second.Press("3")
	second.WaitFor(`document.getElementById('save-status').textContent`, "Saved")
	submitThrees(first)
	first.WaitFor(`document.querySelector('.item-count')?.textContent.split(' ')[0]`, "1")
	passed := int(time.Since(start).Milliseconds())
	if ms := query[int](w, `SELECT active_ms FROM annotations`); ms < 4000 || ms > passed {
		t.Errorf("the annotation has %d ms, but %d ms passed", ms, passed)
	}
	second.WaitFor(`document.getElementById('status-message').textContent.startsWith('This item is no longer open for you')`, true)
	second.WaitFor(`document.querySelector('.question-list').inert`, true)
	second.CheckAccessibility("the second tab")
	second.Click(".form-footer a.button")
	second.WaitFor(`document.querySelector('.item-count')?.textContent.split(' ')[0]`, "1")
	if here, there := browsertest.Eval[string](first, `location.pathname`), browsertest.Eval[string](second,
		`location.pathname`); here != there || here == path {
		t.Errorf("the second tab redirects to %s, the first to %s", there, here)
	}
	if n := w.countAnnotations(); n != 1 {
		t.Errorf("%d labels are stored", n)
	}
}

// Two edited tabs of one item: neither replaces the answers of the other
// without asking.
func TestTwoTabs_BothEdited_AskFirst(t *testing.T) {
	t.Parallel()
	w, first, _ := openLabelingTab(t, 2)
	second := first.NewTab(t, browsertest.Eval[string](first, `location.pathname`))
	second.WaitFor(`document.readyState`, "complete")
	second.Press("2")
	second.WaitFor(savedTextJS, "Saved")
	first.Press("4")
	first.WaitFor(statusMessageJS, "Not saved: another tab has newer answers.")
	first.CheckAccessibility("an item with newer answers in another tab")
	w.waitForDraft(2)
	before := w.recordedActiveTime()
	pickAnswer(first, "emotion", 5) // typing continues; the question stays open
	for n := 0; n < 30 && w.recordedActiveTime() <= before; n++ {
		time.Sleep(100 * time.Millisecond)
	}
	if w.recordedActiveTime() <= before {
		t.Error("the time of the tab with the question is not stored")
	}

	clickOption(first, "Keep these answers")
	first.WaitFor(savedTextJS, "Saved")
	first.WaitFor(statusMessageJS, "")
	w.waitForDraft(5)
	second.Press("1")
	second.WaitFor(statusMessageJS, "Not saved: another tab has newer answers.")
	clickOption(second, "Load newer answers")
	second.WaitFor(formStateJS+`.values.emotion`, 5)
	second.WaitFor(statusMessageJS, "")
	pickAnswer(second, "emotion", 3) // based on the newer draft
	w.waitForDraft(3)
	pickAnswer(first, "emotion", 4)
	first.WaitFor(statusMessageJS, "Not saved: another tab has newer answers.")
	for _, key := range []string{"validation", "helpfulness", "safety", "overall"} {
		pickAnswer(first, key, 3)
	}
	first.Press(kb.Enter)
	first.WaitFor(`document.querySelector('.item-count')?.textContent.split(' ')[0]`, "1")
	if got := query[int](w, `SELECT (answers->>'emotion')::int FROM annotations`); got != 4 {
		t.Errorf("%d is stored, want the 4 of the submitted tab", got)
	}
}

// Reloads, lost responses and lost connections do not make a tab conflict with
// its own draft.
func TestDraft_OwnAnswers_NoConflict(t *testing.T) {
	t.Parallel()
	w, b, _ := openLabelingTab(t, 2)
	b.Press("2")
	reloadPage(b) // while it is being saved
	b.WaitFor(formStateJS+`.values.emotion`, 2)
	pickAnswer(b, "emotion", 3)
	b.WaitFor(savedTextJS, "Saved")

	// The server saves the draft, but its response is lost.
	browsertest.Eval[bool](b, `(() => { const real = fetch; let lost = 0; window.fetch = (...a) => real(...a).then(r => { if (lost++ < 2) throw new TypeError('lost'); return r }); return true })()`)
	pickAnswer(b, "emotion", 4)
	pickAnswer(b, "validation", 1)
	b.WaitFor(statusMessageJS, "Not saved: no connection. Keep this page open.")
	pickAnswer(b, "emotion", 5)
	b.WaitFor(savedTextJS, "Saved")
	b.WaitFor(statusMessageJS, "")

	b.Visit("/work/guide")
	browsertest.Eval[bool](b, `history.back(), true`)
	b.WaitFor(`document.getElementById('answer-form') !== null && `+formStateJS+`.values.emotion`, 5)
	pickAnswer(b, "emotion", 1)
	w.waitForDraft(1)
	b.WaitFor(statusMessageJS, "")
}

const (
	savedTextJS     = `document.getElementById('save-status')?.textContent`
	statusMessageJS = `document.getElementById('status-message')?.textContent`
)

// submitSignIn signs in on the sign-in page.
func submitSignIn(b browsertest.Tab, email string) {
	b.Helper()
	browsertest.Eval[bool](b, `document.querySelector('[name=email]').focus(), true`)
	b.Press(email, kb.Tab, password, kb.Enter)
	b.WaitFor(`location.pathname.startsWith('/work')`, true)
}

// waitForDraft waits until the server has saved this answer to the first
// question.
func (env testEnv) waitForDraft(emotion int) {
	env.Helper()
	storedScore := func() int {
		return query[int](env, `SELECT coalesce(max((answers->'values'->>'emotion')::int), 0) FROM drafts`)
	}
	for end := time.Now().Add(time.Minute); storedScore() != emotion && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	if n := storedScore(); n != emotion {
		env.Errorf("%d is stored, want %d", n, emotion)
	}
}

// pickAnswer selects an answer.
func pickAnswer(b browsertest.Tab, key string, value int) {
	b.Helper()
	browsertest.Eval[bool](b, fmt.Sprintf(`(document.querySelector('[name=%s][value="%d"]').click(), true)`,
		key, value))
}

// reloadPage reloads the page, as a key of the browser does.
func reloadPage(b browsertest.Tab) {
	b.Helper()
	browsertest.Eval[bool](b, `window.before = true`)
	b.Do(chromedp.Reload())
	b.WaitFor(`window.before === undefined && document.getElementById('answer-form') !== null && document.readyState`,
		"complete")
}

// clickOption clicks an action of the status message.
func clickOption(b browsertest.Tab, text string) {
	b.Helper()
	b.WaitFor(`(w => w ? (w.click(), true) : false)([...document.querySelectorAll('.status-actions > *')].find(w => w.textContent === '`+text+`'))`, true)
}

// The session expires while an annotator types: the page offers to sign in in
// another tab, and saves by itself afterwards.
func TestDraft_SignInAgain_Saves(t *testing.T) {
	t.Parallel()
	w, b, _ := openLabelingTab(t, 2)
	pickAnswer(b, "emotion", 2)
	b.WaitFor(savedTextJS, "Saved")
	w.execSQL(`DELETE FROM sessions`)
	pickAnswer(b, "emotion", 4)
	b.WaitFor(statusMessageJS, "Not saved: you are signed out. Keep this page open and sign in in another tab.")
	b.CheckAccessibility("an item whose person is signed out")
	b.WaitFor(`(({ pathname, target, rel }) => [pathname, target, rel])(document.querySelector('.status-actions a'))`,
		[]string{"/sign-in", "_blank", "noopener"})

	signInTab := b.NewTab(t, "/sign-in")
	submitSignIn(signInTab, "ann@example.org")
	b.WaitFor(savedTextJS, "Saved")
	b.WaitFor(statusMessageJS, "")
	b.WaitFor(`document.querySelectorAll('.status-actions > *').length`, 0)
	w.waitForDraft(4)

	// The same for a submit.
	w.execSQL(`DELETE FROM sessions`)
	for _, key := range []string{"validation", "helpfulness", "safety", "overall"} {
		pickAnswer(b, key, 3)
	}
	b.Press(kb.Enter)
	b.WaitFor(statusMessageJS, "Not submitted yet: you are signed out. Keep this page open and sign in in another tab.")
	b.WaitFor(`document.querySelector('.status-actions a').getAttribute('href')`, "/sign-in")
	again := b.NewTab(t, "/sign-in")
	submitSignIn(again, "ann@example.org")
	b.WaitFor(`document.querySelector('.item-count')?.textContent.split(' ')[0]`, "1")
	if got := query[int](w, `SELECT (answers->>'emotion')::int FROM annotations`); got != 4 {
		t.Errorf("%d is stored, want 4", got)
	}
}

// Another user signs in in another tab: they get none of the answers, and none
// are lost.
func TestDraft_OtherUser_IsKept(t *testing.T) {
	t.Parallel()
	w, b, _ := openLabelingTab(t, 2)
	w.newUser("eve@example.org", account.Annotator)
	signInTab := b.NewTab(t, "/sign-in")
	submitSignIn(signInTab, "eve@example.org")
	pickAnswer(b, "emotion", 4)
	b.WaitFor(statusMessageJS, "Not saved: the current account cannot open this page. Sign in with your own account in another tab.")
	b.WaitFor(formStateJS+`.values.emotion`, 4)
	signInTab.Visit("/sign-in")
	submitSignIn(signInTab, "ann@example.org")
	b.WaitFor(savedTextJS, "Saved")
	b.WaitFor(statusMessageJS, "")
}

// Ten seconds without a connection while typing a note of 4,000 characters,
// with a double Enter at the end: the note is saved completely and submitted
// once.
func TestLongNote_Offline_SentOnce(t *testing.T) {
	t.Parallel()
	w, b, _ := openLabelingTab(t, 2)
	submitted := browsertest.Eval[string](b, `location.pathname`)
	long := strings.Repeat("我得到了努力四年的升职，", 200) + strings.Repeat("لم أشعر إلا بالخوف ", 84)
	long += strings.Repeat("。", 4000-utf8.RuneCountInString(long))
	half := string([]rune(long)[:2000])
	for _, key := range []string{"emotion", "validation", "helpfulness", "safety", "overall"} {
		pickAnswer(b, key, 3)
	}
	b.Press("n")
	b.InsertText(half)
	b.WaitFor(savedTextJS, "Saved")
	b.SetOffline(true)
	b.InsertText(strings.TrimPrefix(long, half))
	b.WaitFor(statusMessageJS, "Not saved: no connection. Keep this page open.")
	time.Sleep(10 * time.Second)
	b.SetOffline(false)
	b.WaitFor(statusMessageJS, "")
	b.WaitFor(savedTextJS, "Saved")
	if got := query[string](w, `SELECT answers->>'note' FROM drafts`); got != long {
		t.Errorf("%d characters are in the draft, want 4,000", utf8.RuneCountInString(got))
	}
	b.Press(kb.Escape, kb.Enter, kb.Enter)
	b.WaitFor(`document.querySelector('.item-count')?.textContent.split(' ')[0]`, "1")
	if got := query[string](w, `SELECT string_agg(note, '|') FROM annotations`); got != long {
		t.Errorf("%d characters are stored, want 4,000 once", utf8.RuneCountInString(got))
	}
	b.Visit(submitted) // now the next item
	b.WaitFor(`location.pathname === '`+submitted+`'`, false)
	b.WaitFor(`document.querySelector('.item-count')?.textContent.split(' ')[0]`, "1")
}

// What edge cases filled in is part of the draft: after a reload, unticking them brings back
// what was there before, exactly.
func TestDraft_Reloaded_UntickRestores(t *testing.T) {
	t.Parallel()
	_, b, _ := openLabelingTab(t, 2)
	const state = `(form => ['emotion', 'validation', 'helpfulness', 'safety', 'overall', 'note'].map(key => form.get(key) ?? '').join(','))(new FormData(document.getElementById('answer-form')))`
	const saved = `document.getElementById('save-status').textContent`
	b.Press("4")
	b.Click("#note")
	b.InsertText("Own words")
	b.Press(kb.Escape, "e")
	b.Click("[value='truncated']")
	b.Press("f")
	b.Click("[value='empty_or_nonsensical']")
	b.WaitFor(state, "1,1,1,1,1,Own words; truncated")
	b.WaitFor(saved, "Saved")
	b.Visit(browsertest.Eval[string](b, `location.pathname`))
	b.WaitFor(`document.getElementById('answer-form') !== null && document.readyState`, "complete")
	b.WaitFor(state, "1,1,1,1,1,Own words; truncated")
	b.WaitFor(`document.querySelector('#field-emotion .filled-mark').textContent`,
		"Changed from 4: Empty or makes no sense")
	b.Press("e")
	b.Click("[value='empty_or_nonsensical']")
	b.WaitFor(state, "4,,,,,Own words; truncated")
	b.Click("[value='truncated']")
	b.WaitFor(state, "4,,,,,Own words")
	b.WaitFor(saved, "Saved")
	b.Visit(browsertest.Eval[string](b, `location.pathname`))
	b.WaitFor(`document.querySelectorAll('.filled-mark:not([hidden])').length`, 0)
	b.WaitFor(state, "4,,,,,Own words")
}
