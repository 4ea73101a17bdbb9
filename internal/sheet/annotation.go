package sheet

import (
	"encoding/json"
	"time"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// An Annotation is what an export tells of one submitted annotation. Nothing in
// it says who the annotator is.
type Annotation struct {
	ID        string
	Project   string // key
	Batch     string // name
	Version   int    // of the protocol
	Revision  int    // under which it was made
	Kind      string // "work", "duplicate" or "calibration"
	Attempt   int    // from 1
	Current   bool   // false where a later attempt replaced it
	Replaces  string // the annotation of the attempt before; empty: none
	Annotator string // pseudonym

	Item    string // source id
	Record  string // record id; empty: none
	Content project.Content
	Facts   protocol.Facts
	Meta    map[string]json.RawMessage

	Answers protocol.Answers

	Submitted  time.Time
	Active     time.Duration // working time, breaks and idleness left out
	Position   int           // in the annotator's sequence, from 1
	SinceBreak int           // items since the last break
	Sitting    int           // minutes since the annotator's session began
}

// Options say how an export is written.
type Options struct {
	Shape  Shape
	Format Format
	Texts  bool     // with what annotators read
	Meta   []string // metadata keys to include; nil: conditions stay sealed
	Exact  bool     // submission to the millisecond and active time in ms, instead of day and 5 s
}

// Sealed reports whether nothing tells which condition an item belongs to.
func (o Options) Sealed() bool { return o.Meta == nil }

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

// A Summary tells what was written. Annotations counts those in the file, or
// those that a consensus was made of, which also counts its items. Broken counts
// annotations that their protocol would refuse today; nothing stored should be
// among them.
type Summary struct {
	Rows        int    `json:"rows"`
	Items       int    `json:"items,omitzero"`
	Annotations int    `json:"annotations"`
	Broken      int    `json:"broken"`
	Bytes       int64  `json:"bytes"`
	SHA256      string `json:"sha256"` // of the file, hexadecimal
}
