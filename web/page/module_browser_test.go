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
		script string // of p, which starts at 0 with 100 words to read: idle after 70 seconds
		want   string // active and idle ms
	}{
		"reading without input":     {`p.update(60_000)`, "60000 0"},
		"longer than reading takes": {`p.update(100_000)`, "70000 30000"},
		"frequent updates": {`p.update(30_000); p.update(69_000); p.update(71_000); p.update(100_000)`,
			"70000 30000"},
		"input after a pause": {`p.recordInput(65_000); p.update(130_000)`, "130000 0"},
		"hidden page":         {`p.setVisible(false, 10_000); p.update(50_000)`, "10000 40000"},
		"return to the page": {`p.setVisible(false, 10_000); p.setVisible(true, 200_000); p.update(260_000)`,
			"70000 190000"},
		"clock moved back": {`p.update(10_000); p.update(5_000)`, "10000 0"},
	} {
		script := fmt.Sprintf(`import(%q).then(({ ActiveTimer }) => { const p = new ActiveTimer({ words: 100, now: 0, isVisible: true }); %s; return p.activeMs + ' ' + p.idleMs })`, static.Path("active_time.mjs"), c.script)
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
		"a letter where Latin has another":    {`{ key: 'e', code: 'KeyD' }`, ``, "edge_cases"},
		"the place of a letter in Cyrillic":   {`{ key: 'т', code: 'KeyN' }`, ``, "note"},
		"a question mark":                     {`{ key: '?', code: 'Slash', shiftKey: true }`, ``, "shortcuts"},
		"Ctrl with a letter":                  {`{ key: 'f', code: 'KeyF', ctrlKey: true }`, ``, ""},
		"Alt with a digit":                    {`{ key: '1', code: 'Digit1', altKey: true }`, ``, ""},
		"Cmd and Enter":                       {`{ key: 'Enter', metaKey: true }`, `{ isTyping: true }`, "submit"},
		"a held Enter":                        {`{ key: 'Enter', repeat: true }`, ``, ""},
		"a held arrow":                        {`{ key: 'ArrowDown', repeat: true }`, ``, "down"},
		"Enter while writing":                 {`{ key: 'Enter' }`, `{ isTyping: true }`, ""},
		"Esc while writing":                   {`{ key: 'Escape' }`, `{ isTyping: true }`, "close"},
		"Enter while a character is composed": {`{ key: 'Enter', isComposing: true }`, `{ isTyping: true }`, ""},
		"Backspace":                           {`{ key: 'Backspace' }`, ``, "clear"},
		"Backspace while writing":             {`{ key: 'Backspace' }`, `{ isTyping: true }`, ""},
		"a changed key":                       {`{ key: 'x', code: 'KeyX' }`, `{ keys: { note: 'x' } }`, "note"},
		"the default of a changed key":        {`{ key: 'n', code: 'KeyN' }`, `{ keys: { note: 'x' } }`, ""},
		"a key of another screen":             {`{ key: 's', code: 'KeyS' }`, `{ keys: { skip: 's' } }`, ""},
		"a sign as a key": {`{ key: '/', code: 'Slash' }`, `{ extraShortcuts: { find: '/' } }`,
			"find"},
		"a letter without single keys": {`{ key: 'g', code: 'KeyG' }`, `{ shortcutsOff: true }`, ""},
		"an arrow without single keys": {`{ key: 'ArrowUp' }`, `{ shortcutsOff: true }`, "up"},
	} {
		focus := c.focus
		if focus == "" {
			focus = "{}"
		}
		script := fmt.Sprintf(`import(%q).then(({ commandForEvent }) => { const c = commandForEvent(%s, %s); return c ? [c.name, c.value].join(' ').trim() : '' })`, static.Path("shortcuts.mjs"), c.event, focus)
		if got := browsertest.Eval[string](b, script); got != c.want {
			t.Errorf("%s means %q, want %q", name, got, c.want)
		}
	}
}
