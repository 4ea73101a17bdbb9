package dataset

import (
	"encoding/json"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// An Annotation is one submitted annotation as exported. The annotator appears under a
// pseudonym only.
type Annotation struct {
	ID         string
	Project    string // key
	Batch      string // name
	Version    int    // of the protocol
	Revision   int    // of the protocol, that the batch used at submission
	Kind       string // an AnnotationKind
	AttemptNo  int    // from 1
	Current    bool   // false if a later attempt replaced it
	ReplacesID string // the annotation of the previous attempt; empty: none
	Annotator  string // pseudonym

	SourceID string
	RecordID string // empty: none
	Content  project.Content
	Facts    protocol.Facts
	Meta     map[string]json.RawMessage

	Answers protocol.Answers

	SubmittedAt              time.Time
	ActiveTime               time.Duration // without breaks and idle time
	SequenceNo               int           // in the annotator's sequence, from 1
	ItemsSinceCompletedBreak int           // items
	SessionMinutes           int           // since the session started
}

// WriteOptions determine the shape, format and content of an export.
type WriteOptions struct {
	Shape        Shape
	Format       Format
	Layout       Layout
	IncludeTexts bool         // with the content of the items
	BOM          bool         // CSV starts with the mark by which Excel knows UTF-8
	MetaColumns  []MetaColumn // metadata to include; nil: a blinded export
	ExactTimes   bool         // exact times, instead of days and 5 seconds
	HasModel     bool         // the consensus comes from a model, with a probability of each value
}

// IsBlinded reports whether the export hides the condition of each item.
func (o WriteOptions) IsBlinded() bool { return o.MetaColumns == nil }

// A Shape determines what one row is.
type Shape string

// The shapes of an export.
const (
	Wide Shape = "wide" // one row per annotation
	Long Shape = "long" // one row per annotation and field
)

// A Format is a file format of an export.
type Format string

// The formats of an export.
const (
	CSV     Format = "csv"     // with formulas escaped for spreadsheets
	JSONL   Format = "jsonl"   // exact
	Parquet Format = "parquet" // exact, typed and compressed
)

// Contents are the labels that an export has.
type Contents string

// The contents of an export. The zero value is RawLabels.
const (
	RawLabels  Contents = "raw"       // what annotators answered
	Consensus  Contents = "consensus" // one value per item and field
	BothLabels Contents = "both"
)

// HasRaw reports whether an export has the labels of annotators.
func (c Contents) HasRaw() bool { return c != Consensus }

// HasConsensus reports whether an export has the consensus.
func (c Contents) HasConsensus() bool { return c == Consensus || c == BothLabels }

// A Layout is the form of the files of an export.
type Layout string

// The layouts. The zero value is Plain.
const (
	Plain       Layout = "plain"        // tables
	HuggingFace Layout = "huggingface"  // tables that load_dataset reads, and Croissant metadata
	LabelStudio Layout = "label-studio" // tasks with annotations, and a labeling configuration
	Langfuse    Layout = "langfuse"     // scores of traces
)

// HasTables reports whether an export in layout l has tables in a shape and a format.
func (l Layout) HasTables() bool { return l == "" || l == Plain || l == HuggingFace }

// A FileSummary describes a file of rows that was written.
type FileSummary struct {
	Rows           int    `json:"rows"`
	Items          int    `json:"items,omitzero"`  // of a consensus
	Annotations    int    `json:"annotations"`     // in the file, or behind a consensus
	RuleViolations int    `json:"rule_violations"` // annotations that the protocol would reject now; 0 is expected
	Bytes          int64  `json:"bytes"`
	SHA256         string `json:"sha256"` // of the file, hexadecimal

	brokenRules map[string]int // annotations by the rule they break
}
