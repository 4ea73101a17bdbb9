package stats

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Dimension is one dimension of a long file.
type Dimension struct {
	Name     string
	Table    Table
	Declared bool // whether its scale was declared, or is only what was observed
	Nominal  bool // its values are words, of which no order was declared
}

// A Long is what a long file holds.
type Long struct {
	Dimensions []Dimension // by name
	Aside      []string    // columns that mean nothing here and were left aside
}

// ReadLong reads CSV with the columns item, annotator, dimension and value, and
// cluster where items share a record, in any order and case, into one table for
// each dimension. Where the first row has no comma, semicolons or tabs separate.
// Annotators are matched by name; a missing judgement is a missing row. Values are
// numbers, or words: of a dimension with words and no declared scale every value is
// a category of its own, in the order of the alphabet, and it is Nominal. A file
// that is wrong gives Faults, each with its place, and nothing else; another error
// is r's own.
func ReadLong(file string, r io.Reader, scales Scales) (Long, error) {
	l := long{file: file, scales: scales, by: map[string]*asked{}}
	if err := l.read(csvOf(r)); err != nil {
		return Long{}, fmt.Errorf("reading %s: %w", file, err)
	}
	dimensions := l.dimensions()
	if len(l.faults.List) > 0 {
		return Long{}, l.faults
	}
	return Long{dimensions, l.aside}, nil
}

// csvOf reads records of any length, without the byte order mark that
// spreadsheets write.
func csvOf(r io.Reader) *csv.Reader {
	b := bufio.NewReader(r)
	if mark, err := b.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = b.Discard(len(mark)) // they have been peeked at
	}
	c := csv.NewReader(b)
	c.Comma = separator(b)
	c.FieldsPerRecord = -1
	c.ReuseRecord = true
	return c
}

// separator is what the first row separates its names by.
func separator(b *bufio.Reader) rune {
	head, _ := b.Peek(512) // what ends earlier is all there is
	first, _, _ := bytes.Cut(head, []byte("\n"))
	for _, sign := range []byte(",;\t") {
		if bytes.IndexByte(first, sign) >= 0 {
			return rune(sign)
		}
	}
	return ','
}

// long is a long file being read.
type long struct {
	file   string
	scales Scales
	columns
	width  int      // how many columns the header names
	known  []bool   // which of them mean something
	aside  []string // the names of the others
	by     map[string]*asked
	faults Faults
}

// asked is a dimension being read: a cell holds the number of its value.
type asked struct {
	*builder
	values index // as they are plainly written
}

// columns are the places of the columns in a record, −1 where one is missing.
type columns struct{ item, annotator, dimension, value, cluster int }

const headerWanted = "the first row must be item,annotator,dimension,value"

// read takes every record, or fails as the file does.
func (l *long) read(c *csv.Reader) error {
	record, err := c.Read()
	if err == nil && !l.header(record) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		l.fault(1, 0, "the file is empty; "+headerWanted)
		return nil
	}
	for err == nil {
		if record, err = c.Read(); err == nil {
			line, _ := c.FieldPos(0)
			l.row(line, record)
		}
	}
	if broken, ok := errors.AsType[*csv.ParseError](err); ok {
		l.fault(broken.Line, 0, `a quotation mark stands inside a value or is never closed; put such a value in quotes and write its own as ""`)
		return nil
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// header finds the columns, and says false where that is of no use.
func (l *long) header(record []string) bool {
	l.width, l.known = len(record), make([]bool, len(record))
	places := map[string]*int{
		"item": &l.item, "annotator": &l.annotator, "dimension": &l.dimension, "value": &l.value, "cluster": &l.cluster,
	}
	for _, at := range places {
		*at = -1
	}
	for i, name := range record {
		at := places[strings.ToLower(strings.TrimSpace(name))]
		switch {
		case !utf8.ValidString(name):
			l.fault(1, i, notUTF8)
			return false
		case at == nil:
			l.aside = append(l.aside, strings.Clone(name))
			continue
		case *at >= 0:
			l.fault(1, i, fmt.Sprintf("the column %q is there twice; keep one", name))
		default:
			*at = i
		}
		l.known[i] = true
	}
	for _, name := range []string{"item", "annotator", "dimension", "value"} {
		if *places[name] < 0 {
			l.fault(1, 0, fmt.Sprintf("the column %q is missing; %s", name, headerWanted))
		}
	}
	return len(l.faults.List) == 0
}

// fault keeps what is wrong in the column at the given place of a record.
func (l *long) fault(row, at int, says string) {
	l.faults.add(Fault{l.file, row, at + 1, says})
}

// dimensions sets the tables, and names what shows only once all rows are there.
func (l *long) dimensions() []Dimension {
	var found []Dimension
	for _, name := range slices.Sorted(maps.Keys(l.by)) {
		a := l.by[name]
		l.judgedTwice(name, a.builder)
		d := Dimension{Name: name}
		points, declared := l.scales.For(name)
		if d.Declared = declared; !declared {
			var err error
			if points, d.Nominal, err = a.inUse(); err != nil {
				l.fault(1, l.value, fmt.Sprintf("%s: %v", short(name), err))
				continue
			}
		}
		d.Table = a.on(points)
		found = append(found, d)
	}
	l.unused()
	slices.SortStableFunc(l.faults.List, func(a, b Fault) int { return a.Row - b.Row })
	return found
}

// inUse returns the points of the values in use, and whether they are nominal.
func (a *asked) inUse() (Points, bool, error) {
	if !slices.ContainsFunc(a.values.names, isWord) {
		points, err := numberPoints(a.values.names)
		return points, false, cmp.Or(err, points.Scale.check())
	}
	points := Points{Range(1, len(a.values.names)), slices.Sorted(slices.Values(a.values.names))}
	return points, true, points.Scale.check()
}

// on returns the table, its values as those of the points they are written as.
func (a *asked) on(points Points) Table {
	place := map[string]int{}
	for i, name := range points.written() {
		place[name] = i
	}
	for i, c := range a.cells {
		a.cells[i].value = int32(points.Scale[place[a.values.names[c.value]]])
	}
	t := a.table(points.Scale)
	t.written = points.Written
	return t
}

func (l *long) judgedTwice(dimension string, b *builder) {
	for _, t := range b.sort() {
		l.fault(int(t.again.line), l.annotator, fmt.Sprintf("%s judged %s in %s before, in row %d; keep one of the two",
			short(b.annotators.names[t.again.who]), short(b.items.names[t.again.item]), short(dimension), t.first.line))
	}
}

// unused names scales that were declared for a dimension which is not there.
func (l *long) unused() {
	if len(l.faults.List) > 0 {
		return
	}
	if len(l.by) == 0 {
		l.fault(1, 0, "there is nothing under the first row; write one row for each judgement")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(l.scales.named)) {
		if l.by[name] == nil {
			l.fault(1, l.dimension, fmt.Sprintf("a scale is declared for %s, but no row is about it", short(name)))
		}
	}
}
