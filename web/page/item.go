package page

import (
	"cmp"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/itemtext"
)

// An Item is the content of one item and the protocol that describes it.
type Item struct {
	Protocol  protocol.Protocol
	Content   project.Content
	Citations project.CitationPattern
	HasForm   bool // the questions are next to it
}

func newItem(p project.Project, content project.Content) Item {
	return Item{Protocol: p.Protocol, Content: content, Citations: p.CitationPattern}
}

// headingLevel returns the level of headings in the texts of a part: below its title, or
// below the heading of a turn or a chunk.
func headingLevel(p protocol.Part) int {
	if p.Kind == protocol.PartText {
		return 3
	}
	return 4
}

// isPair reports whether two parts are read together, such as an answer and its context.
// They are next to each other where the screen has room.
func (i Item) isPair() bool { return len(i.parts(false)) == 2 }

// hasJudgedTurn reports whether some turns of a conversation are judged and others are not.
func (i Item) hasJudgedTurn() bool {
	for _, p := range i.Protocol.Unit.Parts {
		judged := 0
		for _, t := range i.Content[p.Key].Turns {
			if i.isJudged(p, t) {
				judged++
			}
		}
		if judged > 0 && judged < len(i.Content[p.Key].Turns) {
			return true
		}
	}
	return false
}

// hasRendered reports whether a text of the item is shown otherwise than it was written.
func (i Item) hasRendered() bool {
	for _, p := range i.Protocol.Unit.Parts {
		content := i.Content[p.Key]
		turns := append([]project.Turn{{Text: content.Text}}, content.Turns...)
		for _, c := range content.Chunks {
			turns = append(turns, project.Turn{Text: c.Text})
		}
		for _, t := range turns {
			if _, isRendered := itemtext.Render(t.Text, turnFormat(p, t), headingLevel(p)); isRendered {
				return true
			}
		}
	}
	return false
}

// shortWords is up to how many words a part stays in view while the other one scrolls.
const shortWords = 120

// emptyText is what is shown in place of a judged text without any, with what to tick.
func (i Item) emptyText(l *locale.Locale, keys account.Keys, p protocol.Part) string {
	for _, o := range i.Protocol.Observations {
		if i.HasForm && p.Judged && strings.HasPrefix(o.Key, "empty") {
			return l.T("The response is empty. Tick “%s”: %s", o.Title, keys.Of(account.CommandEdgeCases))
		}
	}
	return emptyText(l, p.Judged)
}

// isDesk reports whether an item is an answer next to the chunks that it cites. The answer stays
// in view while the chunks scroll.
func (i Item) isDesk() bool {
	parts := i.parts(false)
	return len(parts) == 2 && parts[0].Kind == protocol.PartText && parts[1].Kind == protocol.PartChunks
}

// isShort reports whether a part stays in view next to a longer one.
func (i Item) isShort(p protocol.Part) bool {
	return i.isPair() && project.Content{p.Key: i.Content[p.Key]}.WordCount() <= shortWords
}

// parts returns the primary or the supporting parts.
func (i Item) parts(supporting bool) (parts []protocol.Part) {
	for _, p := range i.Protocol.Unit.Parts {
		if p.Supporting == supporting {
			parts = append(parts, p)
		}
	}
	return parts
}

// isJudged reports whether the questions are about a turn: a message of the role that the
// protocol counts, or else of the assistant.
func (i Item) isJudged(p protocol.Part, t project.Turn) bool {
	if !p.Judged || t.Kind != project.TurnMessage {
		return false
	}
	for _, f := range i.Protocol.Facts {
		if f.Part == p.Key && f.Role != "" {
			return t.Role == f.Role
		}
	}
	return t.Role == "assistant"
}

func speakerName(l *locale.Locale, role string) string {
	switch role {
	case "user":
		return l.T("User")
	case "assistant":
		return l.T("Assistant")
	case "system":
		return l.T("System")
	case "":
		return l.T("Unknown speaker")
	}
	return capitalize(role)
}

// chunkHeading returns the heading of the chunk at an index of a part: the marker by which
// answers cite it, else its rank.
func (i Item) chunkHeading(l *locale.Locale, part protocol.Part, index int) string {
	chunks := i.Content[part.Key].Chunks
	p, total := chunks[index], len(chunks)
	marker := ""
	if part.Kind == protocol.PartChunks {
		marker = i.Citations.Marker(chunkNumber(p, index))
	}
	switch {
	case marker != "":
		return marker
	case p.Rank > 0 && total > 1:
		return l.T("Chunk %d", p.Rank)
	case p.Rank > 0:
		return l.T("Rank %d", p.Rank)
	}
	return l.T("Chunk")
}

// chunkNumber returns the number by which answers cite the chunk at an index.
func chunkNumber(p project.Chunk, index int) int { return cmp.Or(p.Rank, index+1) }

func chunkAnchor(index int) string { return "chunk-" + formatInt(index+1) }

// chunkAnchors returns the ids of the chunks that the texts of the item can cite, by their numbers
// and sources. It is nil if there are none.
func (i Item) chunkAnchors() (anchors map[string]string) {
	for _, p := range i.Protocol.Unit.Parts {
		if p.Kind != protocol.PartChunks || i.Citations == "" {
			continue
		}
		anchors = map[string]string{}
		for index, c := range slices.Backward(i.Content[p.Key].Chunks) { // the first of a source counts
			for _, name := range []string{c.Source, c.ID, formatInt(chunkNumber(c, index))} {
				anchors[name] = chunkAnchor(index)
			}
		}
	}
	return anchors
}

// isQuery reports whether p is the text that the chunks were retrieved for: the first that is not
// judged.
func (i Item) isQuery(p protocol.Part) bool {
	parts := i.Protocol.Unit.Parts
	hasChunks := slices.ContainsFunc(parts, func(p protocol.Part) bool {
		return p.Kind == protocol.PartChunk || p.Kind == protocol.PartChunks
	})
	first := slices.IndexFunc(parts, func(p protocol.Part) bool { return p.Kind == protocol.PartText && !p.Judged })
	return hasChunks && first >= 0 && parts[first].Key == p.Key
}

// linker returns what links the citations in HTML of a part.
func (i Item) linker(p protocol.Part) func(markup string) string {
	anchors := i.chunkAnchors()
	if !p.Judged || anchors == nil {
		return withoutLinks
	}
	return func(markup string) string {
		linked, _ := itemtext.LinkCitations(markup, i.Citations.Regexp(), anchors)
		return linked
	}
}

func withoutLinks(markup string) string { return markup }

// hasCitations reports whether a text of the item cites one of its chunks.
func (i Item) hasCitations() bool {
	return slices.ContainsFunc(i.Protocol.Unit.Parts, func(p protocol.Part) bool {
		return strings.Contains(i.linker(p)(itemtext.Plain(i.Content[p.Key].Text)), `<a class="citation"`)
	})
}

// missingCitations returns the citations in a text that name no chunk, each once.
func (i Item) missingCitations(p protocol.Part) []string {
	anchors := i.chunkAnchors()
	if !p.Judged || anchors == nil {
		return nil
	}
	_, missing := itemtext.LinkCitations(itemtext.Plain(i.Content[p.Key].Text), i.Citations.Regexp(), anchors)
	slices.Sort(missing)
	return slices.Compact(missing)
}

func chunkSource(p project.Chunk) string {
	if p.Source != "" {
		return p.Source
	}
	return p.ID
}
