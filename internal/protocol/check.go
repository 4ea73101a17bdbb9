package protocol

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Note is the key under which rules speak of the note: 1 written, 0 blank.
const Note = "note"

// NoteLimit is how many characters a note may have.
const NoteLimit = 4000

// Blank holds every character that counts as nothing written: white space and
// the marks of no width. Go, the browser and PostgreSQL each have their own
// idea of white space, so all three use this list.
const Blank = "\t\n\v\f\r \u0085\u00a0\u1680\u180e" +
	"\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a" +
	"\u200b\u200c\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"

// Written reports whether text holds anything but Blank.
func Written(text string) bool { return strings.Trim(text, Blank) != "" }

// Answers is what one annotator says of one item.
type Answers struct {
	Values       map[string]int `json:"values"` // by field; a key without a value is absent
	Observations []string       `json:"observations"`
	Unsure       []string       `json:"unsure"` // fields answered "between two", the lower taken
	Note         string         `json:"note"`
}

// Facts holds what an item tells about itself. What is not in it is not so.
type Facts map[string]bool

// Check returns what is wrong with a, in the order of p; none: a may be stored.
//
// The law of absent answers: a field is judged on its own first; an absent
// answer neither starts nor breaks a rule, and completeness never rests on one.
func (p Protocol) Check(facts Facts, a Answers) Problems {
	var problems Problems
	for _, f := range p.Fields {
		problems = append(problems, f.check(facts, a)...)
	}
	problems = append(problems, p.checkKnown(a)...)
	values := p.flatten(facts, a)
	for _, r := range p.AllRules() {
		problems = append(problems, r.check(values)...)
	}
	if utf8.RuneCountInString(a.Note) > NoteLimit {
		problems = append(problems, Problem{Note, "note_length", noteTooLong})
	}
	return problems
}

func (f Field) check(facts Facts, a Answers) Problems {
	value, given := a.Values[f.Key]
	applies := f.Applies(facts)
	switch {
	case !given && applies:
		return Problems{f.missing()}
	case given && !applies:
		return Problems{f.misplaced()}
	case given && !slices.Contains(f.Scale.Values(), value):
		return Problems{f.unoffered()}
	}
	return nil
}

// checkKnown finds keys that p does not have, and keys said twice.
func (p Protocol) checkKnown(a Answers) (problems Problems) {
	for _, key := range slices.Sorted(maps.Keys(a.Values)) {
		if _, ok := p.Field(key); !ok {
			problems = append(problems, Problem{key, "known_answers", fmt.Sprintf(unknown, key)})
		}
	}
	for i, key := range a.Observations {
		if _, ok := p.Observation(key); !ok || slices.Contains(a.Observations[:i], key) {
			problems = append(problems, Problem{key, "known_observations", fmt.Sprintf(unknown, key)})
		}
	}
	for i, key := range a.Unsure {
		if _, ok := p.Field(key); !ok || !p.Between || slices.Contains(a.Unsure[:i], key) {
			problems = append(problems, Problem{key, "known_unsure", fmt.Sprintf(unknown, key)})
		}
	}
	return problems
}

// flatten puts all that rules may speak of under one key each. Observations
// and facts are never absent: what is not ticked is 0.
func (p Protocol) flatten(facts Facts, a Answers) map[string]int {
	values := make(map[string]int, len(a.Values)+len(p.Observations)+len(p.Facts)+len(p.Fields)+1)
	maps.Copy(values, a.Values)
	for _, f := range p.Facts {
		values[f.Key] = bit(facts[f.Key])
	}
	for _, o := range p.Observations {
		values[o.Key] = bit(slices.Contains(a.Observations, o.Key))
	}
	for _, f := range p.Fields {
		values[UnsureOf(f.Key)] = bit(slices.Contains(a.Unsure, f.Key))
	}
	values[Note] = bit(Written(a.Note))
	return values
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// check returns a problem for each key that breaks r.
func (r Rule) check(values map[string]int) (problems Problems) {
	if !r.starts(values) {
		return nil
	}
	for _, c := range r.Then {
		if value, given := values[c.Key]; given && !slices.Contains(c.In, value) {
			problems = append(problems, Problem{c.Key, r.ID, r.Says})
		}
	}
	return problems
}

func (r Rule) starts(values map[string]int) bool {
	for _, c := range r.When {
		if value, given := values[c.Key]; !given || !slices.Contains(c.In, value) {
			return false
		}
	}
	return true
}

// UnsureOf returns the key under which rules speak of doubt about a field: 1
// when it was answered "between two".
func UnsureOf(field string) string { return "unsure_" + field }

// AllRules returns the rules of p with those that follow from its scales:
// where one may answer "between two", nothing lies above the highest point.
func (p Protocol) AllRules() []Rule {
	if !p.Between {
		return p.Rules
	}
	rules := slices.Clone(p.Rules)
	for _, f := range p.Fields {
		values := f.Scale.Values()
		rules = append(rules, Rule{
			ID:   UnsureOf(f.Key),
			When: []Cond{{UnsureOf(f.Key), []int{1}}},
			Then: []Cond{{f.Key, values[:len(values)-1]}},
			Says: fmt.Sprintf("Nothing lies above %d: choose the lower of the two points you hesitate between, or take the doubt back.", values[len(values)-1]),
		})
	}
	return rules
}
