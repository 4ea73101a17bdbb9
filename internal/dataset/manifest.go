package dataset

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Manifest lists the files of an export and what they contain. The same data with the same
// options gives the same manifest, to the byte.
type Manifest struct {
	Format      string         `json:"format"` // manifestFormat
	Tool        string         `json:"tool"`   // name and version of the program
	Project     string         `json:"project"`
	Title       string         `json:"title"`
	License     string         `json:"license"` // a license id such as cc-by-4.0; empty: none was chosen
	Description string         `json:"description"`
	Language    []string       `json:"language"`   // codes such as "en"
	Protocol    string         `json:"protocol"`   // protocol.Protocol.Name
	Definition  string         `json:"definition"` // the source of the protocol
	TieRule     stats.TieRule  `json:"tie_rule"`   // of the consensus
	Snapshot    Snapshot       `json:"snapshot"`
	Options     any            `json:"options"`   // that the export was made with
	Blinded     bool           `json:"blinded"`   // without the metadata of items
	Files       []ManifestFile `json:"files"`     // tables
	Documents   []Document     `json:"documents"` // all other files but the manifest

	Batches   []BatchCard      `json:"batches"`
	Agreement []FieldAgreement `json:"agreement"` // null: not computed
	RuleAudit []RuleCount      `json:"rule_audit"`
	Checks    []Check          `json:"checks"`
	LeftOut   []Omission       `json:"left_out"`
}

// A Snapshot identifies the state of the data that was exported.
type Snapshot struct {
	LastAnnotationID   int64 `json:"last_annotation_id"`
	LastJudgmentID     int64 `json:"last_judgment_id"`
	LastAdjudicationID int64 `json:"last_adjudication_id"`
	// that retrieved nothing, and count in retrieval metrics
	EmptyRecords int       `json:"empty_records,omitzero"`
	ChangedAt    time.Time `json:"changed_at"` // the latest import, label, judgment or decision
}

// A Document is a file of an export that is not a table.
type Document struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// ManifestName is the name of the manifest's file.
const ManifestName = "manifest.json"

// manifestFormat identifies the format of the manifest.
const manifestFormat = "labelwright-export/1"

// ReadManifest reads the manifest of an export.
func ReadManifest(text []byte) (m Manifest, err error) {
	if err := json.Unmarshal(text, &m); err != nil {
		return m, err
	}
	if m.Format != manifestFormat {
		return m, fmt.Errorf("the format is not %s", manifestFormat)
	}
	return m, nil
}

// Checksums returns the SHA-256 of each file of the export but the manifest.
func (m Manifest) Checksums() map[string]string {
	sums := map[string]string{}
	for _, f := range m.Files {
		sums[f.Name] = f.SHA256
	}
	for _, d := range m.Documents {
		sums[d.Name] = d.SHA256
	}
	return sums
}

// A ManifestFile is one file of an export.
type ManifestFile struct {
	Name    string   `json:"name"`
	Shape   Shape    `json:"shape"`
	Format  Format   `json:"format"`
	Exact   bool     `json:"exact"` // false: CSV, with an apostrophe before texts that look like formulas
	Columns []Column `json:"columns"`
	FileSummary

	description string
}

// tableName returns the name without extension.
func (f ManifestFile) tableName() string { return strings.TrimSuffix(f.Name, "."+string(f.Format)) }

// newManifestFile returns the entry of a written file.
func newManifestFile(name string, columns []Column, o WriteOptions, s FileSummary) ManifestFile {
	return ManifestFile{Name: name, Shape: o.Shape, Format: o.Format, Exact: o.Format != CSV, Columns: columns,
		FileSummary: s}
}

// writeManifest writes m as JSON.
func writeManifest(w io.Writer, m Manifest) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(m)
}
