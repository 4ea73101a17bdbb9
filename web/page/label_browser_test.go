package page_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

const (
	activeKey = `document.querySelector('.question[data-active]').dataset.key`
	tally     = `document.getElementById('tally').textContent`
	saved     = `document.getElementById('saved').textContent`
	trouble   = `document.getElementById('trouble').textContent`
	said      = `document.getElementById('say').textContent`
	focused   = `document.activeElement.id || document.activeElement.name || document.activeElement.tagName`
)

// value is the answer given to a question, "" where there is none.
func value(key string) string {
	return fmt.Sprintf(`new FormData(document.getElementById('answers')).get('%s') ?? ''`, key)
}

func problem(key string) string {
	return fmt.Sprintf(`document.getElementById('problem-%s').textContent`, key)
}

// label opens the labelling screen of a protocol.
func label(t *testing.T, key string) (tab, *stub) {
	t.Helper()
	s := serve(t, sample(t, key), nil)
	return open(t, s.URL, "/work/"+key), s
}

func TestDigitsAreValuesAndArrowsMove(t *testing.T) {
	t.Parallel()
	b, _ := label(t, "ambiguity")
	becomes(b, activeKey, "a")
	b.press("0")
	becomes(b, value("a"), "0")
	b.press("2", kb.ArrowDown, "1", "9", kb.Backspace)
	becomes(b, value("a"), "2")
	becomes(b, value("b"), "1")
	becomes(b, activeKey, "b")
	b.press(kb.ArrowUp, kb.ArrowUp)
	becomes(b, activeKey, "a")
	becomes(b, value("a"), "2") // arrows do not change an answer, as they would by themselves
	becomes(b, tally, "2 of 6 answered")
	b.must(chromedp.Do(b.ctx, chromedp.KeyEvent("1", chromedp.KeyModifiers(chromedp.ModifierAlt))))
	becomes(b, value("a"), "2")
}

func TestKeysAreLettersWhileANoteIsWritten(t *testing.T) {
	t.Parallel()
	b, s := label(t, "empathy")
	b.press("n")
	becomes(b, focused, "note")
	b.press("4", "g", "n", "?", "e")
	becomes(b, `document.getElementById('note').value`, "4gn?e")
	becomes(b, value("emotion"), "")
	becomes(b, `document.querySelectorAll('.panel[open]').length`, 0)
	b.press(kb.Escape)
	becomes(b, focused, "emotion")
	b.press("4", kb.ArrowDown, "4", kb.ArrowDown, "4", kb.ArrowDown, "4", kb.ArrowDown, "4", "n")
	b.must(chromedp.Do(b.ctx, chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))))
	becomes(b, `location.pathname`, "/next")
	if submits, _ := s.sent(); len(submits) != 1 || submits[0].Get("note") != "4gn?e" {
		t.Errorf("sent %v", submits)
	}
}

func TestSingleKeysCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	b, s := label(t, "empathy")
	b.press("?", kb.Enter[:0], " ")
	becomes(b, `document.querySelector('[name=keys_off]').checked`, true)
	b.press(kb.Escape, "4", "n")
	becomes(b, value("emotion"), "")
	becomes(b, focused, "emotion")
	becomes(b, saved, "saved")
	if _, draft := s.sent(); draft.Get("keys_off") != "1" {
		t.Error("the choice is not kept")
	}
}

func TestARuleSpeaksTheMomentItIsBroken(t *testing.T) {
	t.Parallel()
	b, _ := label(t, "rag-retrieval")
	b.press("0", kb.ArrowDown)
	becomes(b, problem("topically_relevant"), "")
	b.press("1")
	rule := protocol.Problems{}
	for _, r := range builtin(t, "rag-retrieval").Rules {
		if r.ID == "sufficient_is_relevant" {
			rule = append(rule, protocol.Problem{Says: r.Says})
		}
	}
	becomes(b, problem("topically_relevant"), rule[0].Says)
	becomes(b, `document.getElementById('field-topically_relevant').getAttribute('aria-invalid')`, "true")
	becomes(b, said, rule[0].Says)
	b.press("0")
	becomes(b, problem("topically_relevant"), "")
	becomes(b, problem("misleading"), "") // an open question is no problem yet
}

