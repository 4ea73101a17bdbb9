package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/browsertest"
	"github.com/labelwright/labelwright/web/page"
)

const (
	activeKeyJS    = `document.querySelector('.question[data-active]').dataset.key`
	tallyJS        = `document.getElementById('answered-count').textContent`
	savedJS        = `document.getElementById('save-status').textContent`
	troubleJS      = `document.getElementById('status-message').textContent`
	keyFeedbackJS  = `document.querySelector('.key-feedback')?.textContent ?? ''`
	announcementJS = `document.getElementById('announcer').textContent`
	focusedJS      = `document.activeElement.id || document.activeElement.name || document.activeElement.tagName`
)

// answerJS is the answer given to a question, "" where there is none.
func answerJS(key string) string {
	return fmt.Sprintf(`new FormData(document.getElementById('answer-form')).get('%s') ?? ''`, key)
}

func problemJS(key string) string {
	return fmt.Sprintf(`document.getElementById('problem-%s').textContent`, key)
}

// openLabelPage opens the labelling screen of a protocol.
func openLabelPage(t *testing.T, key string) (browsertest.Tab, *stub) {
	t.Helper()
	s := startStub(t, newLabelData(t, key), nil)
	return browsertest.Open(t, s.URL, "/work/"+key), s
}

func TestKeys_Digits_SetAnswers(t *testing.T) {
	t.Parallel()
	b, _ := openLabelPage(t, "ambiguity")
	b.WaitFor(activeKeyJS, "a")
	b.Press("0")
	b.WaitFor(answerJS("a"), "0")
	b.Press("2", kb.ArrowDown, "1", "9")
	b.WaitFor(answerJS("a"), "2")
	b.WaitFor(answerJS("b"), "1")
	b.WaitFor(activeKeyJS, "b")
	b.WaitFor(keyFeedbackJS, "9 is not on this scale. Press 0–2.")
	b.WaitFor(announcementJS, "9 is not on this scale. Press 0–2.")
	b.Press(kb.Backspace)
	b.WaitFor(answerJS("b"), "")
	b.WaitFor(keyFeedbackJS, "")
	b.Press("1")
	b.Press(kb.ArrowUp, kb.ArrowUp)
	b.WaitFor(activeKeyJS, "a")
	b.WaitFor(answerJS("a"), "2") // arrows do not change an answer, as they would by themselves
	b.WaitFor(tallyJS, "2 of 6 answered")
	b.PressWith(chromedp.ModifierAlt, "1")
	b.WaitFor(answerJS("a"), "2")
}

// openWithSettings opens the labeling screen as a user with settings sees it.
func openWithSettings(t *testing.T, key string, change func(*account.Settings)) browsertest.Tab {
	t.Helper()
	settings, data := account.DefaultSettings(), newLabelData(t, key)
	change(&settings)
	s := startStub(t, data, map[string]templ.Component{"/work/own": withSettings(page.Label(data), settings)})
	return browsertest.Open(t, s.URL, "/work/own")
}

// An answer moves on to the next unanswered question. What is about an answer is about the
// one just given.
func TestKeys_AutoAdvance_MovesOn(t *testing.T) {
	t.Parallel()
	b := openWithSettings(t, "ambiguity", func(*account.Settings) {})
	b.WaitFor(activeKeyJS, "a")
	b.Press(kb.ArrowDown, "1")
	b.WaitFor(activeKeyJS, "c")
	b.Press(kb.ArrowUp, kb.ArrowUp, "0")
	b.WaitFor(activeKeyJS, "c") // b has an answer
	b.Press("u")
	b.WaitFor(answerJS("unsure"), "a")
	b.Press("1", kb.Backspace)
	b.WaitFor(answerJS("c"), "")
	b.WaitFor(activeKeyJS, "c")
	b.Press("7")
	b.WaitFor(keyFeedbackJS, "7 is not on this scale. Press 0–2.")
	b.WaitFor(activeKeyJS, "c")
	b.Press("1", "1", "1")
	b.WaitFor(activeKeyJS, "f")
	b.Press("1")
	b.WaitFor(tallyJS, "6 of 6 answered")
	b.WaitFor(activeKeyJS, "f") // nothing is left
	b.WaitFor(answerJS("f"), "1")
}

