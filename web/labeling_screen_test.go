package web

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/browsertest"
	"github.com/labelwright/labelwright/web/static"
)

// A labelingScreen is the labeling screen of one item, used without a mouse.
type labelingScreen struct {
	browsertest.Tab
	protocol protocol.Protocol
	facts    protocol.Facts
	token    string
}

// The labeling screen as a screen reader presents it.
const (
	formStateJS = `(() => {
		const data = new FormData(document.getElementById('answer-form')), values = {}
		for (const { dataset: { key } } of document.querySelectorAll('.question')) if (data.has(key)) values[key] = Number(data.get(key))
		return { values, observations: data.getAll('observation'), unsure: data.getAll('unsure'), note: data.get('note') }
	})()`
	itemTextJS    = `[...document.querySelectorAll('#item .item-text:not(.rendered)')].map(text => [...text.querySelectorAll('p')].map(p => p.textContent).join('\n\n'))`
	activeFieldJS = `document.querySelector('.question[data-active]').dataset.key`
	openPanelsJS  = `[...document.querySelectorAll('.panel[open]')].map(p => p.id).join()`
	statusTextJS  = `document.getElementById('announcer').textContent`
)

// problemsJS returns the problems at a field, at the note or of the whole
// form.
func (d labelingScreen) problemsJS(key string) string {
	if _, ok := d.protocol.Field(key); !ok && key != protocol.NoteKey {
		key = "general"
	}
	return fmt.Sprintf(`[...document.querySelectorAll('#problem-%s li')].map(li => li.textContent)`, key)
}

// waitReady waits until the module of the page handles keys. A test that
// imported the module while the page loads would run it too early.
func (d labelingScreen) waitReady() {
	d.Helper()
	d.WaitFor(`document.readyState !== 'loading' && document.getElementById('answer-form') !== null && location.pathname === '/work/`+d.token+`' && import('`+static.Path("label.bundle.mjs")+`').then(() => true)`, true)
}

// enterAnswers enters the answers a by keys only.
func (d labelingScreen) enterAnswers(a protocol.Answers) {
	d.Helper()
	d.tickObservations(a.Observations)
	current := browsertest.Eval[protocol.Answers](d.Tab, formStateJS)
	asked := d.protocol.ApplicableFields(d.facts)
	for _, f := range asked {
		d.activate(asked, f)
		d.answerField(asked, f, a, current)
	}
	if current.Note != a.Note {
		d.Press("n")
		d.PressWith(chromedp.ModifierCtrl, "a")
		d.Press(kb.Backspace)
		d.typeNote(a.Note)
		d.Press(kb.Escape)
	}
	got := browsertest.Eval[protocol.Answers](d.Tab, formStateJS)
	if !equalAnswers(got, a) {
		d.Fatalf("%s: the form has %+v, want %+v", d.protocol.Key, got, a)
	}
}

// typeNote types the first letters and inserts the rest with an input method.
func (d labelingScreen) typeNote(note string) {
	d.Helper()
	letters := []rune(note)
	first := min(len(letters), 4)
	d.Press(string(letters[:first]))
	if rest := string(letters[first:]); rest != "" {
		d.InsertText(rest)
	}
}

// activate goes to a question. An answer may have moved on from it.
func (d labelingScreen) activate(asked []protocol.Field, f protocol.Field) {
	d.Helper()
	indexOf := func(key string) int {
		return slices.IndexFunc(asked, func(f protocol.Field) bool { return f.Key == key })
	}
	from, to := indexOf(browsertest.Eval[string](d.Tab, activeFieldJS)), indexOf(f.Key)
	d.Press(slices.Repeat([]string{kb.ArrowUp}, max(from-to, 0))...)
	d.Press(slices.Repeat([]string{kb.ArrowDown}, max(to-from, 0))...)
}

// answerField answers the active question. “Unsure” is only available below
// the highest point; raising the answer afterwards keeps it.
func (d labelingScreen) answerField(asked []protocol.Field, f protocol.Field, want, current protocol.Answers) {
	d.Helper()
	value, isAnswered := want.Values[f.Key]
	isUnsure, wasUnsure := slices.Contains(want.Unsure, f.Key), slices.Contains(current.Unsure, f.Key)
	switch old, wasAnswered := current.Values[f.Key]; {
	case isUnsure && !wasUnsure:
		d.Press(fmt.Sprint(f.Scale[0].Value), "u")
		d.activate(asked, f)
	case wasUnsure && !isUnsure:
		d.Press("u")
	case wasAnswered && old == value:
		return
	}
	if isAnswered {
		d.Press(fmt.Sprint(value))
	}
}

// tickObservations checks exactly these observations, in the panel that e
// opens.
func (d labelingScreen) tickObservations(want []string) {
	d.Helper()
	current := browsertest.Eval[protocol.Answers](d.Tab, formStateJS).Observations
	if slices.Equal(slices.Sorted(slices.Values(current)), slices.Sorted(slices.Values(want))) {
		return
	}
	boxes := browsertest.Eval[[]string](d.Tab,
		`[...document.querySelectorAll('.observation input')].map(box => box.value)`)
	d.Press(kb.Escape, "e") // after a problem at one of them, the panel is open
	for i, box := range boxes {
		if i > 0 {
			d.Press(kb.ArrowDown)
		}
		if slices.Contains(current, box) != slices.Contains(want, box) {
			d.Press(" ")
		}
	}
	d.Press(kb.Escape)
}

// equalAnswers reports whether two answers are equal, in any order.
func equalAnswers(a, b protocol.Answers) bool {
	sorted := func(keys []string) string { return strings.Join(slices.Sorted(slices.Values(keys)), " ") }
	return fmt.Sprint(a.Values) == fmt.Sprint(b.Values) && a.Note == b.Note &&
		sorted(a.Observations) == sorted(b.Observations) && sorted(a.Unsure) == sorted(b.Unsure)
}

// focusByTab presses Tab until the focus matches selector.
func focusByTab(b browsertest.Tab, selector string) {
	b.Helper()
	for range 80 {
		if browsertest.Eval[bool](b, fmt.Sprintf(`document.activeElement.matches(%q)`, selector)) {
			return
		}
		b.Press(kb.Tab)
	}
	b.Fatalf("80 presses of Tab do not reach %s", selector)
}
