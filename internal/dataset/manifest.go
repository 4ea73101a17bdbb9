package dataset

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// A Manifest lists the files of an export with checksums, so that a recipient can check
// that it is complete.
type Manifest struct {
	Format     string         `json:"format"` // manifestFormat
	Tool       string         `json:"tool"`   // name and version of the program
	CreatedAt  time.Time      `json:"created_at"`
	Project    string         `json:"project"`
	Protocol   string         `json:"protocol"`   // protocol.Protocol.Name
	Definition string         `json:"definition"` // the source of the protocol
	Blinded    bool           `json:"blinded"`    // without the metadata of items
	Files      []ManifestFile `json:"files"`
	Documents  []Document     `json:"documents"` // files that describe the dataset

	Batches   []BatchCard      `json:"batches"`
	Agreement []FieldAgreement `json:"agreement"` // null: not computed
}

// A Document is a file of an export that is not a table.
type Document struct {
	Name   string `json:"name"`
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
}

// tableName returns the name without extension.
func (f ManifestFile) tableName() string { return strings.TrimSuffix(f.Name, "."+string(f.Format)) }

// newManifestFile returns the entry of a written file.
func newManifestFile(name string, columns []Column, o WriteOptions, s FileSummary) ManifestFile {
	return ManifestFile{Name: name, Shape: o.Shape, Format: o.Format, Exact: o.Format == JSONL, Columns: columns, FileSummary: s}
}

// writeManifest writes m as JSON.
func writeManifest(w io.Writer, m Manifest) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(m)
}
