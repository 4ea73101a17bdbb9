package dataset

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"iter"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/labelwright/labelwright/internal/protocol"
)

// writeAnnotations writes annotations as they arrive, in constant memory. Each is
// checked against p again; the columns rule_ok and broken_rules hold the result. It
// fails if an annotation has another version than p.
func writeAnnotations(w io.Writer, p protocol.Protocol, o WriteOptions, columns []exportColumn, annotations iter.Seq2[Annotation, error]) (FileSummary, error) {
	t, err := newTableWriter(w, p, o, columns)
	if err != nil {
		return FileSummary{}, err
	}
	for a, err := range annotations {
		if err != nil {
			return FileSummary{}, fmt.Errorf("read the annotations: %w", err)
		}
		if err := t.writeAnnotation(a); err != nil {
			return FileSummary{}, fmt.Errorf("write annotation %s: %w", a.ID, err)
		}
	}
	return t.finish()
}

// finish writes buffered data and returns the summary of the file.
func (t *tableWriter) finish() (FileSummary, error) {
	if err := t.out.Flush(); err != nil {
		return FileSummary{}, fmt.Errorf("write the export: %w", err)
	}
	t.summary.Bytes, t.summary.SHA256 = t.counter.bytes, t.counter.hexDigest()
	return t.summary, nil
}

// A tableWriter writes the rows of one file.
type tableWriter struct {
	protocol    protocol.Protocol
	options     WriteOptions
	columns     []exportColumn
	columnNames [][]byte // as JSON
	out         *bufio.Writer
	counter     *hashCounter
	row         []byte // reused
	summary     FileSummary
}

func newTableWriter(w io.Writer, p protocol.Protocol, o WriteOptions, columns []exportColumn) (*tableWriter, error) {
	if o.Shape != Wide && o.Shape != Long || o.Format != CSV && o.Format != JSONL {
		return nil, fmt.Errorf("no export with shape %q in format %q", o.Shape, o.Format)
	}
	counter := &hashCounter{hash: sha256.New()}
	t := &tableWriter{protocol: p, options: o, columns: columns, counter: counter, out: bufio.NewWriter(io.MultiWriter(w, counter))}
	for i, c := range t.columns {
		name, err := jsontext.AppendQuote(nil, c.Name)
		if err != nil {
			return nil, fmt.Errorf("name column %d: %w", i+1, err)
		}
		t.columnNames = append(t.columnNames, name)
	}
	if o.Format == JSONL {
		return t, nil
	}
	return t, t.writeCells(func(i int) (cell, error) { return textCell(t.columns[i].Name), nil })
}

// writeAnnotation writes the rows of one annotation.
func (t *tableWriter) writeAnnotation(a Annotation) error {
	if a.Version != t.protocol.Version {
		return fmt.Errorf("it has version %d of %s, but the file has version %d", a.Version, t.protocol.Key, t.protocol.Version)
	}
	r := exportRow{Annotation: &a, brokenRules: brokenRuleIDs(t.protocol.Check(a.Facts, a.Answers))}
	t.summary.Annotations++
	if len(r.brokenRules) > 0 {
		t.summary.RuleViolations++
	}
	if t.options.Shape == Wide {
		return t.writeRow(r)
	}
	for _, f := range t.protocol.Fields {
		if _, isAnswered := a.Answers.Values[f.Key]; !isAnswered && !f.AppliesTo(a.Facts) {
			continue
		}
		r.field = f
		if err := t.writeRow(r); err != nil {
			return err
		}
	}
	return nil
}

// brokenRuleIDs returns the distinct rules of problems.
func brokenRuleIDs(problems protocol.Problems) (ids []string) {
	for _, problem := range problems {
		if !slices.Contains(ids, problem.Rule) {
			ids = append(ids, problem.Rule)
		}
	}
	return ids
}

func (t *tableWriter) writeRow(r exportRow) error {
	t.summary.Rows++
	return t.writeCells(func(i int) (cell, error) { return t.columns[i].cell(r) })
}

// writeCells writes one row with the cells get(0), get(1), …
func (t *tableWriter) writeCells(get func(i int) (cell, error)) error {
	t.row = t.row[:0]
	for i := range t.columns {
		c, err := get(i)
		if err != nil {
			return fmt.Errorf("column %s: %w", t.columns[i].Name, err)
		}
		if err := t.appendCell(i, c); err != nil {
			return fmt.Errorf("column %s: %w", t.columns[i].Name, err)
		}
	}
	if t.options.Format == JSONL {
		t.row = append(t.row, '}')
	}
	_, err := t.out.Write(append(t.row, '\n'))
	return err
}

// appendCell appends the i-th cell to the row.
func (t *tableWriter) appendCell(i int, c cell) (err error) {
	if t.options.Format == CSV {
		if i > 0 {
			t.row = append(t.row, ',')
		}
		t.row = c.appendCSV(t.row)
		return nil
	}
	t.row = append(t.row, "{,"[min(i, 1)])
	t.row = append(append(t.row, t.columnNames[i]...), ':')
	t.row, err = c.appendJSON(t.row)
	return err
}

// A hashCounter counts and hashes the bytes of a file.
type hashCounter struct {
	bytes int64
	hash  hash.Hash
}

func (c *hashCounter) Write(b []byte) (int, error) {
	c.bytes += int64(len(b))
	return c.hash.Write(b)
}

func (c *hashCounter) hexDigest() string { return hex.EncodeToString(c.hash.Sum(nil)) }
