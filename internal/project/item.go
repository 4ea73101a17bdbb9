package project

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/labelwright/labelwright/internal/protocol"
)

// An ItemID identifies an item.
type ItemID int64

// An Item is one unit of content in a project.
type Item struct {
	ID       ItemID
	SourceID string // id in the imported file, unique in the project
	RecordID string // shared by the items of one record, also across projects
	Content  Content
	Facts    protocol.Facts
	Meta     map[string]json.RawMessage // never shown to annotators
	Row      int                        // line in the imported file; 0: not imported
}

// Size returns the approximate size of i in bytes, with metadata.
func (i Item) Size() (n int) {
	for _, part := range i.Content {
		n += len(part.Text)
		for _, t := range part.Turns {
			n += len(t.Role) + len(t.Name) + len(t.Address) + len(t.Text)
		}
		for _, c := range part.Chunks {
			n += len(c.ID) + len(c.Source) + len(c.Text)
		}
	}
	for key, raw := range i.Meta {
		n += len(key) + len(raw)
	}
	return n
}

// Content is what annotators read, by part key.
type Content map[string]PartContent

// A PartContent is the content of one part. The kind of the part determines which field
// is set.
type PartContent struct {
	Text   string  `json:"text,omitempty"`
	Turns  []Turn  `json:"turns,omitempty"`
	Chunks []Chunk `json:"chunks,omitempty"`
}

// A TurnKind is what a turn of a conversation holds.
type TurnKind string

// The kinds of turns. Only a message is said to somebody.
const (
	TurnMessage    TurnKind = ""            // what Role says
	TurnThinking   TurnKind = "thinking"    // of the model; the end user does not see it
	TurnToolCall   TurnKind = "tool_call"   // Name is the tool, Text its arguments
	TurnToolResult TurnKind = "tool_result" // Name is the tool, where known
	TurnImage      TurnKind = "image"       // Address is where it is; Text describes it
	TurnDocument   TurnKind = "document"    // Name is its title or file
)

// A Turn is one block of a conversation: what somebody says, or what an agent does. Each is
// shown in a block of its own, in the order of the file.
type Turn struct {
	Role    string   `json:"role"` // "user", "assistant" or another role
	Kind    TurnKind `json:"kind,omitempty"`
	Name    string   `json:"name,omitempty"`
	CallID  string   `json:"call_id,omitempty"` // ties a tool result to its call
	Address string   `json:"address,omitempty"` // of an image or document
	Text    string   `json:"text"`
}

// Heading returns who or what t is from, for plain text: its role, and the kind of a turn that is
// no message, with its name and address.
func (t Turn) Heading() string {
	words := []string{t.Role}
	if t.Kind != TurnMessage {
		words = append(words, string(t.Kind), t.Name, t.Address)
	}
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "" }), " ")
}

// A Chunk is one retrieved text.
type Chunk struct {
	ID     string `json:"id,omitempty"`
	Source string `json:"source,omitempty"`
	Rank   int    `json:"rank,omitempty"` // from 1; 0: unknown
	Text   string `json:"text"`
}

// DeriveFacts returns the facts that p defines about this content.
func DeriveFacts(p protocol.Protocol, c Content) protocol.Facts {
	facts := protocol.Facts{}
	for _, f := range p.Facts {
		facts[f.Key] = countAnswers(c[f.Part].Turns, f.Role) >= f.MinTurns
	}
	return facts
}

// countAnswers returns how often role speaks. What it says before another speaker has said
// something is one answer, whatever tools it calls in between. Thoughts, calls of tools, results
// and messages without text are no speaking.
func countAnswers(turns []Turn, role string) (count int) {
	isSpeaking := false
	for _, t := range turns {
		switch {
		case t.Role == role && t.Kind == TurnMessage && protocol.HasText(t.Text):
			if !isSpeaking {
				count++
			}
			isSpeaking = true
		case t.Role != role && t.Role != "system" && t.Role != "tool" && t.Kind != TurnToolResult:
			isSpeaking = false
		}
	}
	return count
}

// WordCount returns the number of words, from which reading time is estimated. Marks of
// Markdown, such as | and #, are no words. In scripts without spaces two characters count as
// a word.
func (c Content) WordCount() int {
	words := 0
	for _, part := range c {
		for _, text := range part.texts() {
			words += countWords(text)
		}
	}
	return words
}

// Texts returns the texts that annotators read.
func (c Content) Texts() (texts []string) {
	for _, part := range c {
		texts = append(texts, part.texts()...)
	}
	return texts
}

func (p PartContent) texts() []string {
	texts := []string{p.Text}
	for _, t := range p.Turns {
		texts = append(texts, t.Text)
		if t.Name != "" {
			texts = append(texts, t.Name)
		}
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
	words := 0
	for token := range strings.FieldsSeq(spaced) {
		if strings.ContainsFunc(token, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			words++
		}
	}
	return words + (spacelessRunes+1)/2
}

// isSpaceless reports whether r belongs to a script without spaces between words: Thai, Lao, Khmer, Myanmar, kana and
// Han.
func isSpaceless(r rune) bool {
	return r >= 0x0e00 && r <= 0x0eff || r >= 0x1000 && r <= 0x109f || r >= 0x1780 && r <= 0x17ff ||
		r >= 0x3040 && r <= 0x30ff || r >= 0x3400 && r <= 0x9fff || r >= 0x20000 && r <= 0x3ffff
}
