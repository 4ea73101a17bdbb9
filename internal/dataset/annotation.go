package dataset

import (
	"encoding/json"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// An Annotation is what an export tells of one submitted annotation. Nothing in
// it says who the annotator is.
type Annotation struct {
	ID         string
	Project    string // key
	Batch      string // name
	Version    int    // of the protocol
	Revision   int    // under which it was made
	Kind       string // "work", "duplicate" or "calibration"
	AttemptNo  int    // from 1
	Current    bool   // false where a later attempt replaced it
	ReplacesID string // the annotation of the attempt before; empty: none
	Annotator  string // pseudonym

	SourceID string // source id
	RecordID string // record id; empty: none
	Content  project.Content
	Facts    protocol.Facts
	Meta     map[string]json.RawMessage

	Answers protocol.Answers

	SubmittedAt     time.Time
	ActiveTime      time.Duration // working time, breaks and idleness left out
	SequenceNo      int           // in the annotator's sequence, from 1
	ItemsSinceBreak int           // items since the last break
	SessionMinutes  int           // minutes since the annotator's session began
}

// WriteOptions say how an export is written.
type WriteOptions struct {
	Shape        Shape
	Format       Format
	IncludeTexts bool     // with what annotators read
	MetaKeys     []string // metadata keys to include; nil: conditions stay sealed
	ExactTimes   bool     // submission to the millisecond and active time in ms, instead of day and 5 s
}

// IsBlinded reports whether nothing tells which condition an item belongs to.
func (o WriteOptions) IsBlinded() bool { return o.MetaKeys == nil }

// A Shape says what one row is.
type Shape string

// The shapes of an export.
const (
	Wide Shape = "wide" // one row per annotation
	Long Shape = "long" // one row per annotation and field
)

// A Format says how rows are written.
type Format string

// The formats of an export.
const (
	CSV   Format = "csv"   // for spreadsheets: what they would run is escaped
	JSONL Format = "jsonl" // exact
)

// A FileSummary tells what was written. Annotations counts those in the file, or
// those that a consensus was made of, which also counts its items. Broken counts
// annotations that their protocol would refuse today; nothing stored should be
// among them.
type FileSummary struct {
	Rows           int    `json:"rows"`
	Items          int    `json:"items,omitzero"`
	Annotations    int    `json:"annotations"`
	RuleViolations int    `json:"broken"`
	Bytes          int64  `json:"bytes"`
	SHA256         string `json:"sha256"` // of the file, hexadecimal
}
