package web

import "testing"

// A saved draft shows what changed in one line, without moving the focus and without a request
// of its own.
func TestDraft_BatchClosed_ShowsLine(t *testing.T) {
	t.Parallel()
	w, b, _ := openLabelingTab(t, 3)
	w.execSQL(`UPDATE batches SET closed_at = now()`)
	b.Press("n")
	b.InsertText("typed")
	b.WaitFor(savedTextJS, "Saved")
	b.WaitFor(`(e => [e.textContent.startsWith('The batch was closed.'), e.getAttribute('role'), e.querySelector('a').pathname, document.activeElement.name])(document.getElementById('screen-change'))`,
		[]any{true, "status", "/work", "note"})
	reloadPage(b)
	b.WaitFor(formStateJS+`.note`, "typed")
	b.WaitFor(`document.getElementById('screen-change').textContent.startsWith('The batch was closed.')`, true)
}
