package web

import (
	"github.com/chromedp/chromedp/kb"
	"testing"

	"github.com/labelwright/labelwright/web/browsertest"
)

// The key takes back the last submit in place: the item is there with its answers, the line
// says what happened, and after it the other item has its draft.
func TestUndo_Key_ShowsItemInPlace(t *testing.T) {
	t.Parallel()
	w, b, _ := openLabelingTab(t, 3)
	w.execSQL(`UPDATE projects SET allows_undo = true`)
	reloadPage(b)
	browsertest.Eval[bool](b, `window.isSameDocument = true`)
	b.Press("z") // nothing to undo
	submitThrees(b)
	b.WaitFor(`document.querySelector('.item-count').textContent`, "1 of 3")
	b.Press("4")
	b.WaitFor(formStateJS+`.values.emotion`, 4)
	b.Press("z")
	b.WaitFor(`document.querySelector('.item-count').textContent`, "0 of 3")
	b.WaitFor(formStateJS+`.values.emotion`, 3)
	b.WaitFor(`document.getElementById('item-notice').textContent.startsWith('You took back this submit.') && `+
		statusTextJS+`.includes('You took back this submit.')`, true)
	b.Press("2")
	b.WaitFor(formStateJS+`.values.emotion`, 2)
	b.Press(kb.Enter)
	b.WaitFor(`document.querySelector('.item-count').textContent`, "1 of 3")
	b.WaitFor(formStateJS+`.values.emotion`, 4)
	b.WaitFor(`window.isSameDocument`, true)
	if n := query[int](w, `SELECT count(*) FROM annotations WHERE attempt_no = 2
		AND answers ->> 'emotion' = '2'`); n != 1 {
		t.Errorf("%d items were submitted again", n)
	}
}
