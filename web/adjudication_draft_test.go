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

func TestDecisionDraft_Reload_Restored(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 4)
	s.labelAll()
	b := s.signInAs(s.lead)
	path := b.get(adjudicationPath).FindFirst("a.button.primary").Attr("href")
	page := b.get(path).checkStatus(200)
	form := page.newDecisionForm(page.firstAnswers())
	form.Set("decision.reason", "half a\nreason")
	form.Set("decision.cause", "bad_data")
	form.Set("tab", "one")
	form.Set("draft_version", "100")
	b.post(path+"/draft", form).checkStatus(http.StatusNoContent)
	form.Set("tab", "two")
	form.Set("draft_version", "200")
	form.Set("decision.reason", "of another tab")
	if v := b.post(path+"/draft", form).checkStatus(http.StatusPreconditionFailed).header.Get(
		"Draft-Version"); v != "100" {
		t.Errorf("the other tab gets version %q", v)
	}

	restored := b.get(path).checkStatus(200).checkContains("Your saved draft, not submitted yet.", "half a reason")
	if n := len(restored.FindAll("#answer-form .point input[checked]")); n != 5 {
		t.Errorf("%d answers are restored, want 5", n)
	}
	if v := restored.FindFirst("#decision-cause option[selected]").Attr("value"); v != "bad_data" {
		t.Errorf("the cause is restored as %q", v)
	}
	if n := len(b.get(path + "?prefill=none").checkStatus(200).FindAll("#answer-form .point input[checked]")); n != 0 {
		t.Errorf("without a draft, %d answers are filled in", n)
	}
	adminBrowser := s.signInAs(s.newUser("boss@example.org", account.Admin))
	if n := len(adminBrowser.get(path).checkStatus(200).FindAll("#answer-form .point input[checked]")); n != 0 {
		t.Errorf("another lead sees %d answers of the draft", n)
	}

	b.post(path, restored.newDecisionForm(page.firstAnswers())).checkRedirect("")
	if n := query[int](s.testEnv, `SELECT count(*) FROM adjudication_drafts`); n != 0 {
		t.Error("the draft still exists after the decision")
	}
	late := restored.newDecisionForm(page.firstAnswers())
	late.Set("draft_version", "300")
	b.post(path+"/draft", late).checkStatus(http.StatusConflict).checkContains(
		"You saved a decision on this item in another tab")
	if n := query[int](s.testEnv, `SELECT count(*) FROM adjudication_drafts`); n != 0 {
		t.Error("a late draft is stored after the decision")
	}
}

// An unreadable form is rejected as such only for items of the project; other
// items are not found.
func TestDecisionDraft_NoItem_NotFound(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 4)
	s.labelAll()
	other := s.newUser("other@example.org", account.Lead)
	s.newEmpathyProject(other, "others", 1, 0)
	foreign := query[int](s.testEnv, `SELECT i.id FROM items i JOIN projects p ON p.id = i.project_id
		WHERE p.key = 'others'`)
	for _, item := range []int{foreign, 999_999} {
		s.signInAs(s.lead).post(adjudicationPath+"/"+strconv.Itoa(item), url.Values{"emotion": {"much"}}).checkStatus(
			http.StatusNotFound)
	}
	if n := query[int](s.testEnv, `SELECT count(*) FROM adjudication_drafts`); n != 0 {
		t.Errorf("%d drafts are stored", n)
	}
}

func TestAdjudicate_SignedOut_SavesDraft(t *testing.T) {
	t.Parallel()
	s := newReportFixture(t, 4)
	s.labelAll()
	b := s.signInAs(s.lead)
	path := b.get(adjudicationPath).FindFirst("a.button.primary").Attr("href")
	page := b.get(path).checkStatus(200)
	b.post("/sign-out", nil).checkRedirect("/sign-in")
	form := page.newDecisionForm(page.firstAnswers())
	form.Set("decision.reason", "nothing is lost")
	signInPath := b.post(path, form).checkRedirect("/sign-in")
	if next := formValues(b.get(signInPath).checkContains("Your answers are saved").FindFirst("main form")).Get(
		"next"); next != path {
		t.Errorf("sign-in redirects to %q", next)
	}
	for name, change := range map[string]url.Values{
		"from an old page": {"decision.reason": {"older"}},
		"without its key":  {"decision.form_key": {""}, "decision.reason": {"of a stranger"}, "draft_version": {"1"}},
		"with a guessed key": {"decision.form_key": {"0000"}, "decision.reason": {"of a stranger"},
			"draft_version": {"1"}},
	} {
		other := page.newDecisionForm(page.firstAnswers())
		for key, values := range change {
			other[key] = values
		}
		s.newBrowser().post(path, other).checkRedirect("/sign-in")
		if got := query[string](s.testEnv, `SELECT string_agg(decision->>'Reason', ',')
			FROM adjudication_drafts`); got != "nothing is lost" {
			t.Errorf("%s: stored %q", name, got)
		}
	}
	if n := query[int](s.testEnv, `SELECT count(*) FROM adjudications`); n != 0 {
		t.Error("a decision was stored without a session")
	}
	again := s.signInAs(s.lead)
	again.get(path).checkStatus(200).checkContains("Your saved draft, not submitted yet.", "nothing is lost")
}

// Two tabs, a closed tab and an expired session: the lead loses no text.
func TestDecisionDraft_TwoTabs_KeepBoth(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	env.newDisagreement(lead)
	h := projectFixture{testEnv: env, accounts: map[string]account.Account{"lead": lead}}
	b := h.openTabAs(t, "lead")
	b.Visit("/projects/torn/adjudication")
	focusByTab(b, "a.button.primary")
	b.Press(kb.Enter)
	waitForAdjudication(b, 0)
	path := browsertest.Eval[string](b, `location.pathname`)
	pickAnswer(b, "emotion", 4)
	b.Press("r", "u")
	browsertest.Eval[bool](b, `document.getElementById('decision-reason').focus(), true`)
	b.InsertText("بين الاثنين，介于两者之间")
	b.WaitFor(savedTextJS, "Saved")
	waitSaved := func(reason string) {
		t.Helper()
		b.WaitFor(`fetch(location.pathname).then(r => r.text()).then(t => t.includes('`+reason+`'))`, true)
	}
	waitSaved("بين الاثنين，介于两者之间")

	second := b.NewTab(t, path)
	second.WaitFor(formStateJS+`.values.emotion`, 4)
	second.WaitFor(`document.querySelector('.prefill-notice').textContent.includes('Your saved draft')`, true)
	second.CheckAccessibility("an adjudication with a draft")
	browsertest.Eval[bool](second, `document.getElementById('decision-reason').focus(), true`)
	second.InsertText("zwischen ")
	waitSaved("zwischen ") // a word that the page itself does not have
	b.InsertText(" here")
	b.WaitFor(statusMessageJS, "Not saved: another tab has newer answers.")
	clickOption(b, "Load newer answers")
	b.WaitFor(`document.getElementById('decision-reason').value.includes('zwischen ')`, true)
	b.WaitFor(statusMessageJS, "")

	// Adjudicated in one tab, the other shows it.
	for _, key := range []string{"validation", "helpfulness", "safety", "overall"} {
		pickAnswer(b, key, 3)
	}
	b.PressWith(chromedp.ModifierCtrl, kb.Enter)
	waitForAdjudication(b, 1)
	second.InsertText("late ")
	second.WaitFor(statusMessageJS, "You adjudicated this item in another tab. That decision is saved.")
	if n := query[int](env, `SELECT count(*) FROM adjudication_drafts`); n != 0 {
		t.Errorf("%d drafts still exist after the decision", n)
	}
}