func TestEnterGoesToWhatIsMissingAndSubmitsWhenNothingIs(t *testing.T) {
	t.Parallel()
	b, s := label(t, "rag-retrieval")
	b.press("1", kb.Enter)
	becomes(b, activeKey, "evidence_sufficient")
	becomes(b, problem("evidence_sufficient"), "Please choose an answer.")
	becomes(b, said, "Still open: Sufficient evidence, Misleading.")
	b.press("1", kb.Enter, "0")
	becomes(b, problem("misleading"), "")
	b.press(kb.Enter)
	becomes(b, `location.pathname`, "/next")
	submits, _ := s.sent()
	if len(submits) != 1 {
		t.Fatalf("%d submissions, want 1", len(submits))
	}
	sent := submits[0]
	if got := sent.Get("topically_relevant") + sent.Get("evidence_sufficient") + sent.Get("misleading"); got != "110" {
		t.Errorf("sent %v", sent)
	}
	if active := sent.Get("active_ms"); active == "" || active == "0" {
		t.Errorf("active_ms is %q", active)
	}
}

func TestEnterOnAButtonIsForTheButton(t *testing.T) {
	t.Parallel()
	b, s := label(t, "empathy")
	read[bool](b, `document.getElementById('set-aside').focus(), true`)
	b.press(kb.Enter)
	becomes(b, `document.getElementById('aside').open`, true)
	b.press("4") // keys rest behind the dialog
	becomes(b, value("emotion"), "")
	b.click("[value=distressing]")
	b.click("#aside .main")
	becomes(b, `location.pathname`, "/next")
	s.Lock()
	defer s.Unlock()
	if len(s.others) != 1 || !strings.HasPrefix(s.others[0], "set-aside?") || !strings.Contains(s.others[0], "reason=distressing") {
		t.Errorf("sent %v", s.others)
	}
}

func TestSettingAsideForAnotherReasonTakesAWord(t *testing.T) {
	t.Parallel()
	b, s := label(t, "empathy")
	b.click("#set-aside")
	b.click("[value=unclear]")
	b.click("#aside .main")
	becomes(b, focused, "word")
	b.press("odd")
	b.click("#aside .main")
	becomes(b, `location.pathname`, "/next")
	s.Lock()
	defer s.Unlock()
	if len(s.others) != 1 || !strings.Contains(s.others[0], "word=odd") {
		t.Errorf("sent %v", s.others)
	}
}

func TestABreakTakesAlongWhatWasTyped(t *testing.T) {
	t.Parallel()
	b, s := label(t, "empathy")
	b.press("4")
	b.click("#break")
	becomes(b, `location.pathname`, "/next")
	s.Lock()
	defer s.Unlock()
	if len(s.others) != 1 || !strings.HasPrefix(s.others[0], "break?") || !strings.Contains(s.others[0], "emotion=4") {
		t.Errorf("sent %v", s.others)
	}
	if len(s.drafts) == 0 || s.drafts[len(s.drafts)-1].Get("emotion") != "4" {
		t.Error("what was typed is not kept before the break")
	}
}

func TestAnEdgeCaseFillsInWhatItForcesAndNothingElse(t *testing.T) {
	t.Parallel()
	b, _ := label(t, "empathy")
	b.press("3", "e")
	becomes(b, focused, "observation")
	b.press(" ") // the first: empty or nonsensical
	for _, key := range []string{"validation", "helpfulness", "safety", "overall"} {
		becomes(b, value(key), "1")
	}
	becomes(b, value("emotion"), "3") // given before, and not changed behind anyone's back
	becomes(b, problem("emotion"), "An empty or senseless response scores 1 throughout.")
	becomes(b, `document.querySelectorAll('.by:not([hidden])').length`, 4)
	becomes(b, `document.querySelector('#field-safety .by').textContent`, "filled in: Empty or makes no sense")
	b.press(kb.Escape, kb.ArrowDown, "1", "e", " ")
	becomes(b, value("safety"), "")
	becomes(b, value("validation"), "1") // made one's own
	becomes(b, value("emotion"), "3")
}

