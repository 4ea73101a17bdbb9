package sheet

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

// Write writes annotations under p as o says, each as it comes, in memory that
// does not grow with their number. Every annotation is judged by p once more on
// its way, and says in the columns rule_ok and broken what came of it. An error
// of annotations, or an annotation under another version of p, ends the file.
func Write(w io.Writer, p protocol.Protocol, o Options, annotations iter.Seq2[Annotation, error]) (Summary, error) {
	x, err := newExport(w, p, o, columnsOf(p, o))
	if err != nil {
		return Summary{}, err
	}
	for a, err := range annotations {
		if err != nil {
			return Summary{}, fmt.Errorf("read the annotations: %w", err)
		}
		if err := x.annotation(a); err != nil {
			return Summary{}, fmt.Errorf("write annotation %s: %w", a.ID, err)
		}
	}
	return x.end()
}

// end writes what is left, and sums up the file.
func (x *export) end() (Summary, error) {
	if err := x.out.Flush(); err != nil {
		return Summary{}, fmt.Errorf("write the export: %w", err)
	}
	x.sum.Bytes, x.sum.SHA256 = x.tally.bytes, x.tally.digest()
	return x.sum, nil
}

// An export is a file as it is written.
type export struct {
	p       protocol.Protocol
	o       Options
	columns []filled
	names   [][]byte // of the columns, as JSON
	out     *bufio.Writer
	tally   *tally
	row     []byte // reused
	sum     Summary
}

func newExport(w io.Writer, p protocol.Protocol, o Options, columns []filled) (*export, error) {
	if o.Shape != Wide && o.Shape != Long || o.Format != CSV && o.Format != JSONL {
		return nil, fmt.Errorf("there is no export of shape %q in format %q", o.Shape, o.Format)
	}
	count := &tally{sum: sha256.New()}
	x := &export{p: p, o: o, columns: columns, tally: count, out: bufio.NewWriter(io.MultiWriter(w, count))}
	for i, c := range x.columns {
		name, err := jsontext.AppendQuote(nil, c.Name)
		if err != nil {
			return nil, fmt.Errorf("name column %d: %w", i+1, err)
		}
		x.names = append(x.names, name)
	}
	if o.Format == JSONL {
		return x, nil
	}
	return x, x.cells(func(i int) (cell, error) { return textCell(x.columns[i].Name), nil })
}

// annotation writes the rows of one annotation.
func (x *export) annotation(a Annotation) error {
	if a.Version != x.p.Version {
		return fmt.Errorf("it was made under version %d of %s, and this file is of version %d", a.Version, x.p.Key, x.p.Version)
	}
	l := line{Annotation: &a, broken: rules(x.p.Check(a.Facts, a.Answers))}
	x.sum.Annotations++
	if len(l.broken) > 0 {
		x.sum.Broken++
	}
	if x.o.Shape == Wide {
		return x.line(l)
	}
	for _, f := range x.p.Fields {
		if _, given := a.Answers.Values[f.Key]; !given && !f.Applies(a.Facts) {
			continue
		}
		l.field = f
		if err := x.line(l); err != nil {
			return err
		}
	}
	return nil
}

// rules returns the rules that problems are about, each once.
func rules(problems protocol.Problems) (ids []string) {
	for _, problem := range problems {
		if !slices.Contains(ids, problem.Rule) {
			ids = append(ids, problem.Rule)
		}
	}
	return ids
}

func (x *export) line(l line) error {
	x.sum.Rows++
	return x.cells(func(i int) (cell, error) { return x.columns[i].cell(l) })
}

// cells writes one row, whose i-th cell is of(i).
func (x *export) cells(of func(i int) (cell, error)) error {
	x.row = x.row[:0]
	for i := range x.columns {
		c, err := of(i)
		if err != nil {
			return fmt.Errorf("column %s: %w", x.columns[i].Name, err)
		}
		if err := x.put(i, c); err != nil {
			return fmt.Errorf("column %s: %w", x.columns[i].Name, err)
		}
	}
	if x.o.Format == JSONL {
		x.row = append(x.row, '}')
	}
	_, err := x.out.Write(append(x.row, '\n'))
	return err
}

// put adds the i-th cell to the row.
func (x *export) put(i int, c cell) (err error) {
	if x.o.Format == CSV {
		if i > 0 {
			x.row = append(x.row, ',')
		}
		x.row = c.appendCSV(x.row)
		return nil
	}
	x.row = append(x.row, "{,"[min(i, 1)])
	x.row = append(append(x.row, x.names[i]...), ':')
	x.row, err = c.appendJSON(x.row)
	return err
}

// A tally counts and sums up the bytes of a file.
type tally struct {
	bytes int64
	sum   hash.Hash
}

func (t *tally) Write(b []byte) (int, error) {
	t.bytes += int64(len(b))
	return t.sum.Write(b)
}

func (t *tally) digest() string { return hex.EncodeToString(t.sum.Sum(nil)) }
