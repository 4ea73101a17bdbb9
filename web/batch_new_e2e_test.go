package web

import (
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/browsertest"
)

// previewValue returns a value of the preview by its label.
func previewValue(label string) string {
	return `[...document.querySelectorAll('#batch-preview dt')].find(t => t.textContent === '` + label +
		`')?.nextElementSibling.textContent`
}

// setField types a value as a user does.
func setField(b browsertest.Tab, name, value string) {
	browsertest.Eval[bool](b, `(field => { field.value = '`+value+
		`'; field.dispatchEvent(new Event('input', { bubbles: true })); return true })(document.querySelector('[name="`+
		name+`"]'))`)
}

// The preview follows the form, and the batch that opens is the one that is shown. A form that
// changed since, or items that another lead took, show the new preview first.
func TestNewBatch_Preview_IsWhatOpens(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p := env.newProject(lead, "p", 20)
	env.addMembers(p, account.Annotator, ann.Email)
	h := projectFixture{testEnv: env, accounts: map[string]account.Account{"lead": lead}}
	b := h.openTabAs(t, "lead")
	b.Visit("/projects/p/batches/new")
	b.WaitFor(`document.getElementById('preview-button').hidden`, true)
	setField(b, "overlap", "1")
	b.Click(`[name="annotators"]`)
	b.WaitFor(previewValue("Items"), "20")
	setField(b, "sample", "8")
	b.WaitFor(previewValue("Items"), "8")
	setField(b, "sample", "40%")
	setField(b, "overlap", "3") // more than there are annotators
	b.WaitFor(`document.querySelector('#batch-preview [value="open"]')`, nil)
	b.WaitFor(`document.getElementById('batch-preview').textContent.includes('annotators')`, true)
	setField(b, "overlap", "1")
	setField(b, "fewer_calibration", "A test.")
	setField(b, "sample", "5")
	b.WaitFor(previewValue("Items"), "5")
	checkAccessibility(b, "batch-new")
	b.Click(`#batch-preview [value="open"]`)
	b.WaitFor(`location.pathname`, "/projects/p/batches/Batch%201")
	if opened, err := env.db.Batch(t.Context(), 0, p.ID, "Batch 1"); err != nil || opened.Items != 5 {
		t.Errorf("opened with %d items, %v; the preview showed 5", opened.Items, err)
	}

	b.Visit("/projects/p/batches/new")
	setField(b, "overlap", "1")
	b.Click(`[name="annotators"]`)
	setField(b, "fewer_calibration", "A test.")
	b.WaitFor(previewValue("Items"), "15")
	// an edit that the preview has not seen
	browsertest.Eval[bool](b, `(field => { field.value = '7'; return true })(document.querySelector('[name="sample"]'))`)
	b.Click(`#batch-preview [value="open"]`)
	b.WaitFor(`document.body.textContent.includes('the plan changed since the preview')`, true)
	b.WaitFor(previewValue("Items"), "7")
	setField(b, "sample", "")
	b.WaitFor(previewValue("Items"), "15")
	env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "between", Annotators: []string{ann.Email}, Overlap: 1,
		Sample: project.Sample{Count: 12}})
	b.Click(`#batch-preview [value="open"]`)
	b.WaitFor(previewValue("Items"), "3")
	b.Click(`#batch-preview [value="open"]`)
	b.WaitFor(`location.pathname`, "/projects/p/batches/Batch%202")
	if opened, err := env.db.Batch(t.Context(), 0, p.ID, "Batch 2"); err != nil || opened.Items != 3 {
		t.Errorf("opened with %d items, %v; the preview showed 3", opened.Items, err)
	}
}
