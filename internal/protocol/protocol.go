// Package protocol defines rubrics: what annotators are asked, and which answers
// are valid.
//
// A Protocol is plain data: the unit shown, fields and their scales,
// observations, rules between answers, and guidance. The form, the checks in the
// browser, on the server and in the database, the import and the export all
// derive from it, so they agree.
package protocol

import (
	"fmt"
	"slices"
)

// A VersionID identifies a published version of a protocol.
type VersionID int32

// A Protocol is one version of one task type. A published version never changes.
// Keys, scales, point labels, anchors and rules belong to the Version, other texts to
// the Revision.
type Protocol struct {
	Key      string
	Version  int // from 1
	Revision int // from 0
	Title    string
	Language string // of its texts, a BCP 47 tag
	Summary  string // one sentence, shown in the list of protocols

	Unit          Unit
	Facts         []Fact
	Fields        []Field
	AllowsBetween bool // a field may be answered "between two": the lower is stored
	Observations  []Observation
	Rules         []Rule // enforced
	Hints         []Hint // offered; annotators may answer otherwise
	Verdicts      []VerdictRule
	Guide         []Section
	Examples      []Example
	Plan          SessionPlan

	Translations map[string]Protocol // by language: the same protocol with other texts

	Source string // the definition as it was read
}

// Name returns key, version and revision for display: "empathy v2.1".
func (p Protocol) Name() string { return fmt.Sprintf("%s v%d.%d", p.Key, p.Version, p.Revision) }

// A Unit is what one annotation is about.
type Unit struct {
	Noun       string     // "a response", for sentences
	IDColumn   string     // another name of the id column in import files; "id" works too
	RecordKind RecordKind // the import record that fans out to this unit, if any
	Parts      []Part     // in reading order
}

// A RecordKind is a kind of import record that holds several units.
type RecordKind string

// The kinds of import records. A RAG record holds query, answer and ranked chunks.
const (
	RecordNone       RecordKind = ""
	RecordRAG        RecordKind = "rag"          // one unit per record
	RecordRAGByChunk RecordKind = "rag-by-chunk" // one unit per chunk
)

// A Part is one piece of a unit's content.
type Part struct {
	Key        string
	Title      string
	Kind       PartKind
	Supporting bool // collapsed at first
	Judged     bool // the questions are about this part
	Format     TextFormat
}

// A PartKind is the form of a part's content.
type PartKind string

// The kinds of parts.
const (
	PartText         PartKind = "text"         // paragraphs
	PartConversation PartKind = "conversation" // turns, each with a role
	PartChunk        PartKind = "chunk"        // one retrieved chunk with rank and source
	PartChunks       PartKind = "chunks"       // several
)

// A Fact is computed from an item's content, such as having two assistant turns.
// It is 1 or 0, and rules may refer to it.
type Fact struct {
	Key      string
	Title    string
	Part     string // the conversation it counts in
	Role     string // whose turns
	MinTurns int    // how often it speaks before others do
}

// A Field is one question. Its Key names the form control, the stored answer and
// the export column.
type Field struct {
	Key          string
	Title        string
	Question     string
	Scale        Scale
	OnlyWhen     string   // key of a fact; empty: applies always
	Reward       []string // what earns a high value
	Penalize     []string // what earns a low one
	DecisionTree []Branch // in order; the highest that fits counts
	Boundaries   []string // how to choose between two neighboring points
}

// A Branch is one step of a decision tree: if this is true, choose that value.
type Branch struct {
	If   string
	Then string
}

// A Scale lists the points of a field, ascending.
type Scale []Point

// A Point is one answer: the stored value, an optional label, and the anchor that
// explains it.
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

// IsBinary reports whether s has the values 0 and 1.
func (s Scale) IsBinary() bool { return slices.Equal(s.Values(), []int{0, 1}) }

// MinNearPoints is the length of the scales on which one point apart is close. On shorter
// ones it is half of the scale or all of it.
const MinNearPoints = 4

// Tolerance returns how far an answer can be from the right one and still count as right.
func (s Scale) Tolerance() int {
	if len(s) >= MinNearPoints {
		return 1
	}
	return 0
}

// Anchor returns the anchor of value, or "".
func (s Scale) Anchor(value int) string {
	for _, p := range s {
		if p.Value == value {
			return p.Anchor
		}
	}
	return ""
}

// An Observation is an optional yes/no that an annotator may tick: a failure mode
// or an edge case.
type Observation struct {
	Key      string
	Title    string
	Subject  string // what it is about, as a heading: "the response"
	Guidance string // what it implies for the answers
}

// A Rule requires the Then conditions where the When conditions hold.
// Implications, exclusions, forced scores, exceptions and required notes all have
// this form.
type Rule struct {
	ID      string
	When    []Condition
	Then    []Condition
	Message string // shown where the rule is broken
	Line    int    // in the definition
}

// A Condition holds when the key has one of the values. The key is that of a
// field, an observation or a fact (1 or 0), or NoteKey (1 written, 0 blank).
type Condition struct {
	Key    string
	Values []int
}

// A Hint is shown when its conditions hold: values to fill in, a note to write, or
// advice. It is not enforced. A filled note that Explains the answers counts as a
// written note; any other does not.
type Hint struct {
	ID          string
	When        []Condition
	Suggestions []Condition
	Note        string
	Explains    bool
	Message     string
	OtherNotes  []string // Note in the other languages of the protocol
}

// A VerdictRule derives a verdict from the answers: it holds when any field has a
// value of Any, no field has one of None, and every field has one of All. A nil
// list is ignored.
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
	Paragraphs []string
	Points     []string
}

// A SessionPlan holds the defaults for sessions. A project or a batch may override
// them.
type SessionPlan struct {
	CalibrationItems  int // items with reference answers
	HiddenDuplicates  int // per batch and annotator
	BreakEveryItems   int
	BreakMinutes      int
	MinSecondsPerItem int     // lower end of the pace band
	MaxSecondsPerItem int     // upper end of the pace band
	TargetKappa       float64 // linear-weighted κ
	ContentWarning    string  // empty: none
}

// Field returns the field with that key.
func (p Protocol) Field(key string) (Field, bool) {
	i := slices.IndexFunc(p.Fields, func(f Field) bool { return f.Key == key })
	if i < 0 {
		return Field{}, false
	}
	return p.Fields[i], true
}

// Observation returns the observation with that key.
func (p Protocol) Observation(key string) (Observation, bool) {
	i := slices.IndexFunc(p.Observations, func(o Observation) bool { return o.Key == key })
	if i < 0 {
		return Observation{}, false
	}
	return p.Observations[i], true
}

// AppliesTo reports whether f applies to an item with these facts.
func (f Field) AppliesTo(facts Facts) bool { return f.OnlyWhen == "" || facts[f.OnlyWhen] }

// ApplicableFields returns the fields that apply to an item with these facts, in order.
func (p Protocol) ApplicableFields(facts Facts) []Field {
	return slices.DeleteFunc(slices.Clone(p.Fields), func(f Field) bool { return !f.AppliesTo(facts) })
}
