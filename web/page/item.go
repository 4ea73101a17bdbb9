package page

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// An Item is what a page shows of one item: its content, read by its protocol.
type Item struct {
	Protocol protocol.Protocol
	Content  project.Content
}

// parts returns the parts to read now, or the supporting ones.
func (i Item) parts(supporting bool) (parts []protocol.Part) {
	for _, p := range i.Protocol.Unit.Parts {
		if p.Supporting == supporting {
			parts = append(parts, p)
		}
	}
	return parts
}

// isJudgedRole reports whether a turn of role is what the questions are about: the
// role that the protocol counts, or else the assistant.
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

// speakerName returns role as people write it.
func speakerName(role string) string {
	switch role {
	case "user":
		return "The person"
	case "":
		return "Somebody"
	}
	first, size := utf8.DecodeRuneInString(role)
	return string(unicode.ToUpper(first)) + role[size:]
}

// chunkHeading returns what stands above a passage: rank and where it is from.
func chunkHeading(p project.Chunk, total int) string {
	switch {
	case p.Rank > 0 && total > 1:
		return fmt.Sprintf("Passage %d", p.Rank)
	case p.Rank > 0:
		return fmt.Sprintf("Rank %d", p.Rank)
	}
	return "Passage"
}

func chunkSource(p project.Chunk) string {
	if p.Source != "" {
		return p.Source
	}
	return p.ID
}
