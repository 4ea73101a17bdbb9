package page_test

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/web/browsertest"
	"github.com/labelwright/labelwright/web/page"
)

// in returns a page in a language.
func in(l *locale.Locale, c templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error { return c.Render(locale.With(ctx, l), w) })
}

// The colors are those of the English pages, so their contrast is not checked again.
const withoutContrast = `{ rules: { 'target-size': { enabled: true }, 'color-contrast': { enabled: false } } }`

func TestAnnotatorPages_OtherLanguages_FitAndAccessible(t *testing.T) {
	t.Parallel()
	states := annotatorPages(t)
	all := map[string]templ.Component{}
	for _, path := range []string{"/work/empathy-refused", "/work/rag-generation", "/work/states", "/work-full",
		"/guide", "/required-guide", "/corrections", "/calibration-empathy-retake", "/account", "/skip", "/break",
		"/messages"} {
		all["/de"+path], all["/rtl"+path] = in(locale.German, states[path]), in(locale.Pseudo, states[path])
	}
	s := startStub(t, newLabelData(t, "empathy"), all)
	b := browsertest.Open(t, s.URL, "/de/account")
	for _, path := range slices.Sorted(maps.Keys(all)) {
		b.SetViewport(390, 844)
		b.Visit(path)
		if over := browsertest.Eval[int](b, `document.scrollingElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("%s on a phone is %d px too wide", path, over)
		}
		b.SetViewport(1366, 768)
		if over := browsertest.Eval[int](b, `document.scrollingElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("%s is %d px too wide", path, over)
		}
		if strings.HasPrefix(path, "/de/") {
			for _, v := range b.AxeViolations(withoutContrast) {
				t.Errorf("%s: %s", path, v)
			}
		}
	}
}

// The labeling screen is mirrored, and its script speaks the language of the page.
func TestLabel_OtherLanguages_MirroredAndTranslated(t *testing.T) {
	t.Parallel()
	d := newLabelData(t, "empathy")
	s := startStub(t, d, map[string]templ.Component{"/de": in(locale.German, page.Label(d)), "/rtl": in(locale.Pseudo,
		page.Label(d))})
	b := browsertest.Open(t, s.URL, "/rtl")
	const isMirrored = `document.getElementById('item').getBoundingClientRect().left > document.getElementById('answer-form').getBoundingClientRect().left`
	b.WaitFor(isMirrored, true)
	b.Visit("/de")
	b.WaitFor(isMirrored, false)
	b.Press("9")
	b.WaitFor(`document.querySelector('.key-feedback').textContent`, "9 liegt nicht auf dieser Skala. Drücken Sie 1–5.")
	b.Press("4")
	b.WaitFor(`document.getElementById('answered-count').textContent`, "1 von 5 beantwortet")
	b.Click("#submit-answers")
	b.WaitFor(problemJS("validation"), "Wählen Sie eine Antwort.")
	b.WaitFor(`document.querySelector('#problem-validation li').lang`, "")
}
