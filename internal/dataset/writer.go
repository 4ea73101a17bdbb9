package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"iter"

	"github.com/labelwright/labelwright/internal/protocol"
)

// writeAnnotations writes annotations as they arrive, in constant memory. Each is
// checked against p again; the columns rule_ok and broken_rules hold the result. It
// fails if an annotation has another version than p. observe gets each; it may be nil.
func writeAnnotations(w io.Writer, p protocol.Protocol, o WriteOptions, columns []exportColumn,
	annotations iter.Seq2[Annotation, error], observe func(Annotation)) (FileSummary, error) {
	return writeTable(w, p, o, columns, func(t *tableWriter) error {
		for a, err := range annotations {
			if err != nil {
				return fmt.Errorf("read the annotations: %w", err)
			}
			if err := t.writeAnnotation(a); err != nil {
				return fmt.Errorf("write annotation %s: %w", a.ID, err)
			}
			if observe != nil {
				observe(a)
			}
		}
		return nil
	})
}

// writeTable writes a table with the rows that fill writes.
func writeTable(w io.Writer, p protocol.Protocol, o WriteOptions, columns []exportColumn,
	fill func(*tableWriter) error) (FileSummary, error) {
	if o.Shape != Wide && o.Shape != Long {
		return FileSummary{}, fmt.Errorf("no export with shape %q", o.Shape)
	}
	counter := &hashCounter{hash: sha256.New()}
	out := io.MultiWriter(w, counter)
	if o.BOM && o.Format == CSV {
		if _, err := io.WriteString(out, byteOrderMark); err != nil {
			return FileSummary{}, err
		}
	}
	encoder, err := newRowEncoder(out, o.Format, columns)
	if err != nil {
		return FileSummary{}, err
	}
	t := &tableWriter{protocol: p, options: o, columns: columns, encoder: encoder, checker: newRuleChecker(p),
		cells: make([]cell, len(columns))}
	if err := fill(t); err != nil {
		return FileSummary{}, err
	}
	if err := encoder.flush(); err != nil {
		return FileSummary{}, fmt.Errorf("write the export: %w", err)
	}
	t.summary.Bytes, t.summary.SHA256 = counter.bytes, counter.hexDigest()
	return t.summary, nil
}

// A tableWriter writes the rows of one file.
type tableWriter struct {
	protocol protocol.Protocol
	options  WriteOptions
	columns  []exportColumn
	encoder  rowEncoder
	checker  *ruleChecker
	cells    []cell // of the last row
	summary  FileSummary

	annotation Annotation // reused
}

// writeAnnotation writes the rows of one annotation.
func (t *tableWriter) writeAnnotation(a Annotation) error {
	if a.Version != t.protocol.Version {
		return fmt.Errorf("it has version %d of %s, but the file has version %d", a.Version, t.protocol.Key,
			t.protocol.Version)
	}
	t.annotation = a
	r := &exportRow{Annotation: &t.annotation, brokenRules: t.checker.brokenRules(a.Facts, a.Answers)}
	t.summary.countAnnotation(r.brokenRules)
	return t.writeAnswers(r)
}

// writeAnswers writes one row, or in the long shape one per field that applies.
func (t *tableWriter) writeAnswers(r *exportRow) error {
	if t.options.Shape == Wide {
		return t.writeRow(r, false)
	}
	return t.writeFields(r, func(f *protocol.Field) bool {
		_, isAnswered := r.Answers.Values[f.Key]
		return isAnswered || f.AppliesTo(r.Facts)
	})
}

// writeFields writes a row for each field that has one.
func (t *tableWriter) writeFields(r *exportRow, hasRow func(*protocol.Field) bool) error {
	repeats := false
	for i := range t.protocol.Fields {
		f := &t.protocol.Fields[i]
		if !hasRow(f) {
			continue
		}
		r.field = f
		if err := t.writeRow(r, repeats); err != nil {
			return err
		}
		repeats = true
	}
	return nil
}

// countAnnotation counts an annotation and the rules it breaks.
func (s *FileSummary) countAnnotation(brokenRules []string) {
	s.Annotations++
	if len(brokenRules) == 0 {
		return
	}
	s.RuleViolations++
	if s.brokenRules == nil {
		s.brokenRules = map[string]int{}
	}
	for _, id := range brokenRules {
		s.brokenRules[id]++
	}
}

// writeRow writes a row. repeats says that it differs from the row before in its field only.
func (t *tableWriter) writeRow(r *exportRow, repeats bool) (err error) {
	t.summary.Rows++
	for i := range t.columns {
		c := &t.columns[i]
		if repeats && !c.perField {
			continue
		}
		if t.cells[i], err = c.cell(r); err != nil {
			return fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	return t.encoder.writeRow(t.cells, repeats)
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
