package page_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/labelwright/labelwright/web/browsertest"
)

func TestDraft_Typing_SavesVerbatim(t *testing.T) {
	t.Parallel()
	b, s := openLabelPage(t, "empathy")
	b.Press("4", "n", "slow")
	b.WaitFor(savedJS, "Saved")
	_, first := s.posted()
	if first.Get("emotion") != "4" || first.Get("note") != "slow" {
		t.Fatalf("kept %v", first)
	}
	b.Press("er")
	second := first
	for deadline := time.Now().Add(time.Minute); second.Get("note") == "slow" && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
		_, second = s.posted()
	}
	if second.Get("note") != "slower" || second.Get("draft_version") <= first.Get("draft_version") {
		t.Errorf("kept %v after %v", second, first)
	}
	b.WaitFor(`localStorage.length + sessionStorage.length + document.cookie.length`, 0)
}

func TestDraft_SaveFails_Warns(t *testing.T) {
	t.Parallel()
	for name, setFailure := range map[string]func(browsertest.Tab, *stub, bool){
		"no connection": func(b browsertest.Tab, _ *stub, on bool) { b.SetOffline(on) },
		"server error": func(_ browsertest.Tab, s *stub, on bool) {
			s.setRefuseStatus(map[bool]int{true: http.StatusServiceUnavailable}[on])
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, s := openLabelPage(t, "empathy")
			setFailure(b, s, true)
			b.Press("4")
			b.WaitFor(troubleJS, "Not saved: no connection. Keep this page open.")
			b.Press("n", "kept")
			setFailure(b, s, false)
			b.WaitFor(savedJS, "Saved")
			b.WaitFor(troubleJS, "")
			if _, draft := s.posted(); draft.Get("emotion") != "4" || draft.Get("note") != "kept" {
				t.Errorf("kept %v", draft)
			}
		})
	}
}

func TestSubmit_SignedOut_SendsLater(t *testing.T) {
	t.Parallel()
	b, s := openLabelPage(t, "rag-retrieval")
	s.setRefuseStatus(http.StatusUnauthorized)
	b.Press("0")
	b.WaitFor(`document.getElementById('status-message').textContent.includes('sign in in another tab')`, true)
	b.Press(kb.ArrowDown, "0", kb.ArrowDown, "0", kb.Enter)
	b.WaitFor(`document.getElementById('status-message').textContent.startsWith('Not submitted yet: you are signed out.')`, true)
	b.WaitFor(answerJS("misleading"), "0")
	s.setRefuseStatus(0)
	b.WaitFor(`location.pathname`, "/next")
	if submits, _ := s.posted(); len(submits) != 1 || submits[0].Get("misleading") != "0" {
		t.Errorf("sent %v", submits)
	}
}

func TestSubmit_Offline_Waits(t *testing.T) {
	t.Parallel()
	b, s := openLabelPage(t, "rag-retrieval")
	b.SetOffline(true)
	b.Press("0", kb.ArrowDown, "0", kb.ArrowDown, "0", kb.Enter)
	b.WaitFor(`document.getElementById('status-message').textContent.startsWith('Not submitted yet: no connection.')`,
		true)
	b.Press("1") // what was sent stays as it is
	b.WaitFor(answerJS("misleading"), "0")
	b.SetOffline(false)
	b.WaitFor(`location.pathname`, "/next")
	if submits, _ := s.posted(); len(submits) != 1 {
		t.Errorf("%d submissions, want 1", len(submits))
	}
}

func TestDraft_ItemClosed_ShowsMessage(t *testing.T) {
	t.Parallel()
	b, s := openLabelPage(t, "empathy")
	s.setRefuseStatus(http.StatusConflict)
	b.Press("4")
	b.WaitFor(troubleJS, "This item is no longer open for you. You finished it in another tab, or a lead gave it to another annotator.")
	b.WaitFor(`document.querySelector(".form-footer a.button").textContent`, "Continue")
}

func TestLabel_NoScript_Submits(t *testing.T) {
	t.Parallel()
	b, s := openLabelPage(t, "rag-retrieval")
	b.SetScripting(false)
	b.Visit("/work/rag-retrieval")
	visible := func(selector string) {
		t.Helper()
		b.Do(chromedp.WaitVisible(chromedp.CSS(selector)))
	}
	visible("#field-misleading .anchor")
	b.Click("#field-evidence_sufficient .point:last-child")
	b.Do(chromedp.SendKeys(chromedp.CSS("#note"), "typed"))
	b.Click("#submit-answers")
	visible("#problem-topically_relevant li")
	visible("#field-evidence_sufficient :checked + .value")
	b.Click("#field-topically_relevant .point:last-child")
	b.Click("#field-misleading .point:nth-child(1)")
	b.Click("#submit-answers")
	b.WaitFor(`location.pathname`, "/next")
	submits, _ := s.posted()
	if last := submits[len(submits)-1]; last.Get("note") != "typed" || last.Get("topically_relevant") != "1" {
		t.Errorf("sent %v", last)
	}
}