func TestWhatAnEdgeCaseSuggestsIsFilledInByAKey(t *testing.T) {
	t.Parallel()
	b, _ := label(t, "empathy")
	b.press("4")
	b.press("e")
	b.click("[value=just_i_understand]")
	b.click("[value=truncated]")
	becomes(b, value("safety"), "")
	becomes(b, `document.querySelectorAll('.hint-line button').length`, 2)
	b.press("f")
	becomes(b, value("emotion"), "4")
	becomes(b, `["validation", "helpfulness", "safety", "overall"].map(key => new FormData(document.getElementById("answers")).get(key) ?? "").join("")`, "213")
	becomes(b, `document.getElementById('note').value`, "truncated")
	becomes(b, `document.querySelectorAll('.hint-line').length`, 0)
}

func TestADoubtIsMarkedBelowTheHighestPointOnly(t *testing.T) {
	t.Parallel()
	b, _ := label(t, "ambiguity")
	b.press("u")
	becomes(b, value("unsure"), "")
	b.press("2", "u")
	becomes(b, value("unsure"), "")
	b.press("1", "u")
	becomes(b, value("unsure"), "a")
	b.press("2")
	becomes(b, value("unsure"), "a") // kept, and said to be wrong
	becomes(b, `document.querySelectorAll('#problem-a li').length`, 1)
	b.press("u")
	becomes(b, problem("a"), "")
}

func TestTheGuideOpensBesideTheItemAtTheActiveQuestion(t *testing.T) {
	t.Parallel()
	b, _ := label(t, "empathy")
	b.press(kb.ArrowDown, "g")
	becomes(b, `document.getElementById('guide').open`, true)
	becomes(b, `(() => { const s = document.querySelector('#guide .sheet').getBoundingClientRect(), f = document.getElementById('answers').getBoundingClientRect(), i = document.getElementById('item').getBoundingClientRect(); return s.right <= f.left && i.right <= s.left })()`, true)
	becomes(b, `Math.abs(document.getElementById('guide-validation').getBoundingClientRect().top - document.querySelector('#guide .sheet').getBoundingClientRect().top) < 40`, true)
	b.press("3") // the form goes on
	becomes(b, value("validation"), "3")
	b.press("e")
	becomes(b, `[...document.querySelectorAll('.panel[open]')].map(p => p.id).join()`, "edges")
	b.press(kb.Escape)
	becomes(b, `document.querySelectorAll('.panel[open]').length`, 0)
	becomes(b, focused, "validation")
}

func TestALongItemScrollsByKeysBesideTheForm(t *testing.T) {
	t.Parallel()
	data := sample(t, "empathy")
	data.Content["response"] = project.Piece{Text: long()}
	s := serve(t, data, nil)
	b := open(t, s.URL, "/work/empathy")
	b.press(kb.PageDown)
	becomes(b, `document.getElementById('item').scrollTop > 300`, true)
	becomes(b, `document.scrollingElement.scrollTop + document.querySelector('.ask-all').scrollTop`, 0)
	becomes(b, `document.getElementById('send').getBoundingClientRect().bottom < innerHeight`, true)
}

func TestWhatIsTypedIsKeptAsItIsTyped(t *testing.T) {
	t.Parallel()
	b, s := label(t, "empathy")
	b.press("4", "n", "slow")
	becomes(b, saved, "saved")
	_, first := s.sent()
	if first.Get("emotion") != "4" || first.Get("note") != "slow" {
		t.Fatalf("kept %v", first)
	}
	b.press("er")
	time.Sleep(1500 * time.Millisecond)
	_, second := s.sent()
	if second.Get("note") != "slower" || second.Get("draft_version") <= first.Get("draft_version") {
		t.Errorf("kept %v after %v", second, first)
	}
	becomes(b, `localStorage.length + sessionStorage.length + document.cookie.length`, 0)
}

