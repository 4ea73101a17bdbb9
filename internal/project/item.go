package project

import (
	"encoding/json"
	"strings"

	"github.com/labelwright/labelwright/internal/protocol"
)

// An ItemID identifies an item.
type ItemID int64

// An Item is one unit's content in a project.
type Item struct {
	ID       ItemID
	SourceID string // its own id in the file it came from, unique in the project
	RecordID string // links the items of one record, also across projects
	Content  Content
	Facts    protocol.Facts
	Meta     map[string]json.RawMessage // never reaches an annotator
	Row      int                        // of its file, the line where it starts; 0: not read from one
}

// Content holds what annotators read, by the key of the protocol's part.
type Content map[string]PartContent

// A PartContent is the content of one part: which of its members is filled follows
// from the part's kind.
type PartContent struct {
	Text   string  `json:"text,omitempty"`
	Turns  []Turn  `json:"turns,omitempty"`
	Chunks []Chunk `json:"chunks,omitempty"`
}

// A Turn is what one side says in a conversation.
type Turn struct {
	Role string `json:"role"` // "user", "assistant", or another the file gives
	Text string `json:"text"`
}

// A Chunk is a retrieved chunk.
type Chunk struct {
	ID     string `json:"id,omitempty"`
	Source string `json:"source,omitempty"`
	Rank   int    `json:"rank,omitempty"` // from 1; 0: not known
	Text   string `json:"text"`
}

// DeriveFacts returns what an item with this content tells about itself.
func DeriveFacts(p protocol.Protocol, c Content) protocol.Facts {
	facts := protocol.Facts{}
	for _, f := range p.Facts {
		count := 0
		for _, t := range c[f.Part].Turns {
			if t.Role == f.Role {
				count++
			}
		}
		facts[f.Key] = count >= f.MinTurns
	}
	return facts
}

// WordCount returns how many words there are to read, for the allowance of reading
// time. Scripts without spaces count two characters as a word.
func (c Content) WordCount() int {
	words := 0
	for _, part := range c {
		for _, text := range part.texts() {
			words += countWords(text)
		}
	}
	return words
}

func (p PartContent) texts() []string {
	texts := []string{p.Text}
	for _, t := range p.Turns {
		texts = append(texts, t.Text)
	}
	for _, chunk := range p.Chunks {
		texts = append(texts, chunk.Text)
	}
	return texts
}

func countWords(text string) int {
	spacelessRunes := 0
	spaced := strings.Map(func(r rune) rune {
		if isSpaceless(r) {
			spacelessRunes++
			return ' '
		}
		return r
	}, text)
	return len(strings.Fields(spaced)) + (spacelessRunes+1)/2
}

// isSpaceless reports whether r belongs to a script written without spaces
// between words: Thai, Lao, Khmer, Myanmar, kana and Han.
func isSpaceless(r rune) bool {
	return r >= 0x0e00 && r <= 0x0eff || r >= 0x1000 && r <= 0x109f || r >= 0x1780 && r <= 0x17ff ||
		r >= 0x3040 && r <= 0x30ff || r >= 0x3400 && r <= 0x9fff || r >= 0x20000 && r <= 0x3ffff
}
