package page_test

import (
	"compress/gzip"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/browsertest"
	"github.com/labelwright/labelwright/web/page"
)

// overflowJS is how far the questions would have to be scrolled.
const overflowJS = `(() => { const a = document.querySelector('.question-list'); return a.scrollHeight - a.clientHeight })()`

func TestLabel_AnyQuestion_FitsScreen(t *testing.T) {
	t.Parallel()
	for _, p := range protocol.Builtin() {
		t.Run(p.Key, func(t *testing.T) {
			data := newLabelData(t, p.Key)
			data.Answers = protocol.Answers{Values: longestAnswers(p)}
			s := startStub(t, data, nil)
			b := browsertest.Open(t, s.URL, "/work/"+p.Key)
			for _, f := range p.Fields {
				browsertest.Eval[bool](b, `document.querySelector('#field-`+f.Key+` input:checked').focus(), true`)
				b.WaitFor(activeKeyJS, f.Key)
				if over := browsertest.Eval[int](b, overflowJS); over > 0 {
					t.Errorf("with %s active the form is %d px too high for 1366×768", f.Key, over)
				}
			}
		})
	}
}

// longestAnswers answers every question with the point of the longest anchor, short
// of those that need a note.
func longestAnswers(p protocol.Protocol) map[string]int {
	values := map[string]int{}
	for _, f := range p.Fields {
		points := slices.DeleteFunc(slices.Clone(f.Scale), func(point protocol.Point) bool { return len(f.Scale) == 5 && point.Value%4 == 1 })
		values[f.Key] = slices.MaxFunc(points, func(a, b protocol.Point) int { return len(a.Anchor) - len(b.Anchor) }).Value
	}
	return values
}

func TestPages_AnyWidth_NoOverflow(t *testing.T) {
	t.Parallel()
	all := samplePages(t)
	for name, text := range sampleTexts() {
		data := newLabelData(t, "empathy")
		data.Content["response"] = project.PartContent{Text: text}
		all["/script/"+name] = page.Label(data)
	}
	s := startStub(t, newLabelData(t, "empathy"), all)
	b := browsertest.Open(t, s.URL, "/sign-in")
	for _, path := range slices.Sorted(maps.Keys(all)) {
		b.Visit(path)
		for _, size := range [][2]int{{1366, 768}, {768, 1024}, {390, 844}, {320, 568}} {
			b.SetViewport(size[0], size[1])
			if over := browsertest.Eval[int](b, `document.scrollingElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("%s at %d×%d is %d px too wide", path, size[0], size[1], over)
			}
		}
	}
}

// Below a long item the questions are far; one press leads there. Beside the
// item they need none.
func TestLabel_Narrow_LinksToForm(t *testing.T) {
	t.Parallel()
	data := newLabelData(t, "empathy")
	data.Content["response"] = project.PartContent{Text: strings.Repeat("So it went on, week after week. ", 2000)}
	b := browsertest.Open(t, startStub(t, data, nil).URL, "/work/empathy")
	b.WaitFor(`document.querySelector('.label-header .to-questions').checkVisibility()`, false)
	b.SetViewport(390, 844)
	b.Click(".label-header .to-questions")
	b.WaitFor(`document.querySelector('.question').getBoundingClientRect().top < innerHeight`, true)
}

// smallTargetsJS lists what is pressed with a finger or a mouse and is under 24 px.
const smallTargetsJS = `[...document.querySelectorAll('button, summary, input:not([type=hidden]), select, textarea, .point')]
	.map(e => e.matches('input[type=radio], input[type=checkbox]') ? e.closest('label') ?? e : e)
	.filter(e => e.checkVisibility({ visibilityProperty: true }))
	.map(e => [e, e.getBoundingClientRect()])
	.filter(([, r]) => r.width < 24 || r.height < 24)
	.map(([e, r]) => e.outerHTML.slice(0, 80) + ' ' + r.width + '×' + r.height).join('\n')`

func TestPages_Targets_AtLeast24px(t *testing.T) {
	t.Parallel()
	all := samplePages(t)
	s := startStub(t, newLabelData(t, "empathy"), all)
	b := browsertest.Open(t, s.URL, "/sign-in")
	for _, path := range slices.Sorted(maps.Keys(all)) {
		b.Visit(path)
		if got := browsertest.Eval[string](b, smallTargetsJS); got != "" {
			t.Errorf("%s: under 24 px:\n%s", path, got)
		}
	}
}

func TestPages_BothThemes_Accessible(t *testing.T) {
	t.Parallel()
	all := samplePages(t)
	refused := newLabelData(t, "empathy")
	refused.Answers = protocol.Answers{Values: map[string]int{"emotion": 5}, Observations: []string{"framed_as_consult", "just_i_understand"}}
	refused.Problems = refused.Protocol.Check(refused.Facts, refused.Answers)
	all["/refused"] = page.Label(refused)
	s := startStub(t, newLabelData(t, "empathy"), all)
	b := browsertest.Open(t, s.URL, "/sign-in")
	for _, path := range slices.Sorted(maps.Keys(all)) {
		b.SetDarkMode(false)
		b.Visit(path)
		b.CheckAccessibility(path)
		b.SetDarkMode(true)
		b.CheckContrast(path + " in the dark")
	}
	b.SetDarkMode(false)
	b.Visit("/work/empathy")
	for _, key := range []string{"e", "g", "?"} {
		b.Press(key)
		b.CheckAccessibility("panel " + key)
		b.Press(kb.Escape)
	}
	b.Click("#skip")
	b.CheckAccessibility("set aside")
}

func TestAxe_UnnamedButton_Found(t *testing.T) {
	t.Parallel()
	b, _ := openLabelPage(t, "empathy")
	browsertest.Eval[bool](b, `document.querySelector('.form-footer').append(document.createElement('button')), true`)
	if found := b.AxeViolations(`{}`); len(found) != 1 || !strings.HasPrefix(found[0], "button-name") {
		t.Errorf("a button without a name: found %q", found)
	}
}

// maxFirstLoadBytes is what a labelling screen may weigh with all it needs.
const maxFirstLoadBytes = 60 << 10

func TestLabel_FirstLoad_UnderLimit(t *testing.T) {
	t.Parallel()
	s := startStub(t, newLabelData(t, "empathy"), nil)
	d := renderPage(t, page.Label(newLabelData(t, "empathy")))
	paths := []string{"/work/empathy"}
	for _, e := range append(d.FindAll("link[href]"), d.FindAll("script[src]")...) {
		if path := e.Attr("href") + e.Attr("src"); !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	total := 0
	for _, path := range paths {
		total += transferSize(t, s.URL+path)
	}
	t.Logf("%d files, %d bytes compressed", len(paths), total)
	if total > maxFirstLoadBytes {
		t.Errorf("%d bytes, want at most %d", total, maxFirstLoadBytes)
	}
}

// transferSize returns how many bytes of url travel, compressed.
func transferSize(t *testing.T, url string) int {
	t.Helper()
	request, _ := http.NewRequest(http.MethodGet, url, nil)
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", url, response.StatusCode, err)
	}
	if response.Header.Get("Content-Encoding") == "gzip" {
		return len(body)
	}
	var compressed strings.Builder // the application compresses pages, this server does not
	w := gzip.NewWriter(&compressed)
	w.Write(body)
	w.Close()
	return compressed.Len()
}