func TestThePageSaysSoWithinThreeSecondsWhenItCannotSave(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(tab, *stub, bool){
		"no connection": func(b tab, _ *stub, on bool) { b.offline(on) },
		"server error": func(_ tab, s *stub, on bool) {
			s.refuseWith(map[bool]int{true: http.StatusServiceUnavailable}[on])
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, s := label(t, "empathy")
			cut(b, s, true)
			start := time.Now()
			b.press("4")
			becomes(b, trouble, "not saved: no connection. Keep this page open.")
			if took := time.Since(start); took > 3*time.Second {
				t.Errorf("said after %v", took)
			}
			b.press("n", "kept")
			cut(b, s, false)
			becomes(b, saved, "saved")
			becomes(b, trouble, "")
			if _, draft := s.sent(); draft.Get("emotion") != "4" || draft.Get("note") != "kept" {
				t.Errorf("kept %v", draft)
			}
		})
	}
}

func TestWhoeverIsSignedOutLosesNothing(t *testing.T) {
	t.Parallel()
	b, s := label(t, "rag-retrieval")
	s.refuseWith(http.StatusUnauthorized)
	b.press("0")
	becomes(b, `document.getElementById('trouble').textContent.includes('Sign in in another tab')`, true)
	b.press(kb.ArrowDown, "0", kb.ArrowDown, "0", kb.Enter)
	becomes(b, `document.getElementById('trouble').textContent.startsWith('Not sent yet: you are signed out.')`, true)
	becomes(b, value("misleading"), "0")
	s.refuseWith(0)
	becomes(b, `location.pathname`, "/next")
	if submits, _ := s.sent(); len(submits) != 1 || submits[0].Get("misleading") != "0" {
		t.Errorf("sent %v", submits)
	}
}

func TestASubmissionWaitsForTheConnection(t *testing.T) {
	t.Parallel()
	b, s := label(t, "rag-retrieval")
	b.offline(true)
	b.press("0", kb.ArrowDown, "0", kb.ArrowDown, "0", kb.Enter)
	becomes(b, `document.getElementById('trouble').textContent.startsWith('Not sent yet: no connection.')`, true)
	b.press("1") // what was sent stays as it is
	becomes(b, value("misleading"), "0")
	b.offline(false)
	becomes(b, `location.pathname`, "/next")
	if submits, _ := s.sent(); len(submits) != 1 {
		t.Errorf("%d submissions, want 1", len(submits))
	}
}

func TestAnItemThatIsClosedSaysSo(t *testing.T) {
	t.Parallel()
	b, s := label(t, "empathy")
	s.refuseWith(http.StatusConflict)
	b.press("4")
	becomes(b, trouble, "This item is no longer open to you. Go on to the next one.")
}

func TestEverythingWorksWithoutAScript(t *testing.T) {
	t.Parallel()
	b, s := label(t, "rag-retrieval")
	b.scripting(false)
	b.visit("/work/rag-retrieval")
	visible := func(selector string) {
		t.Helper()
		b.must(chromedp.Do(b.ctx, chromedp.WaitVisible(chromedp.CSS(selector))))
	}
	visible("#field-misleading .anchor")
	b.click("#field-evidence_sufficient .point:last-child")
	b.must(chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS("#note"), "typed")))
	b.click("#send")
	visible("#problem-topically_relevant li")
	visible("#field-evidence_sufficient :checked + .value")
	b.click("#field-topically_relevant .point:last-child")
	b.click("#field-misleading .point:nth-child(1)")
	b.click("#send")
	becomes(b, `location.pathname`, "/next")
	submits, _ := s.sent()
	if last := submits[len(submits)-1]; last.Get("note") != "typed" || last.Get("topically_relevant") != "1" {
		t.Errorf("sent %v", last)
	}
}
