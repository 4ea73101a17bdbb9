package dataset

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/protocol"
)

// maxKnownAnswers bounds the memory of a ruleChecker.
const maxKnownAnswers = 20_000

// A ruleChecker finds the rules that answers break. It checks equal answers once: a million
// annotations have a few thousand different ones.
type ruleChecker struct {
	protocol protocol.Protocol
	filled   []string            // notes that do not count as written
	known    map[string][]string // broken rules by answers
	key      []byte              // reused
}

func newRuleChecker(p protocol.Protocol) *ruleChecker {
	c := &ruleChecker{protocol: p, known: map[string][]string{}}
	for _, h := range p.FilledNotes() {
		c.filled = append(c.filled, h.Note)
	}
	return c
}

// brokenRules returns the distinct rules that answers break. The caller must not change them.
func (c *ruleChecker) brokenRules(facts protocol.Facts, a protocol.Answers) []string {
	if !c.setKey(facts, a) {
		return brokenRuleIDs(c.protocol.Check(facts, a))
	}
	if ids, isKnown := c.known[string(c.key)]; isKnown {
		return ids
	}
	if len(c.known) >= maxKnownAnswers {
		clear(c.known)
	}
	ids := brokenRuleIDs(c.protocol.Check(facts, a))
	c.known[string(c.key)] = ids
	return ids
}

// setKey sets a key that answers share only if they break the same rules. It returns false for
// answers to unknown fields, and for notes of which more counts than whether they are written.
func (c *ruleChecker) setKey(facts protocol.Facts, a protocol.Answers) bool {
	isFilled := func(note string) bool { return strings.Contains(a.Note, note) }
	if utf8.RuneCountInString(a.Note) > protocol.MaxNoteLength || slices.ContainsFunc(c.filled, isFilled) {
		return false
	}
	key, known := c.key[:0], 0
	for i := range c.protocol.Fields {
		value, isAnswered := a.Values[c.protocol.Fields[i].Key]
		key = append(key, byte(bit(isAnswered)))
		if isAnswered {
			known++
			key = binary.AppendVarint(key, int64(value))
		}
	}
	for i := range c.protocol.Facts {
		key = append(key, byte(bit(facts[c.protocol.Facts[i].Key])))
	}
	key = append(key, byte(bit(strings.Trim(a.Note, protocol.NoteBlankChars) != "")))
	for _, list := range [][]string{a.Observations, a.Unsure} {
		key = binary.AppendUvarint(key, uint64(len(list)))
		for _, text := range list {
			key = append(binary.AppendUvarint(key, uint64(len(text))), text...)
		}
	}
	c.key = key
	return known == len(a.Values)
}

// brokenRuleIDs returns the distinct rules of problems.
func brokenRuleIDs(problems protocol.Problems) (ids []string) {
	for _, problem := range problems {
		if !slices.Contains(ids, problem.Rule) {
			ids = append(ids, problem.Rule)
		}
	}
	return ids
}
