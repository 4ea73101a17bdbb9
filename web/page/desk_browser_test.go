package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/browsertest"
	"github.com/labelwright/labelwright/web/page"
)

// deskData is an answer with citations and eight chunks, of which the screen shows two at once.
func deskData(t testing.TB) page.LabelData {
	data := newLabelData(t, "rag-grounding")
	data.Project.Citations = "[{n}]"
	var chunks []project.Chunk
	for i := range 8 {
		chunks = append(chunks, project.Chunk{Source: fmt.Sprintf("hours-%d.md", i), Rank: i + 1,
			Text: strings.Repeat("The shop opens at nine. ", 30)})
	}
	data.Content = project.Content{"context_set": {Chunks: chunks}, "query": {Text: "When does the shop open?"},
		"answer": {Text: "At **nine** [1]. On Sundays it opens at ten [8] or is closed [9]. See also [2, 3]."}}
	return data
}

const (
	citedChunkJS = `document.querySelector('.chunk[data-cited] h3')?.textContent.trim().replace(/\s+/g, ' ') ?? ''`
	deskJS       = `(() => {
		const seen = e => { const r = e.getBoundingClientRect(); return r.top >= 40 && r.top < innerHeight && r.width > 200 }
		const answer = document.querySelector('.part.judged .item-text'), cited = document.querySelector('.chunk[data-cited]')
		return seen(answer) && seen(cited) && answer.getBoundingClientRect().right <= cited.getBoundingClientRect().left
	})()`
)

// One key for each citation shows its chunk next to the answer, from 1024 px on.
func TestDesk_CitationKey_ShowsChunkBesideAnswer(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, startStub(t, deskData(t), nil).URL, "/work/rag-grounding")
	for _, width := range []int{1024, 1366, 1920} {
		b.SetViewport(width, 768)
		for _, want := range []string{"[1] hours-0.md", "[8] hours-7.md", "[2] hours-1.md", "[3] hours-2.md"} {
			b.Press("c")
			b.WaitFor(citedChunkJS, want)
			b.WaitFor(deskJS, true)
		}
	}
	b.CheckAccessibility("a marked chunk")
	b.SetDarkMode(true)
	b.CheckContrast("a marked chunk in the dark")
	b.Press("v")
	b.WaitFor(deskJS, false)
}

// Without scripts a citation is a link to its chunk, and one without a chunk is named.
func TestDesk_WithoutScripts_LinksToChunks(t *testing.T) {
	t.Parallel()
	data := deskData(t)
	d := renderPage(t, page.Label(data))
	for _, link := range d.FindAll(".rendered a.citation") {
		if target := d.FindFirst(link.Attr("href")); !strings.HasPrefix(target.Text(), "[") {
			t.Errorf("the citation %s leads to %q", link.Text(), target.Text())
		}
	}
	if got := d.FindFirst(".missing-citations").Text(); got != "Without a chunk: [9]" {
		t.Errorf("citations without a chunk: %q", got)
	}
	if got := d.FindFirst(".rendered .no-chunk").Text(); got != "[9]" {
		t.Errorf("marked in the answer: %q", got)
	}
	b := browsertest.Open(t, startStub(t, data, nil).URL, "/sign-in")
	b.SetScripting(false)
	b.Visit("/work/rag-grounding")
	b.Click(".rendered a.citation[href='#chunk-8']")
	b.WaitFor(`document.querySelector('.chunk:target h3').getBoundingClientRect().top < innerHeight`, true)
}

// The words of the query are marked in the chunks with two keys, and on the next items too.
func TestDesk_QueryTerms_Marked(t *testing.T) {
	t.Parallel()
	b := browsertest.Open(t, startStub(t, deskData(t), nil).URL, "/work/rag-grounding")
	b.Press("/")
	b.WaitFor(`document.activeElement.id`, "find-text")
	b.Press(kb.Enter)
	const markedJS = `[...new Set([...(CSS.highlights.get('item-query') ?? [])].map(r => r.toString()))].sort()`
	b.WaitFor(markedJS, []string{"opens", "shop"})
	b.CheckAccessibility("the bar that finds text")
	b.Visit("/work/rag-grounding")
	b.WaitFor(markedJS, []string{"opens", "shop"})
	b.Press("/")
	b.WaitFor(`document.activeElement.id`, "find-text")
	b.Press(kb.Enter)
	b.WaitFor(markedJS, []string{})
}

// Chunks without an answer that cites them keep their ranks as headings, also where citations are
// not linked.
func TestChunkHeading_WithoutCitations_IsRank(t *testing.T) {
	t.Parallel()
	data := deskData(t)
	data.Project.Citations = ""
	if got := renderPage(t, page.Label(data)).FindFirst(".chunk h3").Text(); !strings.HasPrefix(strings.TrimSpace(got),
		"Chunk 1") {
		t.Errorf("heading %q", got)
	}
	retrieval := newLabelData(t, "rag-retrieval")
	retrieval.Project.Citations = "[{n}]"
	if got := renderPage(t, page.Label(retrieval)).FindFirst(".chunk h3").Text(); !strings.HasPrefix(strings.TrimSpace(got),
		"Rank 3") {
		t.Errorf("heading of the chunk that is judged: %q", got)
	}
}
