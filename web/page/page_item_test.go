package page_test

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/htmltest"
	"github.com/labelwright/labelwright/web/page"
)

func TestItem_AnyScript_ShownVerbatim(t *testing.T) {
	t.Parallel()
	for name, text := range sampleTexts() {
		data := newLabelData(t, "empathy")
		data.Content["response"] = project.PartContent{Text: text}
		paragraphs := renderPage(t, page.Label(data)).FindAll("#item .judged .item-text p")
		var shown []string
		for _, p := range paragraphs {
			shown = append(shown, p.RawText())
			if p.Attr("dir") != "auto" {
				t.Errorf("%s: a paragraph has not its own direction", name)
			}
		}
		if got := strings.Join(shown, "\n\n"); got != text {
			t.Errorf("%s: shown as %.80q, want %.80q", name, got, text)
		}
	}
}

func TestItem_InvisibleChars_Marked(t *testing.T) {
	t.Parallel()
	data := newLabelData(t, "empathy")
	data.Content["response"] = project.PartContent{Text: sampleTexts()["hidden"] +
		"\u200f\U000e0041 می\u200cخواهم 👩\u200d🚀"}
	var names []string
	for _, m := range renderPage(t, page.Label(data)).FindAll("#item .judged .invisible-character") {
		names = append(names, m.Attr("data-character"))
	}
	if got, want := strings.Join(names, " "), "RLO PDF ZWSP LRI PDI U+0007 RLM U+E0041"; got != want {
		t.Errorf("marked are %s, want %s", got, want)
	}
}

func TestItem_Parts_InOrder(t *testing.T) {
	t.Parallel()
	d := renderPage(t, page.Label(newLabelData(t, "rag-generation")))
	if got := strings.Join(htmltest.Texts(d.FindAll("#item h2")), ", "); got != "Query, Answer, Retrieved context" {
		t.Errorf("the parts are %s", got)
	}
	folded := d.FindOne("#item details")
	if folded.HasAttr("open") || folded.FindOne("h2").Text() != "Retrieved context" ||
		len(folded.FindAll(".chunk")) != 2 {
		t.Error("the retrieved context is not folded")
	}
	d = renderPage(t, page.Label(newLabelData(t, "rag-retrieval")))
	head := d.FindOne("#item .chunk h3")
	if head.Text() != "Rank 3 https://food.example/storage?x=<b>" || len(d.FindAll("#item a")) != 0 {
		t.Errorf("a passage has its rank and its source as text: %q", head.Text())
	}
}

func TestItem_JudgedTurns_Highlighted(t *testing.T) {
	t.Parallel()
	d := renderPage(t, page.Label(newLabelData(t, "ambiguity")))
	if got := strings.Join(htmltest.Texts(d.FindAll(".turn h3 bdi")), ", "); got != "User, Assistant, User, Assistant" {
		t.Errorf("the turns are by %s", got)
	}
	if got := len(d.FindAll(".turn.judged")); got != 2 {
		t.Errorf("%d turns stand out, want the assistant's 2", got)
	}
}

func TestItem_Empty_ShowsMessage(t *testing.T) {
	t.Parallel()
	data := newLabelData(t, "empathy")
	data.Content["response"] = project.PartContent{Text: " \n\n "}
	if got := renderPage(t, page.Label(data)).FindOne("#item .judged .item-text").Text(); got !=
		"The response is empty. Tick “Empty or makes no sense”: e" {
		t.Errorf("an empty response shows %q", got)
	}
}
