package postgres

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/protocol"
)

// typedCase is a case that Go types can hold.
type typedCase struct {
	facts   protocol.Facts
	answers protocol.Answers
}

func (s typedCase) clone() typedCase {
	return typedCase{maps.Clone(s.facts), protocol.Answers{
		Values:       maps.Clone(s.answers.Values),
		Observations: slices.Clone(s.answers.Observations),
		Unsure:       slices.Clone(s.answers.Unsure),
		Note:         s.answers.Note,
	}}
}

func newTypedCase() typedCase {
	return typedCase{protocol.Facts{}, protocol.Answers{Values: map[string]int{}, Observations: []string{},
		Unsure: []string{}}}
}

// Two values of a field that are not on its scale.
const (
	unanswered = math.MinInt
	offScale   = 99
)

// set sets the value of a key that rules can refer to: a field, an observation, a fact,
// a doubt or the note.
func (s *typedCase) set(p protocol.Protocol, key string, value int) {
	field, isUnsure := strings.CutPrefix(key, protocol.UnsureKey(""))
	_, isObservation := p.Observation(key)
	switch {
	case key == protocol.NoteKey:
		s.answers.Note = noteTexts(p)[value]
	case isUnsure:
		s.answers.Unsure = setMembership(s.answers.Unsure, field, value == 1)
	case isObservation:
		s.answers.Observations = setMembership(s.answers.Observations, key, value == 1)
	case isFact(p, key):
		s.facts[key] = value == 1
	case value == unanswered:
		delete(s.answers.Values, key)
	default:
		s.answers.Values[key] = value
	}
}

// noteTexts returns a blank note, a written one, and notes with what the hints of p fill in.
func noteTexts(p protocol.Protocol) []string {
	texts, filled := []string{" \t", "why"}, []string{}
	for _, h := range p.Hints {
		if h.Note != "" {
			filled = append(filled, h.Note)
			texts = append(texts, h.Note)
		}
	}
	if len(filled) > 0 {
		texts = append(texts, strings.Join(filled, "; "), filled[len(filled)-1]+". why",
			filled[len(filled)/2]+filled[len(filled)/2])
	}
	return texts
}

func setMembership(keys []string, key string, isMember bool) []string {
	keys = slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return k == key })
	if isMember {
		keys = append(keys, key)
	}
	return keys
}

func isFact(p protocol.Protocol, key string) bool {
	return slices.ContainsFunc(p.Facts, func(f protocol.Fact) bool { return f.Key == key })
}

// possibleValues returns the values that set accepts for a key.
func possibleValues(p protocol.Protocol, key string) []int {
	if f, ok := p.Field(key); ok {
		return append([]int{unanswered, offScale}, f.Scale.Values()...)
	}
	if key == protocol.NoteKey {
		return indexes(noteTexts(p))
	}
	return []int{0, 1}
}

func indexes(list []string) (result []int) {
	for i := range list {
		result = append(result, i)
	}
	return result
}

// fillKeys returns a case for each combination of values of keys, based on one case.
func fillKeys(p protocol.Protocol, base typedCase, keys []string) []typedCase {
	filled := []typedCase{base}
	for _, key := range keys {
		var next []typedCase
		for _, s := range filled {
			for _, value := range possibleValues(p, key) {
				s := s.clone()
				s.set(p, key, value)
				next = append(next, s)
			}
		}
		filled = next
	}
	return filled
}

// fillAnswers returns a case for each combination of answers, or none if there are too
// many.
func fillAnswers(p protocol.Protocol) []typedCase {
	combinations := 1
	for _, f := range p.Fields {
		combinations *= len(f.Scale) + 2
	}
	if combinations > 2000 {
		return nil
	}
	return fillKeys(p, newTypedCase(), fieldKeys(p))
}

func fieldKeys(p protocol.Protocol) (keys []string) {
	for _, f := range p.Fields {
		keys = append(keys, f.Key)
	}
	return keys
}

// fillRules returns a case for each combination of values of the keys of each rule. A
// rule with more than five keys is split into its consequences.
func fillRules(p protocol.Protocol) (cases []typedCase) {
	for _, r := range p.AllRules() {
		keySets := [][]string{conditionKeys(r.When, r.Then)}
		if len(keySets[0]) > 5 {
			keySets = nil
			for i := range r.Then {
				keySets = append(keySets, conditionKeys(r.When, r.Then[i:i+1]))
			}
		}
		for _, keys := range keySets {
			if slices.Contains(keys, protocol.NoteKey) {
				keys = append(keys, filledNoteKeys(p, keys)...)
			}
			cases = append(cases, fillKeys(p, newTypedCase(), keys)...)
		}
	}
	return cases
}

// filledNoteKeys returns the keys that decide which notes count, except those given.
func filledNoteKeys(p protocol.Protocol, except []string) (keys []string) {
	for _, h := range p.Hints {
		if h.Note != "" && !slices.Contains(conditionKeys(h.When), protocol.NoteKey) {
			keys = append(keys, conditionKeys(h.When)...)
		}
	}
	slices.Sort(keys)
	return slices.DeleteFunc(slices.Compact(keys), func(key string) bool { return slices.Contains(except, key) })
}

func conditionKeys(conds ...[]protocol.Condition) (keys []string) {
	for _, c := range slices.Concat(conds...) {
		if !slices.Contains(keys, c.Key) {
			keys = append(keys, c.Key)
		}
	}
	return keys
}

