// Package report makes what leads read of the labels of a project: agreement
// with its verdict, what annotators tend to do, what people settled on and where
// they disagree, and what it says about the systems that were judged. Figures
// are package stats'; this package decides which rows belong to which question.
package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// An Item is one item that may be labelled.
type Item struct {
	ID     int64
	Source string // its own id, unique in the project
	Record string // what it shares with others, such as a query; empty: nothing
	Same   string // equal for items that differ only in what is judged; empty: none do
	Rank   int    // of its passage, from 1; 0: it has none
	Length int    // characters of the text that is judged
	Facts  protocol.Facts
	Meta   map[string]string // metadata of one word or number each
}

// A Kind says what a label was given for.
type Kind string

// The kinds of labels. Only Work enters agreement and consensus.
const (
	Work        Kind = "work"
	Duplicate   Kind = "duplicate"
	Calibration Kind = "calibration"
)

// A Label is one annotation of a person, the latest of its assignment.
type Label struct {
	ID         int64
	ItemID     int64
	Annotator  string // the pseudonym
	Kind       Kind
	Values     map[string]int // by field; without those that do not apply
	Observed   []string
	SinceBreak int // items done since the last break
	ActiveMS   int64
	Submitted  time.Time
	Revision   int `db:"-"` // of the protocol's wording; 0: not known
}

// A Judgement is what a model said of an item.
type Judgement struct {
	ItemID int64
	Model  string // its name
	Values map[string]int
}

// A Data is what a report is made of, as it stood at one moment.
type Data struct {
	Project  string // its key
	Batch    string // the one that is looked at; empty: all of them
	Protocol protocol.Protocol
	Items    []Item
	Labels   []Label
	Models   []Judgement
	Gold     map[int64]map[string]int // item → field → what a lead settled
	Observed map[int64][]string       // adjudicated item → the observations that stand

	References map[int64]map[string]int // calibration item → field → what it is measured by
}

// Options say how a report is computed.
type Options struct {
	Resamples int    // of every interval; 0: 1,000
	Seed      uint64 // of every interval
	By        string // the metadata column to compare by; empty: one that looks like conditions
	K         int    // how many of a query's first chunks count; 0: all

	Tell func(Progress) // is told what is done next; nil: nobody is
}

// A Progress is how far a report has come. Steps are not equally long.
type Progress struct {
	Done, All int    // steps; All is 0 while it is not known how many there are
	Doing     string // what is being done now, such as "habits"; empty at the end
}

func (o Options) stats() stats.Options { return stats.Options{Resamples: o.Resamples, Seed: o.Seed} }

// A Report is everything a lead reads about a project or a batch of it.
type Report struct {
	Project       string         `json:"project"`
	Batch         string         `json:"batch"` // empty: all
	Protocol      string         `json:"protocol"`
	Through       int64          `json:"through"` // the last annotation that is in it
	Seed          uint64         `json:"seed"`
	Counts        Counts         `json:"counts"`
	Fields        []Field        `json:"fields"`
	Annotators    []Annotator    `json:"annotators"`
	Columns       []string       `json:"columns"` // of metadata that can be compared by
	By            *Breakdown     `json:"by"`      // null where no column is
	Metrics       []Metrics      `json:"metrics"`
	Models        []Model        `json:"models"`
	Disagreements []Disagreement `json:"disagreements"` // the worst first
	Consensus     []Settled      `json:"consensus"`
}

// Counts say what the labels are, apart by kind.
type Counts struct {
	Labelled    int `json:"labelled"` // items with a label
	Shared      int `json:"shared"`   // of them, by two annotators or more
	Annotators  int `json:"annotators"`
	Work        int `json:"work"`
	Duplicates  int `json:"duplicates"`
	Calibration int `json:"calibration"`
	Models      int `json:"models"` // judgements of models
}

// Make computes the report of d.
func Make(d Data, o Options) (Report, error) {
	s, err := newStudy(d, o)
	if err != nil {
		return Report{}, err
	}
	s.steps = 3*len(s.fields) + len(s.people()) + 4
	r := Report{Project: d.Project, Batch: d.Batch, Protocol: d.Protocol.Name(), Seed: o.Seed, Counts: s.counts()}
	for _, l := range d.Labels {
		r.Through = max(r.Through, l.ID)
	}
	for _, f := range s.fields {
		r.Fields = append(r.Fields, s.field(f))
	}
	s.tell("disagreements")
	r.Consensus = s.consensus
	r.Disagreements = s.disagreements()
	if r.Annotators, err = s.annotators(); err != nil {
		return Report{}, err
	}
	s.tell("conditions beside each other")
	r.Columns = s.columns()
	if r.By, err = s.breakdown(r.Columns); err != nil {
		return Report{}, err
	}
	s.tell("metrics and models")
	r.Metrics = s.metrics()
	r.Models, err = s.models()
	s.tell("")
	return r, err
}

// Field returns the field of that key.
func (r Report) Field(key string) (Field, bool) {
	i := slices.IndexFunc(r.Fields, func(f Field) bool { return f.Key == key })
	if i < 0 {
		return Field{}, false
	}
	return r.Fields[i], true
}

// Annotator returns what is said of an annotator.
func (r Report) Annotator(pseudonym string) (Annotator, bool) {
	i, ok := slices.BinarySearchFunc(r.Annotators, pseudonym, func(a Annotator, name string) int { return cmp.Compare(a.Name, name) })
	if !ok {
		return Annotator{}, false
	}
	return r.Annotators[i], true
}
