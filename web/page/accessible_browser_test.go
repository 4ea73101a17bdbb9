package page_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/web/browsertest"
	"github.com/labelwright/labelwright/web/page"
)

const sampleMarkdown = "## Plans\n\n| Plan | Price |\n|---|---|\n| A | 5 € |\n\n```json\n{\"a\": [1, true]}\n```\n\n1. One [link](https://example.org/x)\n\n![picture](https://example.org/p.png)\n\n> Quoted."

// itemStates are labeling screens with items of every kind.
func itemStates(t testing.TB) map[string]templ.Component {
	t.Helper()
	all := map[string]templ.Component{}
	texts := sampleTexts()
	texts["markdown"], texts["json"] = sampleMarkdown, `{"name": "search", "arguments": {"query": "rice", "limit": 3}}`
	for name, text := range texts {
		d := newLabelData(t, "empathy")
		d.Protocol.Unit.Parts = slices.Clone(d.Protocol.Unit.Parts)
		for i := range d.Protocol.Unit.Parts {
			switch name {
			case "markdown":
				d.Protocol.Unit.Parts[i].Format = protocol.FormatMarkdown
			case "json":
				d.Protocol.Unit.Parts[i].Format = protocol.FormatCode
			}
		}
		d.Content = project.Content{"user_statement": {Text: text}, "response": {Text: text}}
		all["/work/item-"+name] = page.Label(d)
	}
	d := newLabelData(t, "empathy")
	d.CanUndo = true
	all["/work/undo"] = page.Label(d)
	return all
}

// opened are the controls that open a panel or dialog of the labeling screen.
var opened = []string{"#guide summary", "#keys summary", "#edge-cases summary", "#skip", "#ask-lead"}

// Every state of the pages of annotators is accessible, in each language and theme, also with
// each panel and dialog open. Without LABELWRIGHT_SLOW=1 only states that no other test checks
// are, in German.
func TestAnnotatorPages_EveryState_Accessible(t *testing.T) {
	t.Parallel()
	states := itemStates(t)
	languages, themes := []*locale.Locale{locale.German}, []bool{true}
	other := annotatorPages(t)
	if require.FullSize() {
		languages, themes = locale.Offered, []bool{false, true}
		maps.Copy(states, other)
	} else {
		maps.DeleteFunc(states, func(path string, _ templ.Component) bool {
			return path != "/work/item-markdown" && path != "/work/item-json" && path != "/work/undo"
		})
		for _, path := range []string{"/sheets-refused", "/rater-effects"} {
			states[path] = other[path]
		}
	}
	all := map[string]templ.Component{}
	for path, c := range states {
		for _, l := range languages {
			all["/"+l.Tag()+path] = in(l, c)
		}
	}
	s, tab := startStub(t, newLabelData(t, "empathy"), all), browsertest.Tab{}
	for i, path := range slices.Sorted(maps.Keys(all)) {
		if i%10 == 0 { // a tab has a time limit
			tab = browsertest.Open(t, s.URL, "/work/empathy")
		}
		b := tab
		for _, isDark := range themes {
			b.SetDarkMode(isDark)
			b.Visit(path)
			b.CheckAccessibility(fmt.Sprintf("%s, dark %v", path, isDark))
			if strings.HasSuffix(path, "/work/undo") || strings.HasSuffix(path, "-refused") &&
				strings.Contains(path, "/work/") {
				checkOpened(b, path)
			}
		}
	}
}

// checkOpened checks a labeling screen with each panel and dialog open.
func checkOpened(b browsertest.Tab, path string) {
	b.Helper()
	for _, control := range opened {
		b.Visit(path)
		if browsertest.Eval[bool](b, fmt.Sprintf(
			`document.querySelector(%q)?.click() === undefined && !!document.querySelector('dialog[open], details[open]')`, control)) {
			b.CheckAccessibility(path + " with " + control)
		}
	}
}
