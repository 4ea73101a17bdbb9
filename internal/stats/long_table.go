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
	Table    RatingTable
	Declared bool // whether its scale was declared, or is only what was observed
	Nominal  bool // its values are words, of which no order was declared
}

// A LongTable is what a long file holds.
type LongTable struct {
	Dimensions     []Dimension // by name
	IgnoredColumns []string    // columns that mean nothing here and were left aside
}

// ReadLongTable reads CSV with the columns item, annotator, dimension and value, and
// cluster where items share a record, in any order and case, into one table for
// each dimension. Where the first row has no comma, semicolons or tabs separate.
// Annotators are matched by name; a missing judgement is a missing row. Values are
// numbers, or words: of a dimension with words and no declared scale every value is
// a category of its own, in the order of the alphabet, and it is Nominal. A file
// that is wrong gives Faults, each with its place, and nothing else; another error
// is r's own.
func ReadLongTable(file string, r io.Reader, scales DeclaredScales) (LongTable, error) {
	l := longReader{file: file, scales: scales, dimensionsByName: map[string]*dimensionBuilder{}}
	if err := l.readRecords(newCSVReader(r)); err != nil {
		return LongTable{}, fmt.Errorf("reading %s: %w", file, err)
	}
	dimensions := l.buildDimensions()
	if len(l.cellErrors.Errors) > 0 {
		return LongTable{}, l.cellErrors
	}
	return LongTable{dimensions, l.ignoredColumns}, nil
}

// newCSVReader reads records of any length, without the byte order mark that
// spreadsheets write.
func newCSVReader(r io.Reader) *csv.Reader {
	b := bufio.NewReader(r)
	if mark, err := b.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = b.Discard(len(mark)) // they have been peeked at
	}
	c := csv.NewReader(b)
	c.Comma = detectSeparator(b)
	c.FieldsPerRecord = -1
	c.ReuseRecord = true
	return c
}

// detectSeparator is what the first row separates its names by.
func detectSeparator(b *bufio.Reader) rune {
	head, _ := b.Peek(512) // what ends earlier is all there is
	first, _, _ := bytes.Cut(head, []byte("\n"))
	for _, candidate := range []byte(",;\t") {
		if bytes.IndexByte(first, candidate) >= 0 {
			return rune(candidate)
		}
	}
	return ','
}

// longReader is a long file being read.
type longReader struct {
	file   string
	scales DeclaredScales
	columnIndexes
	columnCount      int      // how many columns the header names
	isKnownColumn    []bool   // which of them mean something
	ignoredColumns   []string // the names of the others
	dimensionsByName map[string]*dimensionBuilder
	cellErrors       CellErrors
}

// dimensionBuilder is a dimension being read: a cell holds the number of its value.
type dimensionBuilder struct {
	*tableBuilder
	values nameIndex // as they are plainly written
}

// columnIndexes are the places of the columns in a record, −1 where one is missing.
type columnIndexes struct{ item, annotator, dimension, value, cluster int }

const headerHint = "the first row must be item,annotator,dimension,value"

