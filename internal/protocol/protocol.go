// Package protocol says what annotators are asked.
//
// A Protocol is plain data: the unit shown, fields and their scales,
// observations, rules between the answers, and guidance. The check on the
// server, the form and its script, the CHECK constraints of the database, the
// import and the export are all read off that data, so they cannot disagree.
package protocol

import (
	"fmt"
	"slices"
)

// A VersionID identifies a published version of a protocol.
type VersionID int32

// A Protocol is one version of one kind of task. A published version never
// changes: keys, scales and rules make the Version, wording the Revision.
type Protocol struct {
	Key      string
	Version  int // from 1
	Revision int // from 0
	Title    string
	Summary  string // one sentence for whoever chooses a protocol

	Unit          Unit
	Facts         []Fact
	Fields        []Field
	AllowsBetween bool // a field may be answered "between two": the lower is stored
	Observations  []Observation
	Rules         []Rule // must hold
	Hints         []Hint // are offered, and free to change
	Verdicts      []VerdictRule
	Guide         []Section
	Plan          SessionPlan

	Source string // the definition as it was read
}

// Name returns key, version and revision as people write them: "empathy v2.1".
func (p Protocol) Name() string { return fmt.Sprintf("%s v%d.%d", p.Key, p.Version, p.Revision) }

// A Unit is what one annotation is about.
type Unit struct {
	Noun       string     // "a response", for sentences
	IDColumn   string     // a column that may hold an item's own id, besides "id"
	RecordKind RecordKind // the import record that fans out to this unit, if any
	Parts      []Part     // in reading order
}

// A RecordKind is a kind of import record that holds several units.
type RecordKind string

// The records known. RAG holds query, answer and ranked chunks.
const (
	RecordNone       RecordKind = ""
	RecordRAG        RecordKind = "rag"            // one unit a record
	RecordRAGByChunk RecordKind = "rag-each-chunk" // one unit a chunk
)

// A Part is one piece of a unit's content.
type Part struct {
	Key        string
	Title      string
	Kind       PartKind
	Supporting bool // folded until asked for
	Judged     bool // what the questions are about
}

// A PartKind says what a part's content looks like.
type PartKind string

// The kinds of parts.
const (
	PartText         PartKind = "text"         // paragraphs
	PartConversation PartKind = "conversation" // turns, each with a role
	PartChunk        PartKind = "passage"      // one chunk with rank and source
	PartChunks       PartKind = "passages"     // several
)

// A Fact is something an item tells about itself, such as having two turns of
// the assistant. It is 1 or 0, never asked, and rules may speak of it.
type Fact struct {
	Key      string
	Title    string
	Part     string // the conversation it counts in
	Role     string // whose turns
	MinTurns int
}

// A Field is one question. Its Key is the form control, the key in the stored
// answers and the export's column.
type Field struct {
	Key          string
	Title        string
	Question     string
	Scale        Scale
	OnlyWhen     string   // the fact that makes it apply; empty: always
	Reward       []string // what earns a high value
	Penalize     []string // what earns a low one
	DecisionTree []Branch // the decision tree, in order
	Boundaries   []string // how to settle a doubt between two neighbouring points
}

// A Branch is one step of a decision tree: when this is so, the value is that.
type Branch struct {
	If   string
	Then string
}

// A Scale lists the points a field is answered on, ascending.
type Scale []Point

// A Point is one answer: the value that is stored, a label where the value
// alone says too little, and the anchor that tells what it means.
type Point struct {
	Value  int
	Label  string
	Anchor string
}

// Values returns the values of s, ascending.
func (s Scale) Values() []int {
	values := make([]int, len(s))
	for i, p := range s {
		values[i] = p.Value
	}
	return values
}

// IsBinary reports whether s is {0, 1}.
func (s Scale) IsBinary() bool { return slices.Equal(s.Values(), []int{0, 1}) }

// Anchor returns the anchor of value, or "".
func (s Scale) Anchor(value int) string {
	for _, p := range s {
		if p.Value == value {
			return p.Anchor
		}
	}
	return ""
}

// An Observation is an optional yes that an annotator may tick: a failure mode
// seen, an edge case met.
type Observation struct {
	Key      string
	Title    string
	Subject  string // whom it is about, as a heading: "the response"
	Guidance string // what it means for the answers
}

// A Rule says that when these answers stand, those must stand too.
// Implications, exclusions, forced scores, exceptions and required notes are
// all of this one form.
type Rule struct {
	ID      string
	When    []Condition
	Then    []Condition
	Message string // told to whoever breaks it
	Line    int    // in the definition
}

// A Condition says that a key has one of some values. The key is a field's, an
// observation's or a fact's (1 or 0), or Note (1 written, 0 blank).
type Condition struct {
	Key    string
	Values []int
}

// A Hint is offered when its conditions stand: values to fill in, a note to
// write, a sentence to show. Nothing enforces it.
type Hint struct {
	ID          string
	When        []Condition
	Suggestions []Condition
	Note        string
	Message     string
}

// A VerdictRule is derived from the answers, never given: it holds when any field
// has one of Any, no field one of None, and every field one of All. A nil
// list is not asked.
type VerdictRule struct {
	Key   string
	Title string
	Any   []int
	None  []int
	All   []int
}

// A Section is a part of the guide.
type Section struct {
	Key        string
	Title      string
	Paragraphs []string // paragraphs
	Points     []string
}

// A SessionPlan holds the protocol's own defaults for a session; a project may choose
// otherwise.
type SessionPlan struct {
	CalibrationItems  int     // items with reference answers
	HiddenDuplicates  int     // hidden ones, per batch and annotator
	BreakEveryItems   int     // items
	BreakMinutes      int     // minutes
	MinSecondsPerItem int     // seconds an item
	MaxSecondsPerItem int     // seconds an item
	TargetKappa       float64 // linear-weighted κ
	ContentWarning    string  // content warning; empty: none
}

// Field returns the field of that key.
func (p Protocol) Field(key string) (Field, bool) {
	i := slices.IndexFunc(p.Fields, func(f Field) bool { return f.Key == key })
	if i < 0 {
		return Field{}, false
	}
	return p.Fields[i], true
}

// Observation returns the observation of that key.
func (p Protocol) Observation(key string) (Observation, bool) {
	i := slices.IndexFunc(p.Observations, func(o Observation) bool { return o.Key == key })
	if i < 0 {
		return Observation{}, false
	}
	return p.Observations[i], true
}

// AppliesTo reports whether f is asked of an item with these facts.
func (f Field) AppliesTo(facts Facts) bool { return f.OnlyWhen == "" || facts[f.OnlyWhen] }

// ApplicableFields returns the fields asked of an item with these facts, in order.
func (p Protocol) ApplicableFields(facts Facts) []Field {
	return slices.DeleteFunc(slices.Clone(p.Fields), func(f Field) bool { return !f.AppliesTo(facts) })
}
