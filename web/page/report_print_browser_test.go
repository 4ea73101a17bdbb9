package page_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/web/browsertest"
	"github.com/labelwright/labelwright/web/page"
)

// paperWidth is the width of A4 within the margins of a printed report, in CSS pixels.
const paperWidth = 688

// tooWideJS returns the elements that end beyond the paper.
const tooWideJS = `[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.visually-hidden')).map(e => e.outerHTML.slice(0, 80)).slice(0, 3).join(' ')`

// unlikePaperJS counts the details that are closed and printed, or open and not.
const unlikePaperJS = `[...document.querySelectorAll('main details:not(figure > details)')].filter(d => d.open !== d.lastElementChild.getBoundingClientRect().height > 0 && d.checkVisibility() !== d.open).length`

// smallestTextJS returns the smallest font of a table, in CSS pixels.
const smallestTextJS = `Math.min(...[...document.querySelectorAll('main table :is(th, td, small), main caption')].map(e => parseFloat(getComputedStyle(e).fontSize)))`

// readablePixels are 9 points.
const readablePixels = 12

func TestFullReport_Printed_FitsPaperAndShowsWhatIsOpen(t *testing.T) {
	t.Parallel()
	d := stories[10].build(t)
	s := startStub(t, newLabelData(t, "empathy"), map[string]templ.Component{"/report/full": page.ReportDetails(d,
		page.FullPart), "/report": page.Report(d)})
	b := browsertest.Open(t, s.URL, "/report/full")
	for _, path := range []string{"/report/full", "/report"} {
		b.Visit(path)
		b.SetViewport(paperWidth, 1000)
		b.SetPrint()
		if wide := browsertest.Eval[string](b, tooWideJS); wide != "" {
			t.Errorf("%s is wider than the paper: %s", path, wide)
		}
		if size := browsertest.Eval[float64](b, smallestTextJS); size < readablePixels {
			t.Errorf("%s: text of tables has %v pixels", path, size)
		}
		if n := browsertest.Eval[int](b, unlikePaperJS); n > 0 {
			t.Errorf("%s: %d details are closed and printed, or open and not", path, n)
		}
	}
	b.Visit("/report/full")
	b.WaitFor(`document.querySelector('#print').hidden`, false)
	if n := browsertest.Eval[int](b, `document.querySelectorAll('#fields > details[open]').length`); n != 5 {
		t.Errorf("%d fields are open, want 5", n)
	}
}

// TestCustomerReport_Printed_IsShortAndNamesNobody prints what a customer gets of each story.
func TestCustomerReport_Printed_IsShortAndNamesNobody(t *testing.T) {
	t.Parallel()
	pages, annotators := map[string]templ.Component{}, map[string][]string{}
	for i, story := range stories {
		path, d := fmt.Sprintf("/%d-%s", i, strings.ReplaceAll(story.name, " ", "-")), story.build(t)
		pages[path] = page.ReportDetails(d, page.CustomerPart)
		for _, a := range d.Report.Annotators {
			annotators[path] = append(annotators[path], a.Name)
		}
	}
	s := startStub(t, newLabelData(t, "empathy"), pages)
	b := browsertest.Open(t, s.URL, slices.Min(slices.Collect(maps.Keys(pages))))
	for path := range pages {
		b.Visit(path)
		if n := b.CountPrintedPages(); n > 2 {
			t.Errorf("%s is printed on %d pages, want 2", path, n)
		}
		text := browsertest.Eval[string](b, `document.querySelector('main').innerHTML`)
		for _, name := range annotators[path] {
			if regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).MatchString(text) {
				t.Errorf("%s names the annotator %s", path, name)
			}
		}
	}
}

// maxPrintedPages is the number of A4 pages of a full report on five fields.
const maxPrintedPages = 8

// TestFullReport_Printed_IsShort prints the stories with five fields, four annotators and more, in each language.
func TestFullReport_Printed_IsShort(t *testing.T) {
	t.Parallel()
	pages := map[string]templ.Component{}
	for _, name := range []string{"nobody agrees", "one careless", "a judge"} {
		d := buildStory(t, name)
		for _, l := range locale.Offered {
			pages["/"+l.Tag()+"/"+name[:3]] = templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
				return page.ReportDetails(d, page.FullPart).Render(locale.With(ctx, l), w)
			})
		}
	}
	s := startStub(t, newLabelData(t, "empathy"), pages)
	b := browsertest.Open(t, s.URL, "/en/nob")
	for path := range pages {
		b.Visit(path)
		n := b.CountPrintedPages()
		if t.Logf("%s: %d pages", path, n); n < 2 || n > maxPrintedPages {
			t.Errorf("%s is printed on %d pages", path, n)
		}
	}
}
