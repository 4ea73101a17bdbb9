package page_test

import (
	"fmt"
	"testing"

	"github.com/labelwright/labelwright/web/browsertest"
	"github.com/labelwright/labelwright/web/static"
)

func TestPace_Reading_IsActive(t *testing.T) {
	t.Parallel()
	b, _ := openLabelPage(t, "empathy")
	for name, c := range map[string]struct {
		script string // of p, which began at 0 with 100 words to read: 70 seconds of allowance
		want   string // active and idle ms
	}{
		"reading without touching anything is work": {`p.count(60_000)`, "60000 0"},
		"what is longer than reading takes is idle": {`p.count(100_000)`, "70000 30000"},
		"counting often changes nothing":            {`p.count(30_000); p.count(69_000); p.count(71_000); p.count(100_000)`, "70000 30000"},
		"whoever does something is there again":     {`p.touch(65_000); p.count(130_000)`, "130000 0"},
		"a hidden page is idle":                     {`p.presence(false, 10_000); p.count(50_000)`, "10000 40000"},
		"coming back begins a new allowance":        {`p.presence(false, 10_000); p.presence(true, 200_000); p.count(260_000)`, "70000 190000"},
		"a clock that goes back counts nothing":     {`p.count(10_000); p.count(5_000)`, "10000 0"},
	} {
		script := fmt.Sprintf(`import(%q).then(({ Pace }) => { const p = new Pace({ words: 100, now: 0, present: true }); %s; return p.active + ' ' + p.idle })`, static.Path("pace.mjs"), c.script)
		if got := browsertest.Eval[string](b, script); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestKeys_AnyLayout_SameCommand(t *testing.T) {
	t.Parallel()
	b, _ := openLabelPage(t, "empathy")
	for name, c := range map[string]struct{ event, focus, want string }{
		"a digit":                             {`{ key: '4', code: 'Digit4' }`, ``, "value 4"},
		"a digit of the number block":         {`{ key: '4', code: 'Numpad4' }`, ``, "value 4"},
		"a digit that needs Shift":            {`{ key: '4', code: 'Quote', shiftKey: true }`, ``, "value 4"},
		"the place of a digit without Shift":  {`{ key: 'é', code: 'Digit2' }`, ``, "value 2"},
		"the sign above a digit":              {`{ key: '!', code: 'Digit1', shiftKey: true }`, ``, ""},
		"a letter":                            {`{ key: 'g', code: 'KeyG' }`, ``, "guide"},
		"a letter under caps lock":            {`{ key: 'G', code: 'KeyG' }`, ``, "guide"},
		"a capital":                           {`{ key: 'G', code: 'KeyG', shiftKey: true }`, ``, ""},
		"a letter where Latin has another":    {`{ key: 'e', code: 'KeyD' }`, ``, "edges"},
		"the place of a letter in Cyrillic":   {`{ key: 'т', code: 'KeyN' }`, ``, "note"},
		"a question mark":                     {`{ key: '?', code: 'Slash', shiftKey: true }`, ``, "keys"},
		"Ctrl with a letter":                  {`{ key: 'f', code: 'KeyF', ctrlKey: true }`, ``, ""},
		"Alt with a digit":                    {`{ key: '1', code: 'Digit1', altKey: true }`, ``, ""},
		"Cmd and Enter":                       {`{ key: 'Enter', metaKey: true }`, `{ writing: true }`, "submit"},
		"a held Enter":                        {`{ key: 'Enter', repeat: true }`, ``, ""},
		"a held arrow":                        {`{ key: 'ArrowDown', repeat: true }`, ``, "down"},
		"Enter while writing":                 {`{ key: 'Enter' }`, `{ writing: true }`, ""},
		"Esc while writing":                   {`{ key: 'Escape' }`, `{ writing: true }`, "leave"},
		"Enter while a character is composed": {`{ key: 'Enter', isComposing: true }`, `{ writing: true }`, ""},
		"Backspace":                           {`{ key: 'Backspace' }`, ``, ""},
		"a letter without single keys":        {`{ key: 'g', code: 'KeyG' }`, `{ off: true }`, ""},
		"an arrow without single keys":        {`{ key: 'ArrowUp' }`, `{ off: true }`, "up"},
	} {
		focus := c.focus
		if focus == "" {
			focus = "{}"
		}
		script := fmt.Sprintf(`import(%q).then(({ commandOf }) => { const c = commandOf(%s, %s); return c ? [c.name, c.value].join(' ').trim() : '' })`, static.Path("keys.mjs"), c.event, focus)
		if got := browsertest.Eval[string](b, script); got != c.want {
			t.Errorf("%s means %q, want %q", name, got, c.want)
		}
	}
}
