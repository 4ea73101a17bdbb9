package page_test

import (
	"context"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/browsertest"
	"github.com/labelwright/labelwright/web/page"
)

// newTraceData returns what an agent does with tools, each kind of turn among it.
func newTraceData(t *testing.T) page.LabelData {
	t.Helper()
	data := newLabelData(t, "ambiguity")
	data.Content["turns"] = project.PartContent{Turns: []project.Turn{
		{Role: "user", Text: "Book me a flight."},
		{Role: "user", Kind: project.TurnImage, Text: "a passport", Address: "https://a.example/passport.png"},
		{Role: "user", Kind: project.TurnDocument, Name: "terms.pdf", Text: "No refunds."},
		{Role: "assistant", Kind: project.TurnThinking, Text: "I search **first**."},
		{Role: "assistant", Kind: project.TurnToolCall, Name: "search", CallID: "c1", Text: `{"to":"FCO","max":1e3}`},
		{Role: "assistant", Kind: project.TurnToolCall, Name: "weather", CallID: "c2"},
		{Role: "tool", Kind: project.TurnToolResult, Name: "weather", CallID: "c2"},
		{Role: "tool", Kind: project.TurnToolResult, Name: "search", CallID: "c1", Text: strings.Repeat("AZ1 **120** ",
			100) + "NEEDLE"},
		{Role: "assistant", Text: ""},
	}}
	return data
}

func TestContent_AgentTrace_BlocksOfTheirOwn(t *testing.T) {
	t.Parallel()
	d := renderPage(t, page.Label(newTraceData(t)))
	var titles []string
	for _, turn := range d.FindAll("#item .turn") {
		titles = append(titles, strings.Join(strings.Fields(turn.FindOne("h3").Text()), " "))
	}
	want := []string{"User", "User", "Document terms.pdf", "Thinking not shown to the end user", "Tool call 1 search",
		"Tool call 2 weather", "Result of tool call 2 weather", "Result of tool call 1 search", "Assistant judged"}
	if got, want := strings.Join(titles, "\n"), strings.Join(want, "\n"); got != want {
		t.Errorf("titles:\n%s\nwant\n%s", got, want)
	}
	for selector, want := range map[string]string{
		".tool_call .rendered": "{ \"to\": \"FCO\", \"max\": 1e3 }", ".tool_call .no-content": "No arguments.",
		".tool_result .no-content": "The result is empty.", ".turn.judged .no-content": "The response is empty.",
		".image-placeholder .link-target":      "https://a.example/passport.png",
		".thinking details:not([open]) strong": "first", ".document .item-text": "No refunds.",
	} {
		if got := strings.Join(strings.Fields(d.FindAll("#item " + selector)[0].Text()), " "); got != want {
			t.Errorf("%s: %q, want %q", selector, got, want)
		}
	}
	if folded := d.FindAll("#item details.fold:not([open])"); len(folded) != 2 {
		t.Errorf("%d turns are folded, want the thinking and the long result", len(folded))
	}
	for _, text := range d.FindAll("#item .item-text:not(.no-content)") {
		if text.Attr("translate") != "no" {
			t.Errorf("a browser may translate %q", text.Text())
		}
	}
}

func TestContent_EmptyTexts_SaySo(t *testing.T) {
	t.Parallel()
	data := newLabelData(t, "rag-generation")
	data.Content = project.Content{}
	for _, part := range data.Protocol.Unit.Parts {
		data.Content[part.Key] = project.PartContent{Chunks: []project.Chunk{{Rank: 1}}}
	}
	var found strings.Builder
	if err := page.Label(data).Render(locale.With(context.Background(), locale.German), &found); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Die Antwort ist leer.", "Der Abschnitt ist leer."} {
		if !strings.Contains(found.String(), want) {
			t.Errorf("lacks %q", want)
		}
	}
}

// What is sought in a folded turn opens it; a key opens and closes all.
func TestFind_FoldedTurn_Opens(t *testing.T) {
	t.Parallel()
	s := startStub(t, newTraceData(t), nil)
	b := browsertest.Open(t, s.URL, "/work/ambiguity")
	const openFolds = `document.querySelectorAll('.fold[open]').length`
	b.Press("/")
	b.WaitFor(`document.activeElement.id`, "find-text")
	b.InsertText("needle")
	b.WaitFor(openFolds, 1)
	b.Press("\x1b")
	b.Press("o")
	b.WaitFor(openFolds, 2)
	b.Press("o")
	b.WaitFor(openFolds, 0)
	requests, _ := b.Requests()
	for _, request := range requests {
		if strings.Contains(request, "a.example") {
			t.Errorf("requested %s", request)
		}
	}
}
