package web

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/web/browsertest"
)

func TestWhatALeadHasTypedComesBackUntilItIsSettled(t *testing.T) {
	t.Parallel()
	s := newStudy(t, 4)
	s.label()
	b := s.as(s.lead)
	at := b.get(told).First("a.button.main").Attr("href")
	page := b.get(at).is(200)
	form := page.decision(page.first())
	form.Set("decision.reason", "half a\nreason")
	form.Set("decision.cause", "bad_data")
	form.Set("tab", "one")
	form.Set("draft_version", "100")
	b.post(at+"/draft", form).is(http.StatusNoContent)
	form.Set("tab", "two")
	form.Set("draft_version", "200")
	form.Set("decision.reason", "of another tab")
	if v := b.post(at+"/draft", form).is(http.StatusPreconditionFailed).header.Get("Draft-Version"); v != "100" {
		t.Errorf("the other tab is told of version %q", v)
	}

	back := b.get(at).is(200).says("This is what you typed before, and is not settled yet.", "half a reason")
	if n := len(back.All("#answers .point input[checked]")); n != 5 {
		t.Errorf("%d answers come back, want five", n)
	}
	if v := back.First("#decision-cause option[selected]").Attr("value"); v != "bad_data" {
		t.Errorf("the cause comes back as %q", v)
	}
	if n := len(b.get(at + "?take=anew").is(200).All("#answers .point input[checked]")); n != 0 {
		t.Errorf("beginning anew, %d answers are filled in", n)
	}
	boss := s.as(s.person("boss@example.org", account.Admin))
	if n := len(boss.get(at).is(200).All("#answers .point input[checked]")); n != 0 {
		t.Errorf("another lead sees %d answers that are not settled", n)
	}

	b.post(at, back.decision(page.first())).leads("")
	if n := query[int](s.world, `SELECT count(*) FROM decision_drafts`); n != 0 {
		t.Error("the draft outlives its decision")
	}
	late := back.decision(page.first())
	late.Set("draft_version", "300")
	b.post(at+"/draft", late).is(http.StatusConflict).says("You have settled this item in another tab")
	if n := query[int](s.world, `SELECT count(*) FROM decision_drafts`); n != 0 {
		t.Error("a late draft comes back after its decision")
	}
}

// What cannot be read is given back for items of the project alone.
func TestNoDecisionIsKeptForAnItemThatIsNotThere(t *testing.T) {
	t.Parallel()
	s := newStudy(t, 4)
	s.label()
	other := s.person("other@example.org", account.Lead)
	s.empathy(other, "others", 1, 0)
	foreign := query[int](s.world, `SELECT i.id FROM items i JOIN projects p ON p.id = i.project_id WHERE p.key = 'others'`)
	for _, item := range []int{foreign, 999_999} {
		s.as(s.lead).post(told+"/"+strconv.Itoa(item), url.Values{"emotion": {"much"}}).is(http.StatusNotFound)
	}
	if n := query[int](s.world, `SELECT count(*) FROM decision_drafts`); n != 0 {
		t.Errorf("%d drafts are kept", n)
	}
}

func TestADecisionSentAfterTheSessionIsOverComesBackFilled(t *testing.T) {
	t.Parallel()
	s := newStudy(t, 4)
	s.label()
	b := s.as(s.lead)
	at := b.get(told).First("a.button.main").Attr("href")
	page := b.get(at).is(200)
	b.post("/sign-out", nil).leads("/sign-in")
	form := page.decision(page.first())
	form.Set("decision.reason", "nothing is lost")
	to := b.post(at, form).leads("/sign-in")
	if next := controls(b.get(to).says("What you typed is kept").First("main form")).Get("next"); next != at {
		t.Errorf("after signing in one goes to %q", next)
	}
	for name, change := range map[string]url.Values{
		"from an old page":   {"decision.reason": {"older"}},
		"without its key":    {"decision.key": {""}, "decision.reason": {"of a stranger"}, "draft_version": {"1"}},
		"with a guessed key": {"decision.key": {"0000"}, "decision.reason": {"of a stranger"}, "draft_version": {"1"}},
	} {
		other := page.decision(page.first())
		for key, values := range change {
			other[key] = values
		}
		s.anybody().post(at, other).leads("/sign-in")
		if got := query[string](s.world, `SELECT string_agg(decision->>'Reason', ',') FROM decision_drafts`); got != "nothing is lost" {
			t.Errorf("%s: kept is %q", name, got)
		}
	}
	if n := query[int](s.world, `SELECT count(*) FROM adjudications`); n != 0 {
		t.Error("something was settled without a session")
	}
	again := s.as(s.lead)
	again.get(at).is(200).says("This is what you typed before", "nothing is lost")
}

// Two tabs, a closed one, and a session that is over: a lead loses nothing.
func TestALeadsDeskKeepsWhatIsTyped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lead := w.person("lead@example.org", account.Lead)
	w.dispute(lead)
	h := house{world: w, who: map[string]account.Account{"lead": lead}}
	b := h.signedIn(t, "lead")
	b.Visit("/projects/torn/adjudication")
	tabTo(b, "a.button.main")
	b.Press(kb.Enter)
	atDispute(b, 0)
	path := browsertest.Read[string](b, `location.pathname`)
	pick(b, "emotion", 4)
	b.Press("r", "u")
	browsertest.Read[bool](b, `document.getElementById('decision-reason').focus(), true`)
	b.Insert("بين الاثنين，介于两者之间")
	b.Becomes(savedNow, "saved")
	kept := func(reason string) {
		t.Helper()
		b.Becomes(`fetch(location.pathname).then(r => r.text()).then(t => t.includes('`+reason+`'))`, true)
	}
	kept("بين الاثنين，介于两者之间")

	second := b.Another(t, path)
	second.Becomes(formNow+`.values.emotion`, 4)
	second.Becomes(`document.querySelector('.taken').textContent.includes('This is what you typed before')`, true)
	second.Axe("a dispute with what was typed before")
	browsertest.Read[bool](second, `document.getElementById('decision-reason').focus(), true`)
	second.Insert("more ")
	kept("more ")
	b.Insert(" here")
	b.Becomes(troubleNow, "not saved: another tab holds newer answers to this item.")
	wayOf(b, "See those")
	b.Becomes(`document.getElementById('decision-reason').value.includes('more ')`, true)
	b.Becomes(troubleNow, "")

	// Settled in one, the other is told.
	for _, key := range []string{"validation", "helpfulness", "safety", "overall"} {
		pick(b, key, 3)
	}
	b.PressWith(chromedp.ModifierCtrl, kb.Enter)
	atDispute(b, 1)
	second.Insert("late ")
	second.Becomes(troubleNow, "You have settled this item in another tab. What you sent there stands, and nothing more is needed here.")
	if n := query[int](w, `SELECT count(*) FROM decision_drafts`); n != 0 {
		t.Errorf("%d drafts outlive their decision", n)
	}
}
