package page_test

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/browsertest"
	"github.com/labelwright/labelwright/web/page"
)

func TestContent_Markdown_OfModelsOnly(t *testing.T) {
	t.Parallel()
	data := newLabelData(t, "ambiguity")
	data.Content["turns"] = project.PartContent{Turns: []project.Turn{{Role: "user", Text: "**mine**"},
		{Role: "assistant", Text: "**theirs**"}}}
	d := renderPage(t, page.Label(data))
	if bold := d.FindAll("#item .rendered strong"); len(bold) != 1 || bold[0].Text() != "theirs" {
		t.Errorf("bold: %d", len(bold))
	}
	if raw := d.FindOne("#item .raw p").Text(); raw != "**theirs**" {
		t.Errorf("raw text %q", raw)
	}
	data.Protocol = data.Protocol.WithFormats(map[string]protocol.TextFormat{"turns": protocol.FormatText})
	if d := renderPage(t, page.Label(data)); len(d.FindAll("#item .rendered, [data-item-action=raw]")) != 0 {
		t.Error("a project that shows text shows Markdown")
	}
}

func TestContent_Tools_WhereUseful(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"ambiguity": "judged find", "empathy": "columns find",
		"rag-retrieval": "columns find"} {
		var found []string
		for _, tool := range renderPage(t, page.Label(newLabelData(t, key))).FindAll(
			"#item .item-tools [data-item-action]") {
			found = append(found, tool.Attr("data-item-action"))
		}
		if got := strings.Join(found, " "); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
}

// newLongData returns a conversation that needs several screens.
func newLongData(t *testing.T) page.LabelData {
	t.Helper()
	data := newLabelData(t, "ambiguity")
	long := strings.Repeat("Some words to read. ", 400)
	data.Content["turns"] = project.PartContent{Turns: []project.Turn{
		{Role: "user", Text: long + "NEEDLE"}, {Role: "assistant", Text: "First.\n\n- **needle** one\n\n" + long},
		{Role: "user", Text: "More?"}, {Role: "assistant", Text: "Second."},
	}}
	return data
}

// On a phone the questions are below the item: one tap leads to them from anywhere in it.
func TestItemTools_Phone_LeadToQuestions(t *testing.T) {
	t.Parallel()
	s := startStub(t, newLongData(t), nil)
	b := browsertest.Open(t, s.URL, "/healthz")
	b.SetViewport(390, 844)
	b.Visit("/work/ambiguity")
	const (
		cue       = `document.querySelector('.more-below button')`
		isVisible = `(box => box.height >= 44 && box.bottom <= innerHeight && box.top > innerHeight / 2)(` + cue +
			`.getBoundingClientRect())`
	)
	for _, y := range []string{"0", "2000"} {
		browsertest.Eval[bool](b, `(scrollTo(0, `+y+`), true)`)
		b.WaitFor(isVisible, true)
		b.WaitFor(cue+`.innerText`, "Questions")
	}
	b.Click(".more-below button")
	const isAtTop = `Math.abs(document.getElementById('answer-form').getBoundingClientRect().top) < 80`
	// or as far as the page goes
	b.WaitFor(`(`+isAtTop+` || scrollY + innerHeight >= document.documentElement.scrollHeight - 1) && document.activeElement.type`, "radio")
	b.WaitFor(`document.querySelector('.more-below').hidden`, true)
}

func TestItemTools_Keys(t *testing.T) {
	t.Parallel()
	s := startStub(t, newLongData(t), nil)
	b := browsertest.Open(t, s.URL, "/work/ambiguity")
	const judgedTop = `Math.round(document.querySelectorAll('.turn.judged')[%s].getBoundingClientRect().top - document.getElementById('item').getBoundingClientRect().top)`
	b.WaitFor(`!document.querySelector('.more-below').hidden`, true)
	b.Press("j")
	b.WaitFor(strings.Replace(judgedTop, "%s", "0", 1)+` < 60`, true)
	b.Press("j")
	b.WaitFor(`document.querySelector('.more-below').hidden`, true)
	b.Press("m")
	b.WaitFor(`document.querySelector('.rendered').checkVisibility() + ' ' + document.querySelector('.raw').checkVisibility()`, "false true")
	b.Press("m")
	b.Press("/")
	b.WaitFor(`document.activeElement.id`, "find-text")
	b.Press("needle")
	b.WaitFor(`document.querySelector('.find-bar output').value`, "1 of 2")
	b.Press("\r")
	b.WaitFor(`document.querySelector('.find-bar output').value`, "2 of 2")
	b.Press("\x1b")
	b.WaitFor(`document.querySelector('.find-bar').hidden`, true)
	b.Press("1")
	b.WaitFor(`document.querySelector('#field-a input:checked')?.value`, "1")
}

func TestFind_CollapsedPart_Opens(t *testing.T) {
	t.Parallel()
	data := newLabelData(t, "rag-generation")
	s := startStub(t, data, nil)
	b := browsertest.Open(t, s.URL, "/work/rag-generation")
	b.Press("/")
	b.WaitFor(`document.activeElement.id`, "find-text")
	b.InsertText("LEFTOVERS keep")
	b.WaitFor(`document.querySelector('.supporting').open`, true)
}

func TestPair_WideScreen_TwoColumns(t *testing.T) {
	t.Parallel()
	s := startStub(t, newLabelData(t, "rag-retrieval"), nil)
	b := browsertest.Open(t, s.URL, "/work/rag-retrieval")
	const isBesideJS = `(() => { const [a, b] = [...document.querySelectorAll('.parts .part')].map(p => p.getBoundingClientRect()); return b.left >= a.right })()`
	for _, c := range []struct {
		width, height int
		want          bool
	}{{1366, 768, false}, {1920, 1080, true}, {390, 844, false}} {
		b.SetViewport(c.width, c.height)
		if got := browsertest.Eval[bool](b, isBesideJS); got != c.want {
			t.Errorf("two columns at %d px: %v", c.width, got)
		}
	}
	b.SetViewport(1920, 1080)
	b.Press("v")
	b.WaitFor(isBesideJS, false)
}

// The class says from which height of the screen all questions are open: they fit then.
func TestQuestions_TallScreen_AllOpenAndFit(t *testing.T) {
	t.Parallel()
	for _, p := range protocol.Builtin() {
		s := startStub(t, newLabelData(t, p.Key), nil)
		b := browsertest.Open(t, s.URL, "/work/"+p.Key)
		b.SetViewport(1920, 1440)
		if closed := browsertest.Eval[int](b,
			`[...document.querySelectorAll('.question .anchor')].filter(a => a.getBoundingClientRect().width < 10).length`); closed > 0 {
			t.Errorf("%s: %d anchors are hidden", p.Key, closed)
		}
		class := browsertest.Eval[string](b,
			`document.querySelector('.questions').className.match(/open-from-(\d+)/)?.[1] ?? ''`)
		heights := map[string]int{"46": 736, "54": 864, "62": 992, "72": 1152, "80": 1280, "88": 1408}
		b.SetViewport(1920, heights[class])
		if over := browsertest.Eval[int](b, overflowJS); over > 0 {
			t.Errorf("%s opens all questions from %d px, but is %d px too high", p.Key, heights[class], over)
		}
	}
}
