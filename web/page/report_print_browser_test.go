package page_test

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/labelwright/labelwright/web/browsertest"
	"github.com/labelwright/labelwright/web/page"
)

// paperWidth is the width of A4 within the margins of a printed report, in CSS pixels.
const paperWidth = 688

// tooWideJS returns the elements that end beyond the paper.
const tooWideJS = `[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.visually-hidden')).map(e => e.outerHTML.slice(0, 80)).slice(0, 3).join(' ')`

// closedJS counts the details whose content is not printed.
const closedJS = `[...document.querySelectorAll('main details')].filter(d => d.lastElementChild.getBoundingClientRect().height === 0).length`

// smallestTextJS returns the smallest font of a table, in CSS pixels.
const smallestTextJS = `Math.min(...[...document.querySelectorAll('main table :is(th, td, small), main caption')].map(e => parseFloat(getComputedStyle(e).fontSize)))`

// readablePixels are 9 points.
const readablePixels = 12

func TestFullReport_Printed_FitsPaperAndShowsTables(t *testing.T) {
	t.Parallel()
	d := stories[10].build(t)
	s := startStub(t, newLabelData(t, "empathy"), map[string]templ.Component{"/report/full": page.ReportDetails(d, page.FullPart), "/report": page.Report(d)})
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
		if n := browsertest.Eval[int](b, closedJS); n > 0 {
			t.Errorf("%s: the content of %d details is not printed", path, n)
		}
	}
	b.Visit("/report/full")
	const openJS = `document.querySelectorAll('main details[open]').length`
	b.WaitFor(`document.querySelector('#print').hidden`, false)
	before := browsertest.Eval[int](b, openJS)
	if open := browsertest.Eval[int](b, `(dispatchEvent(new Event('beforeprint')), document.querySelectorAll('main details:not([open])').length)`); open != 0 {
		t.Errorf("%d details are closed while the page is printed", open)
	}
	if after := browsertest.Eval[int](b, `(dispatchEvent(new Event('afterprint')), `+openJS+`)`); after != before {
		t.Errorf("%d details are open after the page was printed, want %d", after, before)
	}
}
