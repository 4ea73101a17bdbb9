package sheet

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
	Options  Options
	Card     Card
	Tables   []Table
}

// A Table is one file of rows.
type Table struct {
	name  string // without its ending
	write func(io.Writer, protocol.Protocol, Options) (Summary, []Column, error)
}

// Annotations returns the table of that name with a row, or several, for each
// annotation.
func Annotations(name string, rows iter.Seq2[Annotation, error]) Table {
	return Table{name, func(w io.Writer, p protocol.Protocol, o Options) (Summary, []Column, error) {
		sum, err := Write(w, p, o, rows)
		return sum, Columns(p, o), err
	}}
}

// A Folder takes the files of a dataset one after the other. It calls write with
// where the bytes of the file of that name go.
type Folder func(name string, write func(io.Writer) error) error

// Write puts the dataset into a folder: its tables, a codebook, a card and, last
// of all, the manifest, which it returns. The names of the files follow from
// those of the tables alone.
func (d Dataset) Write(put Folder) (Manifest, error) {
	m := Manifest{Format: ManifestFormat, Tool: "labelwright " + version(), Written: time.Now().UTC().Truncate(time.Second),
		Project: d.Card.Project, Protocol: d.Protocol.Name(), Definition: d.Protocol.Source,
		Sealed: d.Options.Sealed(), Batches: d.Card.Batches, Agreement: d.Card.Agreement}
	for _, t := range d.Tables {
		file, err := d.put(put, t)
		if err != nil {
			return m, err
		}
		m.Files = append(m.Files, file)
	}
	if err := put("codebook.csv", func(w io.Writer) error { return WriteCodebook(w, d.Protocol, d.Options) }); err != nil {
		return m, err
	}
	if err := put("README.md", func(w io.Writer) error { return d.Card.write(w, d.Protocol, m) }); err != nil {
		return m, err
	}
	return m, put("manifest.json", func(w io.Writer) error { return WriteManifest(w, m) })
}

func (d Dataset) put(put Folder, t Table) (file File, err error) {
	name := fmt.Sprintf("%s.%s", t.name, d.Options.Format)
	err = put(name, func(w io.Writer) error {
		sum, columns, err := t.write(w, d.Protocol, d.Options)
		file = FileOf(name, columns, d.Options, sum)
		return err
	})
	return file, err
}

// version returns the program's version as it was built.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