// breakEachRule searches for cases that violate exactly one consequence of one rule.
// Random cases rarely contain all of these.
func breakEachRule(p protocol.Protocol, rng *rand.Rand) (cases []typedCase) {
	for _, r := range p.AllRules() {
		for _, then := range r.Then {
			for range 300 {
				s := randomValid(p, rng)
				for _, c := range r.When {
					s.set(p, c.Key, pick(rng, c.Values))
				}
				repair(p, rng, &s)
				s.set(p, then.Key, pick(rng, possibleValues(p, then.Key)))
				if slices.Equal(violationsFrom(p.Check(s.facts, s.answers)), violations{r.ID}) {
					cases = append(cases, s)
					break
				}
			}
		}
	}
	return cases
}

// randomValid returns a random complete case without problems.
func randomValid(p protocol.Protocol, rng *rand.Rand) typedCase {
	for {
		s := newTypedCase()
		for _, f := range p.Facts {
			s.facts[f.Key] = rng.IntN(2) == 1
		}
		for _, f := range p.ApplicableFields(s.facts) {
			s.answers.Values[f.Key] = pick(rng, f.Scale.Values())
			if p.AllowsBetween && rng.IntN(6) == 0 {
				s.answers.Unsure = append(s.answers.Unsure, f.Key)
			}
		}
		for _, o := range p.Observations {
			s.set(p, o.Key, toBit(rng.IntN(6) == 0))
		}
		s.set(p, protocol.NoteKey, toBit(rng.IntN(3) > 0))
		if repair(p, rng, &s) {
			return s
		}
	}
}

// repair applies the consequences of violated rules. It reports whether no problem is left.
func repair(p protocol.Protocol, rng *rand.Rand, s *typedCase) bool {
	for range 20 {
		problems := p.Check(s.facts, s.answers)
		if len(problems) == 0 {
			return true
		}
		first := problems[0]
		for _, r := range p.AllRules() {
			for _, c := range r.Then {
				if r.ID == first.Rule && c.Key == first.Key && !isFact(p, c.Key) {
					s.set(p, c.Key, pick(rng, c.Values))
				}
			}
		}
	}
	return false
}

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

func toBit(isSet bool) int {
	if isSet {
		return 1
	}
	return 0
}

// unknownKeys are keys that no protocol has. The last two sort differently by UTF-16 unit
// and by code point.
var unknownKeys = []string{"unknown", "__proto__", "toString", "1", "", "\uffee", "😀"}

// varyCase returns the cases that differ from s in one value.
func varyCase(p protocol.Protocol, s typedCase) (variants []typedCase) {
	add := func(change func(*typedCase)) {
		s := s.clone()
		change(&s)
		variants = append(variants, s)
	}
	var keys []string
	for _, f := range p.Fields {
		keys = append(keys, f.Key, protocol.UnsureKey(f.Key))
		add(func(s *typedCase) { s.answers.Unsure = append(s.answers.Unsure, f.Key, f.Key) })
	}
	for _, o := range p.Observations {
		keys = append(keys, o.Key)
		add(func(s *typedCase) { s.answers.Observations = append(s.answers.Observations, o.Key, o.Key) })
	}
	for _, f := range p.Facts {
		keys = append(keys, f.Key)
		add(func(s *typedCase) { delete(s.facts, f.Key) })
	}
	for _, key := range append(keys, protocol.NoteKey) {
		for _, value := range possibleValues(p, key) {
			add(func(s *typedCase) { s.set(p, key, value) })
		}
	}
	for i, key := range unknownKeys {
		add(func(s *typedCase) { s.answers.Observations = append(s.answers.Observations, key) })
		add(func(s *typedCase) { s.answers.Unsure = append(s.answers.Unsure, key) })
		add(func(s *typedCase) { s.facts[key] = true })
		add(func(s *typedCase) {
			for _, key := range unknownKeys[i:] {
				s.answers.Values[key] = 1
			}
		})
	}
	return variants
}

// varyNotes returns s with notes at the limits of blank and not blank, and of short
// enough and too long.
func varyNotes(s typedCase) (variants []typedCase) {
	texts := []string{"", ".;, ", ". x", plaintext.BlankChars, plaintext.BlankChars + "x" + plaintext.BlankChars,
		"0", "-", "\\", "'", "%s", "\u0008", "\u001f", "\u007f", "\u00ad", "\u034f", "\u061c", "\u115f", "\u17b4",
		"\u180b", "\u200e",
		"\u2061", "\u2800", "\u3164", "\ufe0f", "\uffa0", "\ufffd", "\U000e0020", "\U000e0100", "e\u0301", "a b",
		strings.Repeat("x", protocol.MaxNoteLength), strings.Repeat("x", protocol.MaxNoteLength+1),
		strings.Repeat("😀", protocol.MaxNoteLength), strings.Repeat("😀", protocol.MaxNoteLength+1),
		strings.Repeat("e\u0301", protocol.MaxNoteLength/2), strings.Repeat("e\u0301", protocol.MaxNoteLength/2) + "x",
		strings.Repeat(" ", protocol.MaxNoteLength), strings.Repeat(" ", protocol.MaxNoteLength+1)}
	for _, blank := range plaintext.BlankChars {
		texts = append(texts, string(blank), "x"+string(blank))
	}
	for _, text := range texts {
		s := s.clone()
		s.answers.Note = text
		variants = append(variants, s)
	}
	return variants
}
