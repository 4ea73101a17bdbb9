package web

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/static"
)

// A lead chooses items in the list, and enters their reference answers by keyboard. What is
// typed survives a reload.
func TestReferences_ByKeys_FromList(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	p := env.newEmpathyProject(lead, "ref", 3, 0)
	h := projectFixture{testEnv: env, accounts: map[string]account.Account{"lead": lead}}
	b := h.openTabAs(t, "lead")
	b.Visit("/projects/ref/items")
	b.WaitFor(`document.querySelector('.list-actions').hidden`, true)
	for range 2 {
		b.Click(`#list-selection tbody input[name=item]:not(:checked)`)
	}
	b.WaitFor(`document.getElementById('selected-count').textContent`, "2 selected")
	b.Click(`button[value=calibrate]`)
	waitForReference := func(progress string) {
		t.Helper()
		b.WaitFor(`document.querySelector('.item-count')?.textContent`, progress)
		b.WaitFor(`document.readyState !== 'loading' && import('`+static.Path("reference.mjs")+
			`').then(() => true)`, true)
	}
	waitForReference("1 of 2")
	checkAccessibility(b, "reference-form")
	d := labelingScreen{Tab: b, protocol: p.Protocol, facts: protocol.Facts{}}
	answers := protocol.Answers{Values: map[string]int{"emotion": 3, "validation": 4, "helpfulness": 3, "safety": 3,
		"overall": 3}}
	d.enterAnswers(answers)
	b.Press(kb.Enter)
	b.WaitFor(`document.activeElement.name`, "reasons.note")
	b.InsertText("Names the feeling.")
	b.WaitFor(`document.getElementById('save-status').textContent`, "Saved")
	b.Do(chromedp.Reload())
	waitForReference("1 of 2")
	b.WaitFor(`document.querySelector('[name="reasons.note"]').value + ' ' + document.querySelectorAll('.point input:checked').length`, "Names the feeling. 5")
	checkAccessibility(b, "reference-draft")
	b.WaitFor(`document.querySelector('[name="reasons.note"]').focus() === undefined`, true)
	b.PressWith(chromedp.ModifierCtrl, kb.Enter)
	waitForReference("2 of 2")
	d.enterAnswers(answers)
	b.Press("r")
	b.WaitFor(`document.activeElement.name.startsWith('reasons.')`, true)
	b.InsertText("Warm, and it asks.")
	b.PressWith(chromedp.ModifierCtrl, kb.Enter)
	b.WaitFor(`location.pathname`, "/projects/ref/references")
	if n := query[int](env, `SELECT count(*) FROM reference_answers
		WHERE (answers -> 'values' ->> 'validation')::int = 4`); n != 2 {
		t.Errorf("%d items have reference answers, want 2", n)
	}
	if n := query[int](env, `SELECT count(*) FROM reference_drafts`); n != 0 {
		t.Errorf("%d drafts are left", n)
	}
}

// Drafts of reference answers follow the rules of all drafts: another tab does not overwrite a
// newer one, and a rejected form is one.
func TestReferenceDraft_Restored(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, other := env.newUser("lead@example.org", account.Lead), env.newUser("other@example.org", account.Lead)
	p := env.newEmpathyProject(lead, "ref", 1, 0)
	b := env.signInAs(lead)
	path := "/projects/ref/references/" + formatID(query[int64](env, `SELECT min(id) FROM items
		WHERE project_id = $1`, p.ID))
	page := b.get(path).checkStatus(200)
	form := newAnswerForm(middleScores, "")
	for _, name := range []string{"reference.saved_at", "reference.form_key"} {
		form.Set(name, page.FindFirst("[name='"+name+"']").Attr("value"))
	}
	form.Set("reasons.overall", "half a reason")
	form.Set("tab", "one")
	form.Set("draft_version", "100")
	b.post(path+"/draft", form).checkStatus(http.StatusNoContent)
	form.Set("tab", "two")
	form.Set("draft_version", "200")
	form.Set("reasons.overall", "of another tab")
	if v := b.post(path+"/draft", form).checkStatus(http.StatusPreconditionFailed).header.Get(
		"Draft-Version"); v != "100" {
		t.Errorf("the other tab gets version %q", v)
	}
	b.get(path).checkStatus(200).checkContains("Your saved draft, not submitted yet.", "half a reason")
	if n := len(b.get(path + "?prefill=none").checkStatus(200).FindAll(".point input[checked]")); n != 0 {
		t.Errorf("without a draft, %d answers are filled in", n)
	}
	env.signInAs(other).post(path+"/draft", form).checkStatus(http.StatusNotFound)
	form.Del("reasons.overall")
	b.post(path, form).checkStatus(http.StatusUnprocessableEntity)
	b.get(path).checkContains("Your saved draft, not submitted yet.")
	form.Set("reasons.overall", "Kind enough.")
	b.post(path, form).checkRedirect("/projects/ref/references")
	form.Set("draft_version", "300")
	b.post(path+"/draft", form).checkStatus(http.StatusConflict).checkContains(
		"You saved the reference answers of this item in another tab")
	if n := query[int](env, `SELECT count(*) FROM reference_drafts`); n != 0 {
		t.Errorf("%d drafts are left", n)
	}
}
