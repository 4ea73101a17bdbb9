package postgres

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A submission is one case that Go can hold.
type submission struct {
	facts   protocol.Facts
	answers protocol.Answers
}

func (s submission) clone() submission {
	return submission{maps.Clone(s.facts), protocol.Answers{
		Values:       maps.Clone(s.answers.Values),
		Observations: slices.Clone(s.answers.Observations),
		Unsure:       slices.Clone(s.answers.Unsure),
		Note:         s.answers.Note,
	}}
}

func emptySubmission() submission {
	return submission{protocol.Facts{}, protocol.Answers{Values: map[string]int{}, Observations: []string{}, Unsure: []string{}}}
}

// The two ways of not answering a question.
const (
	absent    = math.MinInt
	unoffered = 99
)

// put lets value stand under a key that rules may speak of.
func (s *submission) put(p protocol.Protocol, key string, value int) {
	field, isDoubt := strings.CutPrefix(key, protocol.UnsureOf(""))
	_, isObservation := p.Observation(key)
	switch {
	case key == protocol.Note:
		s.answers.Note = []string{" \t", "why"}[value]
	case isDoubt:
		s.answers.Unsure = ticked(s.answers.Unsure, field, value == 1)
	case isObservation:
		s.answers.Observations = ticked(s.answers.Observations, key, value == 1)
	case isFact(p, key):
		s.facts[key] = value == 1
	case value == absent:
		delete(s.answers.Values, key)
	default:
		s.answers.Values[key] = value
	}
}

func ticked(keys []string, key string, on bool) []string {
	keys = slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return k == key })
	if on {
		keys = append(keys, key)
	}
	return keys
}

func isFact(p protocol.Protocol, key string) bool {
	return slices.ContainsFunc(p.Facts, func(f protocol.Fact) bool { return f.Key == key })
}

// domain returns all that put takes under key.
func domain(p protocol.Protocol, key string) []int {
	if f, ok := p.Field(key); ok {
		return append([]int{absent, unoffered}, f.Scale.Values()...)
	}
	return []int{0, 1}
}

// every returns each way to fill keys, starting from one submission.
func every(p protocol.Protocol, from submission, keys []string) []submission {
	filled := []submission{from}
	for _, key := range keys {
		var next []submission
		for _, s := range filled {
			for _, value := range domain(p, key) {
				s := s.clone()
				s.put(p, key, value)
				next = append(next, s)
			}
		}
		filled = next
	}
	return filled
}

// everyAnswer fills all fields in each way, unless there are too many.
func everyAnswer(p protocol.Protocol) []submission {
	ways := 1
	for _, f := range p.Fields {
		ways *= len(f.Scale) + 2
	}
	if ways > 2000 {
		return nil
	}
	return every(p, emptySubmission(), fieldKeys(p))
}

func fieldKeys(p protocol.Protocol) (keys []string) {
	for _, f := range p.Fields {
		keys = append(keys, f.Key)
	}
	return keys
}

// everyRule fills the keys of each rule in each way. A rule that speaks of very
// many is taken apart: one of its consequences at a time.
func everyRule(p protocol.Protocol) (ss []submission) {
	for _, r := range p.AllRules() {
		filled := [][]string{keysOf(r.When, r.Then)}
		if len(filled[0]) > 5 {
			filled = nil
			for i := range r.Then {
				filled = append(filled, keysOf(r.When, r.Then[i:i+1]))
			}
		}
		for _, keys := range filled {
			ss = append(ss, every(p, emptySubmission(), keys)...)
		}
	}
	return ss
}

func keysOf(conds ...[]protocol.Cond) (keys []string) {
	for _, c := range slices.Concat(conds...) {
		if !slices.Contains(keys, c.Key) {
			keys = append(keys, c.Key)
		}
	}
	return keys
}

// eachRuleAlone looks for submissions in which one consequence of one rule is
// all that is wrong. Chance alone seldom meets some.
func eachRuleAlone(p protocol.Protocol, rng *rand.Rand) (ss []submission) {
	for _, r := range p.AllRules() {
		for _, then := range r.Then {
			for range 300 {
				s := sound(p, rng)
				for _, c := range r.When {
					s.put(p, c.Key, pick(rng, c.In))
				}
				repair(p, rng, &s)
				s.put(p, then.Key, pick(rng, domain(p, then.Key)))
				if slices.Equal(namesOf(p.Check(s.facts, s.answers)), verdict{r.ID}) {
					ss = append(ss, s)
					break
				}
			}
		}
	}
	return ss
}

