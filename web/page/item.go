package page

import (
	"fmt"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// An Item is the content of one item and the protocol that describes it.
type Item struct {
	Protocol protocol.Protocol
	Content  project.Content
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

// isJudgedRole reports whether the questions are about turns of role: the role that
// the protocol counts, or else the assistant.
func (i Item) isJudgedRole(p protocol.Part, role string) bool {
	if !p.Judged {
		return false
	}
	for _, f := range i.Protocol.Facts {
		if f.Part == p.Key && f.Role != "" {
			return role == f.Role
		}
	}
	return role == "assistant"
}

// speakerName returns the display name of a role.
func speakerName(l *locale.Locale, role string) string {
	switch role {
	case "user":
		return l.T("User")
	case "":
		return l.T("Unknown speaker")
	}
	return capitalize(role)
}

// chunkHeading returns the heading of a chunk.
func chunkHeading(p project.Chunk, total int) string {
	switch {
	case p.Rank > 0 && total > 1:
		return fmt.Sprintf("Chunk %d", p.Rank)
	case p.Rank > 0:
		return fmt.Sprintf("Rank %d", p.Rank)
	}
	return "Chunk"
}

func chunkSource(p project.Chunk) string {
	if p.Source != "" {
		return p.Source
	}
	return p.ID
}
