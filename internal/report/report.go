// Package report makes what leads read of the labels of a project: agreement
// with its verdict, what annotators tend to do, what people settled on and where
// they disagree, and what it says about the systems that were judged. Figures
// are package stats'; this package decides which rows belong to which question.
package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// An ItemData is one item that may be labelled.
type ItemData struct {
	ID         project.ItemID
	SourceID   string // its own id, unique in the project
	RecordID   string // what it shares with others, such as a query; empty: nothing
	MatchKey   string // equal for items that differ only in what is judged; empty: none do
	Rank       int    // of its passage, from 1; 0: it has none
	TextLength int    // characters of the text that is judged
	Facts      protocol.Facts
	Meta       map[string]string // metadata of one word or number each
}

// A LabelKind says what a label was given for.
type LabelKind string

// The kinds of labels. Only Work enters agreement and consensus.
const (
	Work        LabelKind = "work"
	Duplicate   LabelKind = "duplicate"
	Calibration LabelKind = "calibration"
)

// A Label is one annotation of a person, the latest of its assignment.
type Label struct {
	ID              int64
	ItemID          project.ItemID
	Annotator       string // the pseudonym
	Kind            LabelKind
	Values          map[string]int // by field; without those that do not apply
	Observations    []string
	ItemsSinceBreak int // items done since the last break
	ActiveMS        int64
	SubmittedAt     time.Time
	Revision        int `db:"-"` // of the protocol's wording; 0: not known
}

// A Judgment is what a model said of an item.
type Judgment struct {
	ItemID project.ItemID
	Judge  string // its name
	Values map[string]int
}

// A Data is what a report is made of, as it stood at one moment.
type Data struct {
	Project                 string // its key
	Batch                   string // the one that is looked at; empty: all of them
	Protocol                protocol.Protocol
	Items                   []ItemData
	Labels                  []Label
	Judgments               []Judgment
	Adjudicated             map[project.ItemID]map[string]int // item → field → what a lead settled
	AdjudicatedObservations map[project.ItemID][]string       // adjudicated item → the observations that stand

	References map[project.ItemID]map[string]int // calibration item → field → what it is measured by
}

// BuildOptions say how a report is computed.
type BuildOptions struct {
	Resamples int    // of every interval; 0: 1,000
	Seed      uint64 // of every interval
	Column    string // the metadata column to compare by; empty: one that looks like conditions
	TopK      int    // how many of a query's first chunks count; 0: all

	OnProgress func(BuildProgress) // is told what is done next; nil: nobody is
}

// A BuildProgress is how far a report has come. Steps are not equally long.
type BuildProgress struct {
	Done, Total int    // steps; All is 0 while it is not known how many there are
	Activity    string // what is being done now, such as "habits"; empty at the end
}

func (o BuildOptions) statsOptions() stats.IntervalOptions {
	return stats.IntervalOptions{Resamples: o.Resamples, Seed: o.Seed}
}

// A Report is everything a lead reads about a project or a batch of it.
type Report struct {
	Project          string              `json:"project"`
	Batch            string              `json:"batch"` // empty: all
	Protocol         string              `json:"protocol"`
	LastAnnotationID int64               `json:"through"` // the last annotation that is in it
	Seed             uint64              `json:"seed"`
	Counts           Counts              `json:"counts"`
	Fields           []FieldReport       `json:"fields"`
	Annotators       []Annotator         `json:"annotators"`
	Columns          []string            `json:"columns"` // of metadata that can be compared by
	Breakdown        *Breakdown          `json:"by"`      // null where no column is
	Metrics          []MetricGroup       `json:"metrics"`
	Judges           []Judge             `json:"models"`
	Disagreements    []FieldDisagreement `json:"disagreements"` // the worst first
	Consensus        []ConsensusResult   `json:"consensus"`
}

// Counts say what the labels are, apart by kind.
type Counts struct {
	LabeledItems int `json:"labelled"` // items with a label
	SharedItems  int `json:"shared"`   // of them, by two annotators or more
	Annotators   int `json:"annotators"`
	Work         int `json:"work"`
	Duplicates   int `json:"duplicates"`
	Calibration  int `json:"calibration"`
	Judgments    int `json:"models"` // judgements of models
}

// Build computes the report of d.
func Build(d Data, o BuildOptions) (Report, error) {
	s, err := newStudy(d, o)
	if err != nil {
		return Report{}, err
	}
	s.totalSteps = 3*len(s.fields) + len(s.listAnnotators()) + 4
	r := Report{Project: d.Project, Batch: d.Batch, Protocol: d.Protocol.Name(), Seed: o.Seed, Counts: s.countLabels()}
	for _, l := range d.Labels {
		r.LastAnnotationID = max(r.LastAnnotationID, l.ID)
	}
	for _, f := range s.fields {
		r.Fields = append(r.Fields, s.computeFieldReport(f))
	}
	s.startStep("disagreements")
	r.Consensus = s.consensus
	r.Disagreements = s.findDisagreements()
	if r.Annotators, err = s.computeAnnotators(); err != nil {
		return Report{}, err
	}
	s.startStep("conditions beside each other")
	r.Columns = s.findColumns()
	if r.Breakdown, err = s.compareGroups(r.Columns); err != nil {
		return Report{}, err
	}
	s.startStep("metrics and models")
	r.Metrics = s.computeMetrics()
	r.Judges, err = s.compareJudges()
	s.startStep("")
	return r, err
}

// Field returns the field of that key.
func (r Report) Field(key string) (FieldReport, bool) {
	i := slices.IndexFunc(r.Fields, func(f FieldReport) bool { return f.Key == key })
	if i < 0 {
		return FieldReport{}, false
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
