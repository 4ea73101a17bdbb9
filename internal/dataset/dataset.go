// Package dataset writes exports: tables of annotations and of the consensus, a
// codebook, a card that describes the dataset, and a manifest.
//
// JSONL is exact. CSV is escaped, so that a spreadsheet runs no cell as a formula.
package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/version"
)

// A Dataset is an export: tables, and the files that describe them.
type Dataset struct {
	Protocol protocol.Protocol
	Options  WriteOptions
	Card     Card
	Tables   []TableFile
}

// A TableFile is one table, written as one file.
type TableFile struct {
	name  string // without extension
	write func(io.Writer, protocol.Protocol, WriteOptions) (FileSummary, []Column, error)
}

// AnnotationTable returns a table with one row per annotation, or in the long shape per
// annotation and field.
func AnnotationTable(name string, rows iter.Seq2[Annotation, error]) TableFile {
	return TableFile{name, func(w io.Writer, p protocol.Protocol, o WriteOptions) (FileSummary, []Column, error) {
		columns := annotationColumns(p, o)
		sum, err := writeAnnotations(w, p, o, columns, rows)
		return sum, describeColumns(columns), err
	}}
}

// A FileSink stores one file of a dataset. It calls write with the file's writer.
type FileSink func(name string, write func(io.Writer) error) error

// Write writes the tables, the codebook, the card and, last, the manifest, which it
// returns. File names depend only on table names and format.
func (d Dataset) Write(sink FileSink) (Manifest, error) {
	m := Manifest{Format: manifestFormat, Tool: "labelwright " + version.String(), CreatedAt: time.Now().UTC().Truncate(time.Second),
		Project: d.Card.Project, Protocol: d.Protocol.Name(), Definition: d.Protocol.Source,
		Blinded: d.Options.IsBlinded(), Batches: d.Card.Batches, Agreement: d.Card.Agreement}
	for _, t := range d.Tables {
		file, err := d.writeTable(sink, t)
		if err != nil {
			return m, err
		}
		m.Files = append(m.Files, file)
	}
	codebook, err := writeDocument(sink, "codebook.csv", func(w io.Writer) error { return writeCodebook(w, d.Protocol, d.Options) })
	if err != nil {
		return m, err
	}
	card, err := writeDocument(sink, "README.md", func(w io.Writer) error { return d.Card.write(w, d.Protocol, d.Options, m) })
	if err != nil {
		return m, err
	}
	m.Documents = []Document{codebook, card}
	return m, sink(ManifestName, func(w io.Writer) error { return writeManifest(w, m) })
}

// writeDocument writes a file that describes the dataset.
func writeDocument(sink FileSink, name string, write func(io.Writer) error) (Document, error) {
	hash := sha256.New()
	err := sink(name, func(w io.Writer) error { return write(io.MultiWriter(w, hash)) })
	return Document{Name: name, SHA256: hex.EncodeToString(hash.Sum(nil))}, err
}

func (d Dataset) writeTable(sink FileSink, t TableFile) (file ManifestFile, err error) {
	name := fmt.Sprintf("%s.%s", t.name, d.Options.Format)
	err = sink(name, func(w io.Writer) error {
		sum, columns, err := t.write(w, d.Protocol, d.Options)
		file = newManifestFile(name, columns, d.Options, sum)
		return err
	})
	return file, err
}
