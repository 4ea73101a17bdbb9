package web

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/web/browsertest"
)

const layoutJS = `(() => {
	const place = id => { const r = document.getElementById(id).getBoundingClientRect(); return [r.x, r.y, r.width].map(Math.round) }
	const rows = new Set([...document.querySelectorAll('.form-actions button')].map(b => b.getBoundingClientRect().y))
	return [place('item'), place('submit-answers'), place('take-break'), rows.size].flat()
})()`

// Submitting with a panel open or closed, answers, saving and messages move neither the item nor the
// buttons, which are in one row.
func TestLabel_Layout_NeverMoves(t *testing.T) {
	for language, count := range map[string]string{"en": "%d of %d", "de": "%d von %d"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			items := 6
			if require.FullSize() && language == "en" {
				items = 201
			}
			testLayout(t, items, language, count)
		})
	}
}

func testLayout(t *testing.T, items int, language, count string) {
	t.Helper()
	env, b, _ := openLabelingTab(t, items)
	env.execSQL(`INSERT INTO identity.account_settings (account_id, language)
		SELECT account_id, '` + language + `' FROM identity.users WHERE email = 'ann@example.org'
		ON CONFLICT (account_id) DO UPDATE SET language = excluded.language`)
	b.SetViewport(1366, 768)
	b.Visit(browsertest.Eval[string](b, `location.pathname`))
	b.WaitFor(`document.documentElement.lang + document.readyState`, language+"complete")
	layout := browsertest.Eval[[]int](b, layoutJS)
	if rows := layout[len(layout)-1]; rows != 1 {
		t.Errorf("the buttons are in %d rows", rows)
	}
	check := func(state string) {
		t.Helper()
		if got := browsertest.Eval[[]int](b, layoutJS); !slices.Equal(got, layout) {
			t.Errorf("%s: %v, want %v", state, got, layout)
		}
	}
	for i := range items - 1 {
		for range 4 {
			b.Press("3")
			check("answering")
		}
		b.Press("3")
		if panel := []string{"edge-cases", "guide", "keys", ""}[i%4]; panel != "" {
			browsertest.Eval[bool](b, `document.getElementById('`+panel+`').open = true`)
		}
		if i < 4 {
			b.WaitFor(savedTextJS+` !== ''`, true)
		}
		b.Press(kb.Escape, kb.Enter)
		b.WaitFor(`document.querySelector('.item-count').textContent`, fmt.Sprintf(count, i+1, items))
		b.WaitFor(`document.querySelectorAll('input[type=radio]:checked').length`, 0)
		check("after a submit")
	}
	b.Press(kb.Enter)
	b.WaitFor(`document.activeElement.closest('.question') !== null`, true)
	check("an incomplete form")
	browsertest.Eval[bool](b, `document.getElementById('status-message').textContent = 'Not saved: no connection.', true`)
	check("a message")
}

// A null character is shown where it was, so that it can be deleted. A long note is counted, and several
// answers that need one ask for it in one sentence.
func TestNote_Problems_AreOneSentence(t *testing.T) {
	t.Parallel()
	_, b, _ := openLabelingTab(t, 2)
	b.Press("1", "1", "3", "3", "1", kb.Enter)
	const problemsJS = `[...document.querySelectorAll('#problem-note li')].map(li => li.textContent)`
	b.WaitFor(problemsJS, []string{"Say why in the note: Emotion recognition 1, Validation and warmth 1, Overall 1."})
	browsertest.Eval[bool](b, `(() => { const note = document.getElementById('note')
		note.value = 'a\0b' + 'x'.repeat(3600)
		return note.dispatchEvent(new Event('input', { bubbles: true })) })()`)
	b.WaitFor(`document.getElementById('note').value.slice(0, 3)`, "a\uFFFDb")
	b.WaitFor(`document.getElementById('note-count').textContent`, "3,603 of 4,000 characters")
	b.WaitFor(problemsJS, []string{})
	b.Press(kb.Escape, kb.Enter)
	b.WaitFor(`document.querySelector('.item-count').textContent`, "1 of 2")
}
