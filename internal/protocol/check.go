package protocol

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/plaintext"
)

// NoteKey is the key of the note in rules: 1 written, 0 blank.
const NoteKey = "note"

// MaxNoteLength is the maximum length of a note, in characters.
const MaxNoteLength = 4000

// NoteBlankChars lists the characters that count as blank in a note: those of plaintext, and the
// marks between texts that hints fill in.
const NoteBlankChars = plaintext.BlankChars + ".,;"

// HasText reports whether text has a character that is not blank.
func HasText(text string) bool { return plaintext.Trim(text) != "" }

// Answers holds one annotator's answers to one item.
type Answers struct {
	Values       map[string]int `json:"values"` // by field; an unanswered field is absent
	Observations []string       `json:"observations"`
	Unsure       []string       `json:"unsure"` // fields answered "between two values"; the lower is stored
	Note         string         `json:"note"`
}

// Facts holds the facts of an item. A missing key is false.
type Facts map[string]bool

// Check returns the problems of a, in the order of p. Without problems, a can be
// stored.
//
// Each field is checked by itself first. An absent answer neither triggers nor
// breaks a rule; it is reported once, at its field.
func (p Protocol) Check(facts Facts, a Answers) Problems {
	var problems Problems
	for _, f := range p.Fields {
		problems = append(problems, f.checkAnswer(facts, a)...)
	}
	problems = append(problems, p.checkKeys(a)...)
	values := p.flattenAnswers(facts, a)
	for _, r := range p.AllRules() {
		problems = append(problems, r.findProblems(values)...)
	}
	if utf8.RuneCountInString(a.Note) > MaxNoteLength {
		problems = append(problems, Problem{NoteKey, "note_length", messageNoteTooLong})
	}
	return problems
}

func (f Field) checkAnswer(facts Facts, a Answers) Problems {
	value, isAnswered := a.Values[f.Key]
	applies := f.AppliesTo(facts)
	switch {
	case !isAnswered && applies:
		return Problems{f.missingProblem()}
	case isAnswered && !applies:
		return Problems{f.notApplicableProblem()}
	case isAnswered && !slices.Contains(f.Scale.Values(), value):
		return Problems{f.offScaleProblem()}
	}
	return nil
}

// checkKeys finds unknown and repeated keys.
func (p Protocol) checkKeys(a Answers) (problems Problems) {
	for _, key := range slices.Sorted(maps.Keys(a.Values)) {
		if _, ok := p.Field(key); !ok {
			problems = append(problems, Problem{key, "known_answers", fmt.Sprintf(messageUnknownKey, key)})
		}
	}
	for i, key := range a.Observations {
		if _, ok := p.Observation(key); !ok || slices.Contains(a.Observations[:i], key) {
			problems = append(problems, Problem{key, "known_observations", fmt.Sprintf(messageUnknownKey, key)})
		}
	}
	for i, key := range a.Unsure {
		if _, ok := p.Field(key); !ok || !p.AllowsBetween || slices.Contains(a.Unsure[:i], key) {
			problems = append(problems, Problem{key, "known_unsure", fmt.Sprintf(messageUnknownKey, key)})
		}
	}
	return problems
}

// flattenAnswers returns the value of every term of the rules. Observations and
// facts are never absent: an unticked one is 0.
func (p Protocol) flattenAnswers(facts Facts, a Answers) map[string]int {
	values := make(map[string]int, len(a.Values)+len(p.Observations)+len(p.Facts)+len(p.Fields)+1)
	maps.Copy(values, a.Values)
	for _, f := range p.Facts {
		values[f.Key] = boolToInt(facts[f.Key])
	}
	for _, o := range p.Observations {
		values[o.Key] = boolToInt(slices.Contains(a.Observations, o.Key))
	}
	for _, f := range p.Fields {
		values[UnsureKey(f.Key)] = boolToInt(slices.Contains(a.Unsure, f.Key))
	}
	values[NoteKey] = boolToInt(p.hasOwnNote(values, a.Note))
	return values
}

// hasOwnNote reports whether a note counts as written: it has text apart from what hints
// fill in for values.
func (p Protocol) hasOwnNote(values map[string]int, note string) bool {
	for _, h := range p.FilledNotes() {
		if areMet(h.When, values) {
			note = strings.ReplaceAll(note, h.Note, "")
		}
	}
	return strings.Trim(note, NoteBlankChars) != ""
}

// FilledNotes returns the hints whose note does not count as written, once for each language of
// the note. Hints that depend on the note itself are not among them.
func (p Protocol) FilledNotes() (filled []Hint) {
	for _, h := range p.Hints {
		if h.Note == "" || h.Explains || slices.ContainsFunc(h.When, func(c Condition) bool { return c.Key == NoteKey }) {
			continue
		}
		notes := append([]string{h.Note}, h.OtherNotes...)
		slices.SortFunc(notes, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
		for _, h.Note = range notes { // the longest first: one can be a part of another
			filled = append(filled, h)
		}
	}
	return filled
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// findProblems returns a problem for each key that breaks r.
func (r Rule) findProblems(values map[string]int) (problems Problems) {
	if !areMet(r.When, values) {
		return nil
	}
	for _, c := range r.Then {
		if value, isAnswered := values[c.Key]; isAnswered && !slices.Contains(c.Values, value) {
			problems = append(problems, Problem{c.Key, r.ID, r.Message})
		}
	}
	return problems
}

// areMet reports whether values meet all conditions.
func areMet(conditions []Condition, values map[string]int) bool {
	for _, c := range conditions {
		if value, isAnswered := values[c.Key]; !isAnswered || !slices.Contains(c.Values, value) {
			return false
		}
	}
	return true
}

// UnsureKey returns the key of a field's doubt in rules: 1 if it was answered
// "between two values".
func UnsureKey(field string) string { return "unsure_" + field }

// AllRules returns the rules of p and those implied by its scales: "between two
// values" cannot be combined with the highest value.
func (p Protocol) AllRules() []Rule {
	if !p.AllowsBetween {
		return p.Rules
	}
	rules := slices.Clone(p.Rules)
	for _, f := range p.Fields {
		values := f.Scale.Values()
		rules = append(rules, Rule{
			ID:      UnsureKey(f.Key),
			When:    []Condition{{UnsureKey(f.Key), []int{1}}},
			Then:    []Condition{{f.Key, values[:len(values)-1]}},
			Message: fmt.Sprintf(messageHighest, strconv.Itoa(values[len(values)-1])),
		})
	}
	return rules
}