// Each command has the key that its user chose, which the screen shows.
func TestKeys_Changed_RunCommands(t *testing.T) {
	t.Parallel()
	b := openWithSettings(t, "empathy", func(s *account.Settings) {
		s.Keys = account.Keys{account.CommandNote: "w", account.CommandGuide: "n", account.CommandShortcuts: ";",
			account.CommandSkip: "x"}
	})
	b.Press("n")
	b.WaitFor(`document.getElementById('guide').open`, true)
	b.Press(";")
	b.WaitFor(`document.getElementById('keys').open`, true)
	b.WaitFor(`[...document.querySelectorAll('#keys dt')].map(dt => dt.textContent).includes('x')`, true)
	b.WaitFor(`document.querySelector('.note-field kbd').textContent`, "w")
	b.Press(kb.Escape, "s")
	b.WaitFor(`document.getElementById('skip-dialog').open`, false)
	b.Press("w")
	b.WaitFor(focusedJS, "note")
	b.Press(kb.Escape, "x")
	b.WaitFor(`document.getElementById('skip-dialog').open`, true)
}

// A skip by keys alone: the dialog starts at its choices, a digit chooses one and goes to the
// comment that it needs.
func TestSkip_ByKeys_Sends(t *testing.T) {
	t.Parallel()
	b, s := openLabelPage(t, "empathy")
	b.Press("s")
	b.WaitFor(`document.activeElement.value`, "unclear")
	b.WaitFor(`document.querySelector('#skip-dialog :checked')`, nil)
	b.Press(kb.ArrowDown, kb.ArrowDown)
	b.WaitFor(`document.querySelector('#skip-dialog :checked').value`, "outside_expertise")
	b.Press("2", "odd", kb.Enter, "words")
	b.WaitFor(`document.querySelector('#skip-dialog :checked').value`, "invalid_or_unrealistic")
	b.PressWith(chromedp.ModifierCtrl, kb.Enter)
	b.WaitFor(`location.pathname`, "/next")
	b.Visit("/work/empathy")
	b.Press("s", "4", kb.Enter)
	b.WaitFor(`location.pathname`, "/next")
	b.Visit("/work/empathy")
	b.Press("b")
	b.WaitFor(`location.pathname`, "/next")
	s.Lock()
	defer s.Unlock()
	if len(s.otherPosts) != 3 || !strings.Contains(s.otherPosts[0], "comment=odd%0Awords") ||
		!strings.Contains(s.otherPosts[1], "reason=distressing") || !strings.HasPrefix(s.otherPosts[2], "break?") {
		t.Errorf("sent %v", s.otherPosts)
	}
}

func TestKeys_InNote_TypeLetters(t *testing.T) {
	t.Parallel()
	b, s := openLabelPage(t, "empathy")
	b.Press("n")
	b.WaitFor(focusedJS, "note")
	b.Press("4", "g", "n", "?", "e")
	b.WaitFor(`document.getElementById('note').value`, "4gn?e")
	b.WaitFor(answerJS("emotion"), "")
	b.WaitFor(`document.querySelectorAll('.panel[open]').length`, 0)
	b.Press(kb.Escape)
	b.WaitFor(focusedJS, "emotion")
	b.Press("4", kb.ArrowDown, "4", kb.ArrowDown, "4", kb.ArrowDown, "4", kb.ArrowDown, "4", "n")
	b.PressWith(chromedp.ModifierCtrl, kb.Enter)
	b.WaitFor(`location.pathname`, "/next")
	if submits, _ := s.posted(); len(submits) != 1 || submits[0].Get("note") != "4gn?e" {
		t.Errorf("sent %v", submits)
	}
}

// scrolledJS waits until the list of shortcuts stops scrolling.
const scrolledJS = `new Promise(done => {
	const list = document.querySelector('#keys .panel-body')
	let last = -1
	const look = () => list.scrollTop === last ? done(true) : (last = list.scrollTop, setTimeout(look, 150))
	look()
})`

