package dataset

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
	Format     string         `json:"format"` // ManifestFormat
	Tool       string         `json:"tool"`   // name and version of the program
	CreatedAt  time.Time      `json:"written"`
	Project    string         `json:"project"`
	Protocol   string         `json:"protocol"`   // as protocol.Protocol.Name writes it
	Definition string         `json:"definition"` // the protocol as it was read
	Blinded    bool           `json:"sealed"`     // without the items' metadata
	Files      []ManifestFile `json:"files"`

	Batches   []BatchCard      `json:"batches"`
	Agreement []FieldAgreement `json:"agreement"` // null: not worked out
}

// ManifestFormat names this form of manifest.
const ManifestFormat = "labelwright-export/1"

// A ManifestFile is one file of an export.
type ManifestFile struct {
	Name    string   `json:"name"`
	Shape   Shape    `json:"shape"`
	Format  Format   `json:"format"`
	Exact   bool     `json:"exact"` // false: CSV, in which texts that a spreadsheet would run are led by an apostrophe
	Columns []Column `json:"columns"`
	FileSummary
}

// NewManifestFile returns the entry of a file that Write has written.
func NewManifestFile(name string, columns []Column, o WriteOptions, s FileSummary) ManifestFile {
	return ManifestFile{Name: name, Shape: o.Shape, Format: o.Format, Exact: o.Format == JSONL, Columns: columns, FileSummary: s}
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
func WriteCodebook(w io.Writer, p protocol.Protocol, opts WriteOptions) error {
	file := appendCodebookRow(nil, "key", "title", "question", "value", "label", "anchor")
	for _, f := range p.Fields {
		for _, point := range f.Scale {
			file = appendCodebookRow(file, f.Key, f.Title, f.Question, point.Value, point.Label, point.Anchor)
		}
	}
	for _, opts := range p.Observations {
		file = appendCodebookRow(file, "obs."+opts.Key, opts.Title, opts.Guidance, 0, "", "not ticked")
		file = appendCodebookRow(file, "obs."+opts.Key, opts.Title, opts.Guidance, 1, "", "ticked")
	}
	for _, v := range p.Verdicts {
		file = appendCodebookRow(file, "verdict."+v.Key, v.Title, "", 0, "", "does not follow from the answers")
		file = appendCodebookRow(file, "verdict."+v.Key, v.Title, "", 1, "", "follows from the answers")
	}
	for _, c := range slices.Concat(originColumns(p), timingColumns(opts), itemInfoColumns(p, opts), ruleColumns()) {
		file = appendCodebookRow(file, c.Name, c.Description, "", "", "", "")
	}
	_, err := w.Write(file)
	return err
}

// appendCodebookRow adds a row of CSV: texts are guarded, whole numbers stand as they
// are.
func appendCodebookRow(file []byte, cells ...any) []byte {
	for i, c := range cells {
		if i > 0 {
			file = append(file, ',')
		}
		switch c := c.(type) {
		case int:
			file = strconv.AppendInt(file, int64(c), 10)
		case string:
			file = appendCSVCell(file, escapeFormula(c))
		}
	}
	return append(file, '\n')
}
