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
	"github.com/labelwright/labelwright/web/browsertest"
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
func label(t *testing.T, key string) (browsertest.Tab, *stub) {
	t.Helper()
	s := serve(t, sample(t, key), nil)
	return browsertest.Open(t, s.URL, "/work/"+key), s
}

func TestDigitsAreValuesAndArrowsMove(t *testing.T) {
	t.Parallel()
	b, _ := label(t, "ambiguity")
	b.Becomes(activeKey, "a")
	b.Press("0")
	b.Becomes(value("a"), "0")
	b.Press("2", kb.ArrowDown, "1", "9", kb.Backspace)
	b.Becomes(value("a"), "2")
	b.Becomes(value("b"), "1")
	b.Becomes(activeKey, "b")
	b.Press(kb.ArrowUp, kb.ArrowUp)
	b.Becomes(activeKey, "a")
	b.Becomes(value("a"), "2") // arrows do not change an answer, as they would by themselves
	b.Becomes(tally, "2 of 6 answered")
	b.PressWith(chromedp.ModifierAlt, "1")
	b.Becomes(value("a"), "2")
}

func TestKeysAreLettersWhileANoteIsWritten(t *testing.T) {
	t.Parallel()
	b, s := label(t, "empathy")
	b.Press("n")
	b.Becomes(focused, "note")
	b.Press("4", "g", "n", "?", "e")
	b.Becomes(`document.getElementById('note').value`, "4gn?e")
	b.Becomes(value("emotion"), "")
	b.Becomes(`document.querySelectorAll('.panel[open]').length`, 0)
	b.Press(kb.Escape)
	b.Becomes(focused, "emotion")
	b.Press("4", kb.ArrowDown, "4", kb.ArrowDown, "4", kb.ArrowDown, "4", kb.ArrowDown, "4", "n")
	b.PressWith(chromedp.ModifierCtrl, kb.Enter)
	b.Becomes(`location.pathname`, "/next")
	if submits, _ := s.sent(); len(submits) != 1 || submits[0].Get("note") != "4gn?e" {
		t.Errorf("sent %v", submits)
	}
}

func TestSingleKeysCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	b, s := label(t, "empathy")
	b.Press("?", " ")
	b.Becomes(`document.querySelector('[name=keys_off]').checked`, false) // a space scrolls the list
	b.Click("[name='keys_off']")
	b.Becomes(`document.querySelector('[name=keys_off]').checked`, true)
	b.Press(kb.Escape, "4", "n")
	b.Becomes(value("emotion"), "")
	b.Becomes(focused, "emotion")
	b.Becomes(saved, "saved")
	if _, draft := s.sent(); draft.Get("keys_off") != "1" {
		t.Error("the choice is not kept")
	}
}

func TestARuleSpeaksTheMomentItIsBroken(t *testing.T) {
	t.Parallel()
	b, _ := label(t, "rag-retrieval")
	b.Press("0", kb.ArrowDown)
	b.Becomes(problem("topically_relevant"), "")
	b.Press("1")
	rule := protocol.Problems{}
	for _, r := range builtin(t, "rag-retrieval").Rules {
		if r.ID == "sufficient_is_relevant" {
			rule = append(rule, protocol.Problem{Says: r.Says})
		}
	}
	b.Becomes(problem("topically_relevant"), rule[0].Says)
	b.Becomes(`document.getElementById('field-topically_relevant').getAttribute('aria-invalid')`, "true")
	b.Becomes(said, rule[0].Says)
	b.Press("0")
	b.Becomes(problem("topically_relevant"), "")
	b.Becomes(problem("misleading"), "") // an open question is no problem yet
}

