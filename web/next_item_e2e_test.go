package web

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/browsertest"
)

// requestsDuring returns the requests of the tab while act runs.
func requestsDuring(b browsertest.Tab, act func()) []string {
	b.Helper()
	before, _ := b.Requests()
	act()
	after, _ := b.Requests()
	return slices.Clone(after[len(before):])
}

// A submit is one request. The next item appears without a page load, with its own address,
// title, scroll position and empty form, and can be left and found again.
func TestSubmit_InPlace_ShowsNextItem(t *testing.T) {
	t.Parallel()
	w, b, _ := openLabelingTab(t, 4)
	first := browsertest.Eval[string](b, `location.pathname`)
	historyLength := browsertest.Eval[int](b,
		`(window.isSameDocument = true, document.getElementById('item').scrollTop = 500, history.length)`)
	b.Press("n")
	b.InsertText("of the first item")
	b.WaitFor(savedTextJS, "Saved")
	b.Press(kb.Escape)
	submitted := requestsDuring(b, func() {
		for _, key := range []string{"emotion", "validation", "helpfulness", "safety", "overall"} {
			pickAnswer(b, key, 3)
		}
		browsertest.Eval[bool](b, `document.getElementById('guide').open = true`)
		b.Press(kb.Enter)
		b.WaitFor(`document.querySelector('.item-count').textContent`, "1 of 4")
	})
	isOther := func(request string) bool { // the icon of the page can be late
		return strings.HasSuffix(request, "/draft") || strings.HasSuffix(request, "/icon.svg")
	}
	if want := []string{"POST " + first}; !slices.Equal(slices.DeleteFunc(submitted, isOther), want) {
		t.Errorf("a submit sends %v, want %v", submitted, want)
	}
	second := browsertest.Eval[string](b, `location.pathname`)
	b.WaitFor(`[window.isSameDocument, history.length, document.getElementById('item').scrollTop, document.activeElement.id, document.querySelectorAll('.panel[open]').length]`,
		[]any{true, historyLength, 0, "item", 0})
	b.WaitFor(formStateJS, map[string]any{"values": map[string]int{}, "observations": []string{}, "unsure": []string{},
		"note": ""})
	b.WaitFor(`document.title.startsWith('1 of 4')`, true)
	b.WaitFor(statusTextJS+`.startsWith('1 of 4')`, true)
	b.WaitFor(`[...document.querySelectorAll('form')].filter(f => f.getAttribute('action').startsWith(location.pathname)).length`, 3)
	if n := query[int](w, `SELECT count(*) FROM annotations WHERE active_ms > 0
		AND note = 'of the first item'`); n != 1 {
		t.Errorf("%d annotations are complete", n)
	}

	saved := requestsDuring(b, func() {
		pickAnswer(b, "emotion", 5) // autosave follows
		w.waitForDraft(5)
	})
	if slices.Contains(saved, "POST "+first+"/draft") {
		t.Errorf("a draft of the submitted item is sent late: %v", saved)
	}
	reloadPage(b)
	b.WaitFor(formStateJS+`.values.emotion`, 5)
	b.WaitFor(`location.pathname`, second)
	b.Visit("/work/corrections")
	browsertest.Eval[bool](b, `history.back(), true`)
	b.WaitFor(`location.pathname === '`+second+`' && `+formStateJS+`.values.emotion`, 5)
	browsertest.Eval[bool](b, `history.back(), true`)
	b.WaitFor(`location.pathname`, "/healthz") // the page before the first item
}

// Keys that are pressed before the next item is there reach it in their order. Keys before
// another page reach nothing.
func TestSubmit_KeysInBetween_ReachNextItem(t *testing.T) {
	t.Parallel()
	w, b, _ := openLabelingTab(t, 3)
	delaySubmits(b, 300)
	submitThrees(b)
	b.Press("2", "1", "4", "5", "3", "n", "o", "k", "!")
	b.WaitFor(`document.querySelector('.item-count').textContent`, "1 of 3")
	b.WaitFor(formStateJS, map[string]any{"values": map[string]int{"emotion": 2, "validation": 1, "helpfulness": 4,
		"safety": 5, "overall": 3}, "observations": []string{}, "unsure": []string{}, "note": "ok!"})
	if n := query[int](w, `SELECT count(*) FROM annotations`); n != 1 {
		t.Errorf("%d items are submitted", n)
	}
}

// delaySubmits makes the answers to submits arrive later.
func delaySubmits(b browsertest.Tab, ms int) {
	b.Helper()
	browsertest.Eval[bool](b, fmt.Sprintf(`(() => { const { send } = XMLHttpRequest.prototype
		XMLHttpRequest.prototype.send = function (body) { setTimeout(() => send.call(this, body), %d) }; return true })()`, ms))
}

// How the item is shown stays from item to item and after a reload.
func TestItemView_Choices_Stay(t *testing.T) {
	t.Parallel()
	_, b, _ := openLabelingTab(t, 3)
	b.SetViewport(1920, 1080)
	const isSideBySideJS = `document.querySelector('[data-item-action=columns]').checked`
	b.WaitFor(isSideBySideJS, true)
	b.Press("v")
	b.WaitFor(isSideBySideJS, false)
	submitThrees(b)
	b.WaitFor(`document.querySelector('.item-count').textContent`, "1 of 3")
	b.WaitFor(isSideBySideJS, false)
	reloadPage(b)
	b.WaitFor(isSideBySideJS, false)
	b.Press("v")
	b.WaitFor(isSideBySideJS, true)
}

// An item that needs no note takes a key per question and Enter.
func TestKeys_PerItem(t *testing.T) {
	t.Parallel()
	for _, p := range protocol.Builtin() {
		t.Run(p.Key, func(t *testing.T) {
			t.Parallel()
			env, b := openItemsOf(t, p, 4)
			rng := rand.New(rand.NewPCG(3, uint64(len(p.Key))))
			want := map[string]int{"rag-retrieval": 4, "rag-grounding": 6, "rag-generation": 6, "empathy": 6,
				"ambiguity": 7}[p.Key]
			for n := range 3 {
				facts := browsertest.Eval[protocol.Facts](b, `JSON.parse(document.getElementById('facts').textContent)`)
				var keys []string
				scores := drawPlainAnswers(rng, p, facts)
				for _, f := range p.ApplicableFields(facts) {
					keys = append(keys, fmt.Sprint(scores[f.Key]))
				}
				keys = append(keys, kb.Enter)
				if len(keys) > want {
					t.Errorf("%d keys for an item, want at most %d", len(keys), want)
				}
				b.Press(keys...)
				b.WaitFor(`document.querySelector('.item-count').textContent.split(' ')[0]`, fmt.Sprint(n+1))
				if stored := query[map[string]int](env, `SELECT answers FROM annotations
					WHERE sequence_no = $1`, n+1); !maps.Equal(stored, scores) {
					t.Errorf("stored %v, typed %v", stored, scores)
				}
			}
		})
	}
}

// drawPlainAnswers draws values that are valid without a note and an observation.
func drawPlainAnswers(rng *rand.Rand, p protocol.Protocol, facts protocol.Facts) map[string]int {
	for {
		a := protocol.Answers{Values: map[string]int{}}
		for _, f := range p.ApplicableFields(facts) {
			a.Values[f.Key] = f.Scale[rng.IntN(len(f.Scale))].Value
		}
		if p.Check(facts, a) == nil {
			return a.Values
		}
	}
}
