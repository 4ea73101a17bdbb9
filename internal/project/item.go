package project

import (
	"encoding/json"
	"strings"

	"github.com/labelwright/labelwright/internal/protocol"
)

// An Item is one unit's content in a project.
type Item struct {
	ID       int64
	SourceID string // its own id in the file it came from, unique in the project
	RecordID string // links the items of one record, also across projects
	Content  Content
	Facts    protocol.Facts
	Meta     map[string]json.RawMessage // never reaches an annotator
	Row      int                        // of its file, the line where it starts; 0: not read from one
}

// Content holds what annotators read, by the key of the protocol's part.
type Content map[string]Piece

// A Piece is the content of one part: which of its members is filled follows
// from the part's kind.
type Piece struct {
	Text     string    `json:"text,omitempty"`
	Turns    []Turn    `json:"turns,omitempty"`
	Passages []Passage `json:"passages,omitempty"`
}

// A Turn is what one side says in a conversation.
type Turn struct {
	Role string `json:"role"` // "user", "assistant", or another the file gives
	Text string `json:"text"`
}

// A Passage is a retrieved chunk.
type Passage struct {
	ID     string `json:"id,omitempty"`
	Source string `json:"source,omitempty"`
	Rank   int    `json:"rank,omitempty"` // from 1; 0: not known
	Text   string `json:"text"`
}

// FactsOf returns what an item with this content tells about itself.
func FactsOf(p protocol.Protocol, c Content) protocol.Facts {
	facts := protocol.Facts{}
	for _, f := range p.Facts {
		count := 0
		for _, t := range c[f.Part].Turns {
			if t.Role == f.Role {
				count++
			}
		}
		facts[f.Key] = count >= f.AtLeast
	}
	return facts
}

// Words returns how many words there are to read, for the allowance of reading
// time. Scripts without spaces count two characters as a word.
func (c Content) Words() int {
	words := 0
	for _, piece := range c {
		for _, text := range piece.texts() {
			words += wordsOf(text)
		}
	}
	return words
}

func (p Piece) texts() []string {
	texts := []string{p.Text}
	for _, t := range p.Turns {
		texts = append(texts, t.Text)
	}
	for _, passage := range p.Passages {
		texts = append(texts, passage.Text)
	}
	return texts
}

func wordsOf(text string) int {
	dense := 0
	rest := strings.Map(func(r rune) rune {
		if spaceless(r) {
			dense++
			return ' '
		}
		return r
	}, text)
	return len(strings.Fields(rest)) + (dense+1)/2
}

// spaceless reports whether r belongs to a script written without spaces
// between words: Thai, Lao, Khmer, Myanmar, kana and Han.
func spaceless(r rune) bool {
	return r >= 0x0e00 && r <= 0x0eff || r >= 0x1000 && r <= 0x109f || r >= 0x1780 && r <= 0x17ff ||
		r >= 0x3040 && r <= 0x30ff || r >= 0x3400 && r <= 0x9fff || r >= 0x20000 && r <= 0x3ffff
}