func TestEnterGoesToWhatIsMissingAndSubmitsWhenNothingIs(t *testing.T) {
	t.Parallel()
	b, s := label(t, "rag-retrieval")
	b.Press("1", kb.Enter)
	b.Becomes(activeKey, "evidence_sufficient")
	b.Becomes(problem("evidence_sufficient"), "Please choose an answer.")
	b.Becomes(said, "Still open: Sufficient evidence, Misleading.")
	b.Press("1", kb.Enter, "0")
	b.Becomes(problem("misleading"), "")
	b.Press(kb.Enter)
	b.Becomes(`location.pathname`, "/next")
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

func TestWhatIsMissingInTheNoteIsSaidInSight(t *testing.T) {
	t.Parallel()
	b, _ := label(t, "empathy")
	b.Size(1366, 740) // room for the note, and none below it
	b.Press("5", kb.ArrowDown, "4", kb.ArrowDown, "3", kb.ArrowDown, "4", kb.ArrowDown, "4", kb.Enter)
	b.Becomes(focused, "note")
	b.Becomes(fmt.Sprintf(`%s !== "" && document.getElementById('problem-note').getBoundingClientRect().bottom <= document.querySelector('.foot').getBoundingClientRect().top`, problem("note")), true)
}

func TestEnterOnAButtonIsForTheButton(t *testing.T) {
	t.Parallel()
	b, s := label(t, "empathy")
	browsertest.Read[bool](b, `document.getElementById('set-aside').focus(), true`)
	b.Press(kb.Enter)
	b.Becomes(`document.getElementById('aside').open`, true)
	b.Press("4") // keys rest behind the dialog
	b.Becomes(value("emotion"), "")
	b.Click("[value='distressing']")
	b.Click("#aside .main")
	b.Becomes(`location.pathname`, "/next")
	s.Lock()
	defer s.Unlock()
	if len(s.others) != 1 || !strings.HasPrefix(s.others[0], "set-aside?") || !strings.Contains(s.others[0], "reason=distressing") {
		t.Errorf("sent %v", s.others)
	}
}

func TestSettingAsideForAnotherReasonTakesAWord(t *testing.T) {
	t.Parallel()
	b, s := label(t, "empathy")
	b.Click("#set-aside")
	b.Click("[value='unclear']")
	b.Click("#aside .main")
	b.Becomes(focused, "word")
	b.Press("odd")
	b.Click("#aside .main")
	b.Becomes(`location.pathname`, "/next")
	s.Lock()
	defer s.Unlock()
	if len(s.others) != 1 || !strings.Contains(s.others[0], "word=odd") {
		t.Errorf("sent %v", s.others)
	}
}

func TestABreakTakesAlongWhatWasTyped(t *testing.T) {
	t.Parallel()
	b, s := label(t, "empathy")
	b.Press("4")
	b.Click("#break")
	b.Becomes(`location.pathname`, "/next")
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
	b.Press("3", "e")
	b.Becomes(focused, "observation")
	b.Press(" ") // the first: empty or nonsensical
	for _, key := range []string{"validation", "helpfulness", "safety", "overall"} {
		b.Becomes(value(key), "1")
	}
	b.Becomes(value("emotion"), "3") // given before, and not changed behind anyone's back
	b.Becomes(problem("emotion"), "An empty or senseless response scores 1 throughout.")
	b.Becomes(`document.querySelectorAll('.by:not([hidden])').length`, 4)
	b.Becomes(`document.querySelector('#field-safety .by').textContent`, "filled in: Empty or makes no sense")
	b.Press(kb.Escape, kb.ArrowDown, "1", "e", " ")
	b.Becomes(value("safety"), "")
	b.Becomes(value("validation"), "1") // made one's own
	b.Becomes(value("emotion"), "3")
}

func TestWhatAnEdgeCaseSuggestsIsFilledInByAKey(t *testing.T) {
	t.Parallel()
	b, _ := label(t, "empathy")
	b.Press("4")
	b.Press("e")
	b.Click("[value='just_i_understand']")
	b.Click("[value='truncated']")
	b.Becomes(value("safety"), "")
	b.Becomes(`document.querySelectorAll('.hint-line button').length`, 2)
	b.Press("f")
	b.Becomes(value("emotion"), "4")
	b.Becomes(`["validation", "helpfulness", "safety", "overall"].map(key => new FormData(document.getElementById("answers")).get(key) ?? "").join("")`, "213")
	b.Becomes(`document.getElementById('note').value`, "truncated")
	b.Becomes(`document.querySelectorAll('.hint-line').length`, 0)
}

func TestADoubtIsMarkedBelowTheHighestPointOnly(t *testing.T) {
	t.Parallel()
	b, _ := label(t, "ambiguity")
	b.Press("u")
	b.Becomes(value("unsure"), "")
	b.Press("2", "u")
	b.Becomes(value("unsure"), "")
	b.Press("1", "u")
	b.Becomes(value("unsure"), "a")
	b.Press("2")
	b.Becomes(value("unsure"), "a") // kept, and said to be wrong
	b.Becomes(`document.querySelectorAll('#problem-a li').length`, 1)
	b.Press("u")
	b.Becomes(problem("a"), "")
}

func TestTheGuideOpensBesideTheItemAtTheActiveQuestion(t *testing.T) {
	t.Parallel()
	b, _ := label(t, "empathy")
	b.Press(kb.ArrowDown, "g")
	b.Becomes(`document.getElementById('guide').open`, true)
	b.Becomes(`(() => { const s = document.querySelector('#guide .sheet').getBoundingClientRect(), f = document.getElementById('answers').getBoundingClientRect(), i = document.getElementById('item').getBoundingClientRect(); return s.right <= f.left && i.right <= s.left })()`, true)
	b.Becomes(`Math.abs(document.getElementById('guide-validation').getBoundingClientRect().top - document.querySelector('#guide .sheet').getBoundingClientRect().top) < 40`, true)
	b.Press("3") // the form goes on
	b.Becomes(value("validation"), "3")
	b.Press("e")
	b.Becomes(`[...document.querySelectorAll('.panel[open]')].map(p => p.id).join()`, "edges")
	b.Press(kb.Escape)
	b.Becomes(`document.querySelectorAll('.panel[open]').length`, 0)
	b.Becomes(focused, "validation")
}

func TestALongItemScrollsByKeysBesideTheForm(t *testing.T) {
	t.Parallel()
	data := sample(t, "empathy")
	data.Content["response"] = project.Piece{Text: long()}
	s := serve(t, data, nil)
	b := browsertest.Open(t, s.URL, "/work/empathy")
	b.Press(kb.PageDown)
	b.Becomes(`document.getElementById('item').scrollTop > 300`, true)
	b.Becomes(`document.scrollingElement.scrollTop + document.querySelector('.ask-all').scrollTop`, 0)
	b.Becomes(`document.getElementById('send').getBoundingClientRect().bottom < innerHeight`, true)
}

func TestWhatIsTypedIsKeptAsItIsTyped(t *testing.T) {
	t.Parallel()
	b, s := label(t, "empathy")
	b.Press("4", "n", "slow")
	b.Becomes(saved, "saved")
	_, first := s.sent()
	if first.Get("emotion") != "4" || first.Get("note") != "slow" {
		t.Fatalf("kept %v", first)
	}
	b.Press("er")
	time.Sleep(1500 * time.Millisecond)
	_, second := s.sent()
	if second.Get("note") != "slower" || second.Get("draft_version") <= first.Get("draft_version") {
		t.Errorf("kept %v after %v", second, first)
	}
	b.Becomes(`localStorage.length + sessionStorage.length + document.cookie.length`, 0)
}

func TestThePageSaysSoWithinThreeSecondsWhenItCannotSave(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(browsertest.Tab, *stub, bool){
		"no connection": func(b browsertest.Tab, _ *stub, on bool) { b.Offline(on) },
		"server error": func(_ browsertest.Tab, s *stub, on bool) {
			s.refuseWith(map[bool]int{true: http.StatusServiceUnavailable}[on])
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, s := label(t, "empathy")
			cut(b, s, true)
			start := time.Now()
			b.Press("4")
			b.Becomes(trouble, "not saved: no connection. Keep this page open.")
			if took := time.Since(start); took > 3*time.Second {
				t.Errorf("said after %v", took)
			}
			b.Press("n", "kept")
			cut(b, s, false)
			b.Becomes(saved, "saved")
			b.Becomes(trouble, "")
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
	b.Press("0")
	b.Becomes(`document.getElementById('trouble').textContent.includes('Sign in in another tab')`, true)
	b.Press(kb.ArrowDown, "0", kb.ArrowDown, "0", kb.Enter)
	b.Becomes(`document.getElementById('trouble').textContent.startsWith('Not sent yet: you are signed out.')`, true)
	b.Becomes(value("misleading"), "0")
	s.refuseWith(0)
	b.Becomes(`location.pathname`, "/next")
	if submits, _ := s.sent(); len(submits) != 1 || submits[0].Get("misleading") != "0" {
		t.Errorf("sent %v", submits)
	}
}

func TestASubmissionWaitsForTheConnection(t *testing.T) {
	t.Parallel()
	b, s := label(t, "rag-retrieval")
	b.Offline(true)
	b.Press("0", kb.ArrowDown, "0", kb.ArrowDown, "0", kb.Enter)
	b.Becomes(`document.getElementById('trouble').textContent.startsWith('Not sent yet: no connection.')`, true)
	b.Press("1") // what was sent stays as it is
	b.Becomes(value("misleading"), "0")
	b.Offline(false)
	b.Becomes(`location.pathname`, "/next")
	if submits, _ := s.sent(); len(submits) != 1 {
		t.Errorf("%d submissions, want 1", len(submits))
	}
}

func TestAnItemThatIsClosedSaysSo(t *testing.T) {
	t.Parallel()
	b, s := label(t, "empathy")
	s.refuseWith(http.StatusConflict)
	b.Press("4")
	b.Becomes(trouble, "This item was sent or set aside in another tab. What was sent there is kept, and nothing more is needed here.")
	b.Becomes(`document.querySelector(".foot a.button").textContent`, "Go on")
}

func TestEverythingWorksWithoutAScript(t *testing.T) {
	t.Parallel()
	b, s := label(t, "rag-retrieval")
	b.Scripting(false)
	b.Visit("/work/rag-retrieval")
	visible := func(selector string) {
		t.Helper()
		b.Do(chromedp.WaitVisible(chromedp.CSS(selector)))
	}
	visible("#field-misleading .anchor")
	b.Click("#field-evidence_sufficient .point:last-child")
	b.Do(chromedp.SendKeys(chromedp.CSS("#note"), "typed"))
	b.Click("#send")
	visible("#problem-topically_relevant li")
	visible("#field-evidence_sufficient :checked + .value")
	b.Click("#field-topically_relevant .point:last-child")
	b.Click("#field-misleading .point:nth-child(1)")
	b.Click("#send")
	b.Becomes(`location.pathname`, "/next")
	submits, _ := s.sent()
	if last := submits[len(submits)-1]; last.Get("note") != "typed" || last.Get("topically_relevant") != "1" {
		t.Errorf("sent %v", last)
	}
}
