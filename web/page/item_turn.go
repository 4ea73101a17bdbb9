package page

import (
	"strings"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A turnBlock is a turn of a conversation as it is shown.
type turnBlock struct {
	project.Turn
	Title, Note string
	Empty       string // in place of a text without any
	IsJudged    bool
	IsFolded    bool
}

// turnBlocks returns the turns of a part. Where there are several tool calls, they have numbers,
// by which the results name them.
func (i Item) turnBlocks(l *locale.Locale, p protocol.Part) (blocks []turnBlock) {
	turns := i.Content[p.Key].Turns
	calls, numbers := 0, map[string]int{}
	for _, t := range turns {
		if t.Kind == project.TurnToolCall {
			calls++
		}
	}
	call := 0
	for _, t := range turns {
		b := turnBlock{Turn: t, Title: speakerName(l, t.Role), Empty: emptyText(l, t.Role == "assistant"),
			IsJudged: i.isJudged(p, t)}
		switch t.Kind {
		case project.TurnThinking:
			b.Title, b.Note, b.Empty, b.IsFolded = l.T("Thinking"), l.T("not shown to the end user"),
				l.T("Empty text."), true
		case project.TurnToolCall:
			call++
			b.Title, b.Empty, b.IsFolded = l.T("Tool call"), l.T("No arguments."), isLong(t.Text)
			if calls > 1 {
				b.Title = l.T("Tool call %d", call)
			}
			numbers[t.CallID] = call
		case project.TurnToolResult:
			b.Title, b.Empty, b.IsFolded = l.T("Tool result"), l.T("The result is empty."), isLong(t.Text)
			if number := numbers[t.CallID]; t.CallID != "" && number > 0 && calls > 1 {
				b.Title = l.T("Result of tool call %d", number)
			}
		case project.TurnDocument:
			b.Title, b.Empty, b.IsFolded = l.T("Document"), l.T("Empty text."), isLong(t.Text)
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// The length from which what an agent reads and writes is folded.
const (
	maxOpenBytes = 700
	maxOpenLines = 10
)

func isLong(text string) bool {
	return len(text) > maxOpenBytes || strings.Count(text, "\n") >= maxOpenLines
}

// turnFormat returns the format of a turn. What tools get and give is no Markdown.
func turnFormat(p protocol.Part, t project.Turn) protocol.TextFormat {
	switch t.Kind {
	case project.TurnMessage, project.TurnThinking:
		return p.FormatFor(t.Role)
	case project.TurnToolCall:
		return protocol.FormatCode
	}
	return protocol.FormatText
}

// emptyText is what is shown in place of a text without any.
func emptyText(l *locale.Locale, isResponse bool) string {
	if isResponse {
		return l.T("The response is empty.")
	}
	return l.T("Empty text.")
}
