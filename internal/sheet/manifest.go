package sheet

import (
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A Manifest tells what an export consists of, so that whoever receives it can
// check that it is whole.
type Manifest struct {
	Format     string    `json:"format"` // ManifestFormat
	Tool       string    `json:"tool"`   // name and version of the program
	Written    time.Time `json:"written"`
	Project    string    `json:"project"`
	Protocol   string    `json:"protocol"`   // as protocol.Protocol.Name writes it
	Definition string    `json:"definition"` // the protocol as it was read
	Sealed     bool      `json:"sealed"`     // without the items' metadata
	Files      []File    `json:"files"`

	Batches   []BatchCard `json:"batches"`
	Agreement []Agreement `json:"agreement"` // null: not worked out
}

// ManifestFormat names this form of manifest.
const ManifestFormat = "labelwright-export/1"

// A File is one file of an export.
type File struct {
	Name    string   `json:"name"`
	Shape   Shape    `json:"shape"`
	Format  Format   `json:"format"`
	Exact   bool     `json:"exact"` // false: CSV, in which texts that a spreadsheet would run are led by an apostrophe
	Columns []Column `json:"columns"`
	Summary
}

// FileOf returns the entry of a file that Write has written.
func FileOf(name string, columns []Column, o Options, s Summary) File {
	return File{Name: name, Shape: o.Shape, Format: o.Format, Exact: o.Format == JSONL, Columns: columns, Summary: s}
}

// WriteManifest writes m as JSON.
func WriteManifest(w io.Writer, m Manifest) error {
	m.Format = ManifestFormat
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(m)
}

// WriteCodebook writes what each value of p's answers means, and then each other
// column of an export, as CSV: key, title, question, value, label, anchor. The
// rows of other columns have a title alone.
func WriteCodebook(w io.Writer, p protocol.Protocol, o Options) error {
	file := appendRow(nil, "key", "title", "question", "value", "label", "anchor")
	for _, f := range p.Fields {
		for _, point := range f.Scale {
			file = appendRow(file, f.Key, f.Title, f.Ask, point.Value, point.Label, point.Anchor)
		}
	}
	for _, o := range p.Observations {
		file = appendRow(file, "obs."+o.Key, o.Title, o.Says, 0, "", "not ticked")
		file = appendRow(file, "obs."+o.Key, o.Title, o.Says, 1, "", "ticked")
	}
	for _, v := range p.Verdicts {
		file = appendRow(file, "verdict."+v.Key, v.Title, "", 0, "", "does not follow from the answers")
		file = appendRow(file, "verdict."+v.Key, v.Title, "", 1, "", "follows from the answers")
	}
	for _, c := range slices.Concat(origin(p), timing(o), itself(p, o), judged()) {
		file = appendRow(file, c.Name, c.Means, "", "", "", "")
	}
	_, err := w.Write(file)
	return err
}

// appendRow adds a row of CSV: texts are guarded, whole numbers stand as they
// are.
func appendRow(file []byte, cells ...any) []byte {
	for i, c := range cells {
		if i > 0 {
			file = append(file, ',')
		}
		switch c := c.(type) {
		case int:
			file = strconv.AppendInt(file, int64(c), 10)
		case string:
			file = appendQuoted(file, guard(c))
		}
	}
	return append(file, '\n')
}
