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

// fold is how far the questions would have to be scrolled.
const fold = `(() => { const a = document.querySelector('.ask-all'); return a.scrollHeight - a.clientHeight })()`

func TestTheFormFitsTheScreenWhicheverQuestionIsActive(t *testing.T) {
	t.Parallel()
	for _, p := range protocol.Builtin() {
		t.Run(p.Key, func(t *testing.T) {
			data := sample(t, p.Key)
			data.Answers = protocol.Answers{Values: longest(p)}
			s := serve(t, data, nil)
			b := browsertest.Open(t, s.URL, "/work/"+p.Key)
			for _, f := range p.Fields {
				browsertest.Read[bool](b, `document.querySelector('#field-`+f.Key+` input:checked').focus(), true`)
				b.Becomes(activeKey, f.Key)
				if over := browsertest.Read[int](b, fold); over > 0 {
					t.Errorf("with %s active the form is %d px too high for 1366×768", f.Key, over)
				}
			}
		})
	}
}

// longest answers every question with the point of the longest anchor, short
// of those that need a note.
func longest(p protocol.Protocol) map[string]int {
	values := map[string]int{}
	for _, f := range p.Fields {
		points := slices.DeleteFunc(slices.Clone(f.Scale), func(point protocol.Point) bool { return len(f.Scale) == 5 && point.Value%4 == 1 })
		values[f.Key] = slices.MaxFunc(points, func(a, b protocol.Point) int { return len(a.Anchor) - len(b.Anchor) }).Value
	}
	return values
}

func TestNoPageScrollsSideways(t *testing.T) {
	t.Parallel()
	all := pages(t)
	for name, text := range scripts() {
		data := sample(t, "empathy")
		data.Content["response"] = project.Piece{Text: text}
		all["/script/"+name] = page.Label(data)
	}
	s := serve(t, sample(t, "empathy"), all)
	b := browsertest.Open(t, s.URL, "/sign-in")
	for _, path := range slices.Sorted(maps.Keys(all)) {
		b.Visit(path)
		for _, size := range [][2]int64{{1366, 768}, {768, 1024}, {390, 844}, {320, 568}} {
			b.Size(size[0], size[1])
			if over := browsertest.Read[int](b, `document.scrollingElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("%s at %d×%d is %d px too wide", path, size[0], size[1], over)
			}
		}
	}
}

// Below a long item the questions are far; one press leads there. Beside the
// item they need none.
func TestOnANarrowScreenALinkLeadsPastALongItem(t *testing.T) {
	t.Parallel()
	data := sample(t, "empathy")
	data.Content["response"] = project.Piece{Text: strings.Repeat("So it went on, week after week. ", 2000)}
	b := browsertest.Open(t, serve(t, data, nil).URL, "/work/empathy")
	b.Becomes(`document.querySelector('.bar .down').checkVisibility()`, false)
	b.Size(390, 844)
	b.Click(".bar .down")
	b.Becomes(`document.querySelector('.question').getBoundingClientRect().top < innerHeight`, true)
}

// small lists what is pressed with a finger or a mouse and is under 24 px.
const small = `[...document.querySelectorAll('button, summary, input:not([type=hidden]), select, textarea, .point')]
	.map(e => e.matches('input[type=radio], input[type=checkbox]') ? e.closest('label') ?? e : e)
	.filter(e => e.checkVisibility({ visibilityProperty: true }))
	.map(e => [e, e.getBoundingClientRect()])
	.filter(([, r]) => r.width < 24 || r.height < 24)
	.map(([e, r]) => e.outerHTML.slice(0, 80) + ' ' + r.width + '×' + r.height).join('\n')`

func TestEverythingToPressIsLargeEnough(t *testing.T) {
	t.Parallel()
	all := pages(t)
	s := serve(t, sample(t, "empathy"), all)
	b := browsertest.Open(t, s.URL, "/sign-in")
	for _, path := range slices.Sorted(maps.Keys(all)) {
		b.Visit(path)
		if got := browsertest.Read[string](b, small); got != "" {
			t.Errorf("%s: under 24 px:\n%s", path, got)
		}
	}
}

func TestEveryPageIsAccessibleInBothThemes(t *testing.T) {
	t.Parallel()
	all := pages(t)
	refused := sample(t, "empathy")
	refused.Answers = protocol.Answers{Values: map[string]int{"emotion": 5}, Observations: []string{"framed_as_consult", "just_i_understand"}}
	refused.Problems = refused.Protocol.Check(refused.Facts, refused.Answers)
	all["/refused"] = page.Label(refused)
	s := serve(t, sample(t, "empathy"), all)
	b := browsertest.Open(t, s.URL, "/sign-in")
	for _, path := range slices.Sorted(maps.Keys(all)) {
		b.Dark(false)
		b.Visit(path)
		b.Axe(path)
		b.Dark(true)
		b.Contrast(path + " in the dark")
	}
	b.Dark(false)
	b.Visit("/work/empathy")
	for _, key := range []string{"e", "g", "?"} {
		b.Press(key)
		b.Axe("panel " + key)
		b.Press(kb.Escape)
	}
	b.Click("#set-aside")
	b.Axe("set aside")
}

func TestTheAccessibilityCheckNoticesAFault(t *testing.T) {
	t.Parallel()
	b, _ := label(t, "empathy")
	browsertest.Read[bool](b, `document.querySelector('.foot').append(document.createElement('button')), true`)
	if found := b.Violations(`{}`); len(found) != 1 || !strings.HasPrefix(found[0], "button-name") {
		t.Errorf("a button without a name: found %q", found)
	}
}

// firstVisit is what a labelling screen may weigh with all it needs.
const firstVisit = 60 << 10

func TestTheFirstLabellingScreenIsLight(t *testing.T) {
	t.Parallel()
	s := serve(t, sample(t, "empathy"), nil)
	d := rendered(t, page.Label(sample(t, "empathy")))
	paths := []string{"/work/empathy"}
	for _, e := range append(d.All("link[href]"), d.All("script[src]")...) {
		if path := e.Attr("href") + e.Attr("src"); !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	total := 0
	for _, path := range paths {
		total += weigh(t, s.URL+path)
	}
	t.Logf("%d files, %d bytes compressed", len(paths), total)
	if total > firstVisit {
		t.Errorf("%d bytes, want at most %d", total, firstVisit)
	}
}

// weigh returns how many bytes of url travel, compressed.
func weigh(t *testing.T, url string) int {
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
