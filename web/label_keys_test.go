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

// A desk is the labelling screen of one item, under the hands of somebody who
// has no mouse.
type desk struct {
	browsertest.Tab
	protocol protocol.Protocol
	facts    protocol.Facts
	token    string
}

// The labelling screen as its reader sees it.
const (
	formNow = `(() => {
		const data = new FormData(document.getElementById('answers')), values = {}
		for (const { dataset: { key } } of document.querySelectorAll('.question')) if (data.has(key)) values[key] = Number(data.get(key))
		return { values, observations: data.getAll('observation'), unsure: data.getAll('unsure'), note: data.get('note') }
	})()`
	itemNow = `[...document.querySelectorAll('#item .text')].map(text => [...text.querySelectorAll('p')].map(p => p.textContent).join('\n\n'))`
	active  = `document.querySelector('.question[data-active]').dataset.key`
	panels  = `[...document.querySelectorAll('.panel[open]')].map(p => p.id).join()`
	said    = `document.getElementById('say').textContent`
)

// sentences is what stands at a field, the note, or apart from both.
func (d desk) sentences(key string) string {
	if _, ok := d.protocol.Field(key); !ok && key != protocol.Note {
		key = "apart"
	}
	return fmt.Sprintf(`[...document.querySelectorAll('#problem-%s li')].map(li => li.textContent)`, key)
}

// ready waits until the page takes keys: its module has run. Imported while the
// page is still being read, it would run too early.
func (d desk) ready() {
	d.Helper()
	d.Becomes(`document.readyState !== 'loading' && document.getElementById('answers') !== null && location.pathname === '/work/`+d.token+`' && import('`+static.Path("label.mjs")+`').then(() => true)`, true)
}

// give brings the form to hold a, by keys alone.
func (d desk) give(a protocol.Answers) {
	d.Helper()
	d.tick(a.Observations)
	now := browsertest.Read[protocol.Answers](d.Tab, formNow)
	asked := d.protocol.Asked(d.facts)
	at := slices.IndexFunc(asked, func(f protocol.Field) bool { return f.Key == browsertest.Read[string](d.Tab, active) })
	d.Press(slices.Repeat([]string{kb.ArrowUp}, at)...)
	for i, f := range asked {
		if i > 0 {
			d.Press(kb.ArrowDown)
		}
		d.answer(f, a, now)
	}
	if now.Note != a.Note {
		d.Press("n")
		d.PressWith(chromedp.ModifierCtrl, "a")
		d.Press(kb.Backspace)
		d.write(a.Note)
		d.Press(kb.Escape)
	}
	got := browsertest.Read[protocol.Answers](d.Tab, formNow)
	if !same(got, a) {
		d.Fatalf("%s: after typing, the form holds %+v, want %+v", d.protocol.Key, got, a)
	}
}

// write types the first letters, and has an input method write the rest.
func (d desk) write(note string) {
	d.Helper()
	letters := []rune(note)
	first := min(len(letters), 4)
	d.Press(string(letters[:first]))
	if rest := string(letters[first:]); rest != "" {
		d.Insert(rest)
	}
}

// answer answers the active question. A doubt is only to be had below the
// highest point; whoever goes up afterwards keeps it.
func (d desk) answer(f protocol.Field, want, now protocol.Answers) {
	d.Helper()
	value, given := want.Values[f.Key]
	doubt, had := slices.Contains(want.Unsure, f.Key), slices.Contains(now.Unsure, f.Key)
	switch old, answered := now.Values[f.Key]; {
	case doubt && !had:
		d.Press(fmt.Sprint(f.Scale[0].Value), "u", fmt.Sprint(value))
		return
	case had && !doubt:
		d.Press("u")
	case answered && old == value:
		return
	}
	if given {
		d.Press(fmt.Sprint(value))
	}
}

// tick ticks just these observations, in the panel that e opens.
func (d desk) tick(want []string) {
	d.Helper()
	now := browsertest.Read[protocol.Answers](d.Tab, formNow).Observations
	if slices.Equal(slices.Sorted(slices.Values(now)), slices.Sorted(slices.Values(want))) {
		return
	}
	boxes := browsertest.Read[[]string](d.Tab, `[...document.querySelectorAll('.observation input')].map(box => box.value)`)
	d.Press(kb.Escape, "e") // after a problem at one of them, the panel is open
	for i, box := range boxes {
		if i > 0 {
			d.Press(kb.ArrowDown)
		}
		if slices.Contains(now, box) != slices.Contains(want, box) {
			d.Press(" ")
		}
	}
	d.Press(kb.Escape)
}

// same reports whether two answers say the same, in whatever order.
func same(a, b protocol.Answers) bool {
	sorted := func(keys []string) string { return strings.Join(slices.Sorted(slices.Values(keys)), " ") }
	return fmt.Sprint(a.Values) == fmt.Sprint(b.Values) && a.Note == b.Note &&
		sorted(a.Observations) == sorted(b.Observations) && sorted(a.Unsure) == sorted(b.Unsure)
}

// tabTo presses Tab until the focus is where selector says.
func tabTo(b browsertest.Tab, selector string) {
	b.Helper()
	for range 80 {
		if browsertest.Read[bool](b, fmt.Sprintf(`document.activeElement.matches(%q)`, selector)) {
			return
		}
		b.Press(kb.Tab)
	}
	b.Fatalf("80 times Tab do not lead to %s", selector)
}