// readRecords takes every record, or fails as the file does.
func (l *longReader) readRecords(c *csv.Reader) error {
	record, err := c.Read()
	if err == nil && !l.readHeader(record) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		l.addError(1, 0, "the file is empty; "+headerHint)
		return nil
	}
	for err == nil {
		if record, err = c.Read(); err == nil {
			line, _ := c.FieldPos(0)
			l.readRow(line, record)
		}
	}
	if parseErr, ok := errors.AsType[*csv.ParseError](err); ok {
		l.addError(parseErr.Line, 0, `a quotation mark stands inside a value or is never closed; put such a value in quotes and write its own as ""`)
		return nil
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// readHeader finds the columns, and says false where that is of no use.
func (l *longReader) readHeader(record []string) bool {
	l.columnCount, l.isKnownColumn = len(record), make([]bool, len(record))
	indexByName := map[string]*int{
		"item": &l.item, "annotator": &l.annotator, "dimension": &l.dimension, "value": &l.value, "cluster": &l.cluster,
	}
	for _, index := range indexByName {
		*index = -1
	}
	for i, name := range record {
		index := indexByName[strings.ToLower(strings.TrimSpace(name))]
		switch {
		case !utf8.ValidString(name):
			l.addError(1, i, notUTF8Message)
			return false
		case index == nil:
			l.ignoredColumns = append(l.ignoredColumns, strings.Clone(name))
			continue
		case *index >= 0:
			l.addError(1, i, fmt.Sprintf("the column %q is there twice; keep one", name))
		default:
			*index = i
		}
		l.isKnownColumn[i] = true
	}
	for _, name := range []string{"item", "annotator", "dimension", "value"} {
		if *indexByName[name] < 0 {
			l.addError(1, 0, fmt.Sprintf("the column %q is missing; %s", name, headerHint))
		}
	}
	return len(l.cellErrors.Errors) == 0
}

// addError keeps what is wrong in the column at the given place of a record.
func (l *longReader) addError(row, index int, message string) {
	l.cellErrors.add(CellError{l.file, row, index + 1, message})
}

// buildDimensions sets the tables, and names what shows only once all rows are there.
func (l *longReader) buildDimensions() []Dimension {
	var found []Dimension
	for _, name := range slices.Sorted(maps.Keys(l.dimensionsByName)) {
		a := l.dimensionsByName[name]
		l.reportDuplicates(name, a.tableBuilder)
		d := Dimension{Name: name}
		points, declared := l.scales.For(name)
		if d.Declared = declared; !declared {
			var err error
			if points, d.Nominal, err = a.observedScale(); err != nil {
				l.addError(1, l.value, fmt.Sprintf("%s: %v", truncate(name), err))
				continue
			}
		}
		d.Table = a.buildTable(points)
		found = append(found, d)
	}
	l.reportUnusedScales()
	slices.SortStableFunc(l.cellErrors.Errors, func(a, b CellError) int { return a.Row - b.Row })
	return found
}

// observedScale returns the points of the values in use, and whether they are nominal.
func (a *dimensionBuilder) observedScale() (NamedScale, bool, error) {
	if !slices.ContainsFunc(a.values.names, isNonNumeric) {
		points, err := newScaleFromNumerals(a.values.names)
		return points, false, cmp.Or(err, points.Scale.validate())
	}
	points := NamedScale{NewRangeScale(1, len(a.values.names)), slices.Sorted(slices.Values(a.values.names))}
	return points, true, points.Scale.validate()
}

// buildTable returns the table, its values as those of the points they are written as.
func (a *dimensionBuilder) buildTable(scale NamedScale) RatingTable {
	position := map[string]int{}
	for i, name := range scale.pointNames() {
		position[name] = i
	}
	for i, c := range a.cells {
		a.cells[i].value = int32(scale.Scale[position[a.values.names[c.value]]])
	}
	t := a.build(scale.Scale)
	t.valueNames = scale.Names
	return t
}

func (l *longReader) reportDuplicates(dimension string, b *tableBuilder) {
	for _, duplicate := range b.sortCells() {
		l.addError(int(duplicate.second.line), l.annotator, fmt.Sprintf("%s judged %s in %s before, in row %d; keep one of the two",
			truncate(b.annotators.names[duplicate.second.annotator]), truncate(b.items.names[duplicate.second.item]), truncate(dimension), duplicate.first.line))
	}
}

// reportUnusedScales names scales that were declared for a dimension which is not there.
func (l *longReader) reportUnusedScales() {
	if len(l.cellErrors.Errors) > 0 {
		return
	}
	if len(l.dimensionsByName) == 0 {
		l.addError(1, 0, "there is nothing under the first row; write one row for each judgement")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(l.scales.byDimension)) {
		if l.dimensionsByName[name] == nil {
			l.addError(1, l.dimension, fmt.Sprintf("a scale is declared for %s, but no row is about it", truncate(name)))
		}
	}
}