// sound returns a random complete submission that p accepts.
func sound(p protocol.Protocol, rng *rand.Rand) submission {
	for {
		s := emptySubmission()
		for _, f := range p.Facts {
			s.facts[f.Key] = rng.IntN(2) == 1
		}
		for _, f := range p.Asked(s.facts) {
			s.answers.Values[f.Key] = pick(rng, f.Scale.Values())
			if p.Between && rng.IntN(6) == 0 {
				s.answers.Unsure = append(s.answers.Unsure, f.Key)
			}
		}
		for _, o := range p.Observations {
			s.put(p, o.Key, bitOf(rng.IntN(6) == 0))
		}
		s.put(p, protocol.Note, bitOf(rng.IntN(3) > 0))
		if repair(p, rng, &s) {
			return s
		}
	}
}

// repair lets the consequences of broken rules stand, and reports success.
func repair(p protocol.Protocol, rng *rand.Rand, s *submission) bool {
	for range 20 {
		problems := p.Check(s.facts, s.answers)
		if len(problems) == 0 {
			return true
		}
		first := problems[0]
		for _, r := range p.AllRules() {
			for _, c := range r.Then {
				if r.ID == first.Rule && c.Key == first.Key && !isFact(p, c.Key) {
					s.put(p, c.Key, pick(rng, c.In))
				}
			}
		}
	}
	return false
}

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

func bitOf(on bool) int {
	if on {
		return 1
	}
	return 0
}

// strangers are keys no protocol has; sorted by UTF-16 unit the last two would
// change places.
var strangers = []string{"stranger", "__proto__", "toString", "1", "", "\uffee", "😀"}

// slips are the ways in which s can differ in one thing.
func slips(p protocol.Protocol, s submission) (ss []submission) {
	slip := func(change func(*submission)) {
		s := s.clone()
		change(&s)
		ss = append(ss, s)
	}
	var keys []string
	for _, f := range p.Fields {
		keys = append(keys, f.Key, protocol.UnsureOf(f.Key))
		slip(func(s *submission) { s.answers.Unsure = append(s.answers.Unsure, f.Key, f.Key) })
	}
	for _, o := range p.Observations {
		keys = append(keys, o.Key)
		slip(func(s *submission) { s.answers.Observations = append(s.answers.Observations, o.Key, o.Key) })
	}
	for _, f := range p.Facts {
		keys = append(keys, f.Key)
		slip(func(s *submission) { delete(s.facts, f.Key) })
	}
	for _, key := range append(keys, protocol.Note) {
		for _, value := range domain(p, key) {
			slip(func(s *submission) { s.put(p, key, value) })
		}
	}
	for i, key := range strangers {
		slip(func(s *submission) { s.answers.Observations = append(s.answers.Observations, key) })
		slip(func(s *submission) { s.answers.Unsure = append(s.answers.Unsure, key) })
		slip(func(s *submission) { s.facts[key] = true })
		slip(func(s *submission) {
			for _, key := range strangers[i:] {
				s.answers.Values[key] = 1
			}
		})
	}
	return ss
}

// notes returns s with every note on the border between blank and written, and
// between short enough and too long.
func notes(s submission) (ss []submission) {
	texts := []string{"", protocol.Blank, protocol.Blank + "x" + protocol.Blank,
		"0", "-", "\\", "'", "%s", "\u0008", "\u001f", "\u007f", "\u00ad", "\u034f", "\u061c", "\u115f", "\u17b4", "\u180b", "\u200e",
		"\u2061", "\u2800", "\u3164", "\ufe0f", "\uffa0", "\ufffd", "\U000e0020", "\U000e0100", "e\u0301", "a b",
		strings.Repeat("x", protocol.NoteLimit), strings.Repeat("x", protocol.NoteLimit+1),
		strings.Repeat("😀", protocol.NoteLimit), strings.Repeat("😀", protocol.NoteLimit+1),
		strings.Repeat("e\u0301", protocol.NoteLimit/2), strings.Repeat("e\u0301", protocol.NoteLimit/2) + "x",
		strings.Repeat(" ", protocol.NoteLimit), strings.Repeat(" ", protocol.NoteLimit+1)}
	for _, blank := range protocol.Blank {
		texts = append(texts, string(blank), "x"+string(blank))
	}
	for _, text := range texts {
		s := s.clone()
		s.answers.Note = text
		ss = append(ss, s)
	}
	return ss
}
