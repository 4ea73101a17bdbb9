// Package dataset writes exports: tables of labels, of the consensus and of everything else
// that a report is computed from, a codebook, a card that describes the dataset, and a
// manifest.
//
// JSONL and Parquet are exact. CSV is escaped, so that a spreadsheet runs no cell as a formula.
package dataset

import (
	"crypto/sha256"
	"fmt"
	"io"
	"iter"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/version"
)

// A Dataset is an export: tables, and the files that describe them.
type Dataset struct {
	Protocol protocol.Protocol
	Options  WriteOptions
	Card     Card
	Tables   []TableFile
	Files    []OtherFile // of layouts without tables
	Checks   []Check     // of the data that is not in the tables
	LeftOut  []Omission
	Snapshot Snapshot
	Request  any // the options as the manifest shows them
}

// A TableFile is one table, written as one file.
type TableFile struct {
	name        string // without extension
	description string // of the rows
	isWork      bool   // its annotations are checked for blocks
	write       func(io.Writer, protocol.Protocol, WriteOptions) (FileSummary, []Column, error)
	observe     *func(Annotation) // called for each annotation, if set
	// reads the first row; nil: a table without rows is written, too
	peek func() (hasRows bool, stop func(), err error)
}

// AnnotationTable returns a table with one row per annotation, or in the long shape per
// annotation and field.
func AnnotationTable(kind AnnotationKind, rows iter.Seq2[Annotation, error]) TableFile {
	observe := new(func(Annotation))
	return TableFile{name: kind.tableName(), description: kind.description(), isWork: kind == Work, observe: observe,
		write: func(w io.Writer, p protocol.Protocol, o WriteOptions) (FileSummary, []Column, error) {
			columns := o.prepare(annotationColumns(p, o))
			sum, err := writeAnnotations(w, p, o, columns, rows, *observe)
			return sum, describeColumns(columns), err
		}}
}

// An AnnotationKind is the purpose of annotations. Only Work counts as labels.
type AnnotationKind string

// The kinds of annotations.
const (
	Work        AnnotationKind = "work"
	Duplicate   AnnotationKind = "duplicate"
	Calibration AnnotationKind = "calibration"
	NotBlind    AnnotationKind = "not_blind"
	Gold        AnnotationKind = "gold"
	Round       AnnotationKind = "round"
)

// AnnotationKinds are all kinds, in the order of their files.
var AnnotationKinds = []AnnotationKind{Work, Duplicate, NotBlind, Calibration, Gold, Round}

func (k AnnotationKind) tableName() string {
	return map[AnnotationKind]string{Work: "annotations", Duplicate: "duplicates", Calibration: "calibration",
		NotBlind: "not_blind", Gold: "gold", Round: "rounds"}[k]
}

func (k AnnotationKind) description() string {
	return map[AnnotationKind]string{
		Work: "labels",
		Duplicate: "second labels of items that an annotator was shown twice, to measure self-consistency. " +
			"Do not mix them with the labels",
		NotBlind: "labels that were given after their annotator had seen other answers to the item. " +
			"Do not mix them with the labels",
		Round: "labels of rounds, in which items with labels were labeled again, to compare them with the first ones. " +
			"Do not mix them with the labels",
		Gold: "labels of items with a reference answer that were hidden among the work, to measure accuracy. " +
			"Do not mix them with the labels",
		Calibration: "labels of calibration items, which have a reference answer. Do not mix them with the labels",
	}[k]
}

// An OtherFile is a file that is not a table.
type OtherFile struct {
	Name    string
	Write   func(io.Writer) error
	LeftOut func() []Omission // what Write left out; may be nil
}

// A FileSink stores one file of a dataset. It calls write with the file's writer.
type FileSink func(name string, write func(io.Writer) error) error

// Write writes the tables, the documents and, last, the manifest, which it returns. File
// names depend only on table names, layout and format.
func (d Dataset) Write(sink FileSink) (Manifest, error) {
	m := Manifest{Format: manifestFormat, Tool: "labelwright " + version.String(), Project: d.Card.Project,
		Title:   d.Card.Title,
		License: d.Card.License, Description: d.Card.Description, Language: append([]string{}, d.Card.Language...),
		Protocol: d.Protocol.Name(), Definition: d.Protocol.Source, TieRule: d.Card.TieRule, Snapshot: d.Snapshot,
		Options: d.Request,
		Blinded: d.Options.IsBlinded(), Batches: d.Card.Batches, Agreement: d.Card.Agreement, Files: []ManifestFile{},
		LeftOut: append([]Omission{}, d.LeftOut...)}
	var blocks blockFinder
	for _, t := range d.Tables {
		if t.isWork {
			*t.observe = blocks.add
		}
		if err := d.writeTable(sink, t, &m); err != nil {
			return m, err
		}
	}
	m.RuleAudit, m.Checks = auditRules(d.Protocol, m.Files), d.Checks
	if blocks.byAnnotator != nil {
		m.Checks = append([]Check{ruleCheck(m.Files), blocks.check(d.Protocol)}, d.Checks...)
	}
	for _, document := range d.documents(&m) {
		written, err := writeDocument(sink, document.Name, document.Write)
		if err != nil {
			return m, err
		}
		m.Documents = append(m.Documents, written)
		if document.LeftOut != nil {
			m.LeftOut = append(m.LeftOut, document.LeftOut()...)
		}
	}
	return m, sink(ManifestName, func(w io.Writer) error { return writeManifest(w, m) })
}

// documents returns the files that are no tables, in the order of writing: the card describes
// the files before it.
func (d Dataset) documents(m *Manifest) []OtherFile {
	list := append([]OtherFile{}, d.Files...)
	list = append(list,
		OtherFile{Name: "codebook.csv", Write: func(w io.Writer) error {
			return writeCodebook(w, d.Protocol, d.Options)
		}},
		OtherFile{Name: "protocol.yaml", Write: func(w io.Writer) error {
			_, err := io.WriteString(w,
				d.Protocol.Source)
			return err
		}},
		OtherFile{Name: "README.md", Write: func(w io.Writer) error {
			return d.Card.write(w, d.Protocol, d.Options, *m)
		}})
	if d.Options.Layout == HuggingFace {
		list = append(list, OtherFile{Name: "croissant.json", Write: func(w io.Writer) error {
			return writeCroissant(w, d.Card, *m)
		}})
	}
	return list
}

// writeDocument writes a file that is not a table.
func writeDocument(sink FileSink, name string, write func(io.Writer) error) (Document, error) {
	counter := &hashCounter{hash: sha256.New()}
	err := sink(name, func(w io.Writer) error { return write(io.MultiWriter(w, counter)) })
	return Document{Name: name, Bytes: counter.bytes, SHA256: counter.hexDigest()}, err
}

// writeTable writes a table and adds it to m. A table of records without rows is left out.
func (d Dataset) writeTable(sink FileSink, t TableFile, m *Manifest) error {
	if t.peek != nil {
		hasRows, stop, err := t.peek()
		if err != nil || !hasRows {
			return err
		}
		defer stop()
	}
	name := fmt.Sprintf("%s.%s", t.name, d.Options.Format)
	return sink(name, func(w io.Writer) error {
		sum, columns, err := t.write(w, d.Protocol, d.Options)
		file := newManifestFile(name, columns, d.Options, sum)
		file.description = t.description
		m.Files = append(m.Files, file)
		return err
	})
}
