package page

import (
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/itemtext"
)

// An Item is the content of one item and the protocol that describes it.
type Item struct {
	Protocol protocol.Protocol
	Content  project.Content
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

// speakerName returns the display name of a role.
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

// chunkHeading returns the heading of a chunk.
func chunkHeading(l *locale.Locale, p project.Chunk, total int) string {
	switch {
	case p.Rank > 0 && total > 1:
		return l.T("Chunk %d", p.Rank)
	case p.Rank > 0:
		return l.T("Rank %d", p.Rank)
	}
	return l.T("Chunk")
}

func chunkSource(p project.Chunk) string {
	if p.Source != "" {
		return p.Source
	}
	return p.ID
}
