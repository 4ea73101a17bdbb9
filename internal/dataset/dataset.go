// Package dataset writes exports: tables of annotations and of the consensus, a
// codebook, a card that describes the dataset, and a manifest.
//
// JSONL is exact. CSV is escaped, so that a spreadsheet runs no cell as a formula.
package dataset

import (
	"fmt"
	"io"
	"iter"
	"runtime/debug"
	"time"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A Dataset is an export as a whole: tables of rows, and what explains them.
type Dataset struct {
	Protocol protocol.Protocol
	Options  WriteOptions
	Card     Card
	Tables   []TableFile
}

// A TableFile is one file of rows.
type TableFile struct {
	name  string // without its ending
	write func(io.Writer, protocol.Protocol, WriteOptions) (FileSummary, []Column, error)
}

// AnnotationTable returns the table of that name with a row, or several, for each
// annotation.
func AnnotationTable(name string, rows iter.Seq2[Annotation, error]) TableFile {
	return TableFile{name, func(w io.Writer, p protocol.Protocol, o WriteOptions) (FileSummary, []Column, error) {
		sum, err := WriteAnnotations(w, p, o, rows)
		return sum, Columns(p, o), err
	}}
}

// A FileSink takes the files of a dataset one after the other. It calls write with
// where the bytes of the file of that name go.
type FileSink func(name string, write func(io.Writer) error) error

// Write puts the dataset into a folder: its tables, a codebook, a card and, last
// of all, the manifest, which it returns. The names of the files follow from
// those of the tables alone.
func (d Dataset) Write(sink FileSink) (Manifest, error) {
	m := Manifest{Format: ManifestFormat, Tool: "labelwright " + programVersion(), CreatedAt: time.Now().UTC().Truncate(time.Second),
		Project: d.Card.Project, Protocol: d.Protocol.Name(), Definition: d.Protocol.Source,
		Blinded: d.Options.IsBlinded(), Batches: d.Card.Batches, Agreement: d.Card.Agreement}
	for _, t := range d.Tables {
		file, err := d.writeTable(sink, t)
		if err != nil {
			return m, err
		}
		m.Files = append(m.Files, file)
	}
	if err := sink("codebook.csv", func(w io.Writer) error { return WriteCodebook(w, d.Protocol, d.Options) }); err != nil {
		return m, err
	}
	if err := sink("README.md", func(w io.Writer) error { return d.Card.write(w, d.Protocol, m) }); err != nil {
		return m, err
	}
	return m, sink("manifest.json", func(w io.Writer) error { return WriteManifest(w, m) })
}

func (d Dataset) writeTable(sink FileSink, t TableFile) (file ManifestFile, err error) {
	name := fmt.Sprintf("%s.%s", t.name, d.Options.Format)
	err = sink(name, func(w io.Writer) error {
		sum, columns, err := t.write(w, d.Protocol, d.Options)
		file = NewManifestFile(name, columns, d.Options, sum)
		return err
	})
	return file, err
}

// programVersion returns the program's version as it was built.
func programVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