func TestKeys_Disabled_DoNothing(t *testing.T) {
	t.Parallel()
	b, s := openLabelPage(t, "empathy")
	b.Press("?", " ")
	b.WaitFor(`document.querySelector('[name=shortcuts_off]').checked`, false) // a space scrolls the list
	browsertest.Eval[bool](b, scrolledJS)
	b.Click("[name='shortcuts_off']")
	b.WaitFor(`document.querySelector('[name=shortcuts_off]').checked`, true)
	b.Press(kb.Escape, "4", "n")
	b.WaitFor(answerJS("emotion"), "")
	b.WaitFor(focusedJS, "emotion")
	b.WaitFor(savedJS, "Saved")
	if _, draft := s.posted(); draft.Get("shortcuts_off") != "1" {
		t.Error("the choice is not kept")
	}
}

func TestRule_Broken_ShownAtOnce(t *testing.T) {
	t.Parallel()
	b, _ := openLabelPage(t, "rag-retrieval")
	b.Press("0", kb.ArrowDown)
	b.WaitFor(problemJS("topically_relevant"), "")
	b.Press("1")
	rule := protocol.Problems{}
	for _, r := range builtinProtocol(t, "rag-retrieval").Rules {
		if r.ID == "sufficient_is_relevant" {
			rule = append(rule, protocol.Problem{Message: r.Message})
		}
	}
	b.WaitFor(problemJS("topically_relevant"), rule[0].Message)
	b.WaitFor(`document.getElementById('field-topically_relevant').getAttribute('aria-invalid')`, "true")
	b.WaitFor(announcementJS, rule[0].Message)
	b.Press("0")
	b.WaitFor(problemJS("topically_relevant"), "")
	b.WaitFor(problemJS("misleading"), "") // an open question is no problem yet
}

func TestEnter_Incomplete_MovesToMissing(t *testing.T) {
	t.Parallel()
	b, s := openLabelPage(t, "rag-retrieval")
	b.Press("1", kb.Enter)
	b.WaitFor(activeKeyJS, "evidence_sufficient")
	b.WaitFor(problemJS("evidence_sufficient"), "Choose an answer.")
	b.WaitFor(announcementJS, "Unanswered: Sufficient evidence, Misleading.")
	b.Press("1", kb.Enter, "0")
	b.WaitFor(problemJS("misleading"), "")
	b.Press(kb.Enter)
	b.WaitFor(`location.pathname`, "/next")
	submits, _ := s.posted()
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

func TestEnter_NoteMissing_ErrorVisible(t *testing.T) {
	t.Parallel()
	b, _ := openLabelPage(t, "empathy")
	b.SetViewport(1366, 740) // room for the note, and none below it
	b.Press("5", kb.ArrowDown, "4", kb.ArrowDown, "3", kb.ArrowDown, "4", kb.ArrowDown, "4", kb.Enter)
	b.WaitFor(focusedJS, "note")
	b.WaitFor(fmt.Sprintf(`%s !== "" && document.getElementById('problem-note').getBoundingClientRect().bottom <= document.querySelector('.form-footer').getBoundingClientRect().top`, problemJS("note")), true)
}

func TestEnter_OnButton_PressesButton(t *testing.T) {
	t.Parallel()
	b, s := openLabelPage(t, "empathy")
	browsertest.Eval[bool](b, `document.getElementById('skip').focus(), true`)
	b.Press(kb.Enter)
	b.WaitFor(`document.getElementById('skip-dialog').open`, true)
	b.Press("4") // keys rest behind the dialog
	b.WaitFor(answerJS("emotion"), "")
	b.Click("[value='distressing']")
	b.Click("#skip-dialog .primary")
	b.WaitFor(`location.pathname`, "/next")
	s.Lock()
	defer s.Unlock()
	if len(s.otherPosts) != 1 || !strings.HasPrefix(s.otherPosts[0], "skip?") || !strings.Contains(s.otherPosts[0],
		"reason=distressing") {
		t.Errorf("sent %v", s.otherPosts)
	}
}

func TestSkip_OtherReason_NeedsComment(t *testing.T) {
	t.Parallel()
	b, s := openLabelPage(t, "empathy")
	b.Click("#skip")
	b.Click("[value='unclear']")
	b.Click("#skip-dialog .primary")
	b.WaitFor(focusedJS, "comment")
	b.Press("odd")
	b.Click("#skip-dialog .primary")
	b.WaitFor(`location.pathname`, "/next")
	s.Lock()
	defer s.Unlock()
	if len(s.otherPosts) != 1 || !strings.Contains(s.otherPosts[0], "comment=odd") {
		t.Errorf("sent %v", s.otherPosts)
	}
}

func TestBreak_WithAnswers_SavesDraft(t *testing.T) {
	t.Parallel()
	b, s := openLabelPage(t, "empathy")
	b.Press("4")
	b.Click("#take-break")
	b.WaitFor(`location.pathname`, "/next")
	s.Lock()
	defer s.Unlock()
	if len(s.otherPosts) != 1 || !strings.HasPrefix(s.otherPosts[0], "break?") || !strings.Contains(s.otherPosts[0],
		"emotion=4") {
		t.Errorf("sent %v", s.otherPosts)
	}
	if len(s.drafts) == 0 || s.drafts[len(s.drafts)-1].Get("emotion") != "4" {
		t.Error("what was typed is not kept before the break")
	}
}

func TestUnsure_HighestPoint_NotMarked(t *testing.T) {
	t.Parallel()
	b, _ := openLabelPage(t, "ambiguity")
	b.Press("u")
	b.WaitFor(answerJS("unsure"), "")
	b.Press("2", "u")
	b.WaitFor(answerJS("unsure"), "")
	b.Press("1", "u")
	b.WaitFor(answerJS("unsure"), "a")
	b.Press("2")
	b.WaitFor(answerJS("unsure"), "a") // kept, and said to be wrong
	b.WaitFor(`document.querySelectorAll('#problem-a li').length`, 1)
	b.Press("u")
	b.WaitFor(problemJS("a"), "")
}

func TestGuide_Opens_AtQuestion(t *testing.T) {
	t.Parallel()
	b, _ := openLabelPage(t, "empathy")
	b.Press(kb.ArrowDown, "g")
	b.WaitFor(`document.getElementById('guide').open`, true)
	b.WaitFor(`(() => { const s = document.querySelector('#guide .panel-body').getBoundingClientRect(), f = document.getElementById('answer-form').getBoundingClientRect(), i = document.getElementById('item').getBoundingClientRect(); return s.right <= f.left && i.right <= s.left })()`, true)
	b.WaitFor(`Math.abs(document.getElementById('guide-validation').getBoundingClientRect().top - document.querySelector('#guide .panel-body').getBoundingClientRect().top) < 40`, true)
	b.Press("3") // the form goes on
	b.WaitFor(answerJS("validation"), "3")
	b.Press("e")
	b.WaitFor(`[...document.querySelectorAll('.panel[open]')].map(p => p.id).join()`, "edge-cases")
	b.Press(kb.Escape)
	b.WaitFor(`document.querySelectorAll('.panel[open]').length`, 0)
	b.WaitFor(focusedJS, "validation")
}

func TestLongItem_PageDown_Scrolls(t *testing.T) {
	t.Parallel()
	data := newLabelData(t, "empathy")
	data.Content["response"] = project.PartContent{Text: longText()}
	s := startStub(t, data, nil)
	b := browsertest.Open(t, s.URL, "/work/empathy")
	b.Press(kb.PageDown)
	b.WaitFor(`document.getElementById('item').scrollTop > 300`, true)
	b.WaitFor(`document.scrollingElement.scrollTop + document.querySelector('.question-list').scrollTop`, 0)
	b.WaitFor(`document.getElementById('submit-answers').getBoundingClientRect().bottom < innerHeight`, true)
}
