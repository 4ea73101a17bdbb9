package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"

	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/stats"
)

// A LongTable is the content of a long file: one row for each label of one field.
type LongTable struct {
	Dimensions     []stats.Dimension // by name
	IgnoredColumns []string          // columns that are not used
}

// ReadLongTable reads a file, in any format of ReadItems, with the columns item, annotator, dimension, value and,
// optionally, cluster or record, in any order and case. Commas, semicolons or tabs separate. The name of an
// encoding, such as windows-1252, is for text that is neither UTF-8 nor UTF-16.
// Of an export, which has the columns current and kind, it takes only current answers to work items.
// A dimension with words and no declared scale is Nominal. An invalid file gives
// FileErrors and nothing else; any other error comes from r.
func ReadLongTable(file, encodingName string, r io.Reader, scales stats.DeclaredScales) (LongTable, error) {
	e, err := parseEncoding(encodingName)
	if err != nil {
		return LongTable{}, err
	}
	l := longReader{errs: errorList{file: file}, scales: scales, dimensionsByName: map[string]*dimensionBuilder{},
		annotations: map[string]annotationPlace{}}
	if err := l.errs.addReadError(l.read(file, e, r), StreamLimit); err != nil {
		return LongTable{}, err
	}
	dimensions := l.buildDimensions()
	if err := l.errs.err(); err != nil {
		return LongTable{}, err
	}
	return LongTable{dimensions, l.ignoredColumns}, nil
}

// read reads a file as it comes, perhaps in another encoding or with gzip.
func (l *longReader) read(file string, e encoding.Encoding, r io.Reader) error {
	in, err := openInput(context.Background(), file, r, StreamLimit)
	if err != nil {
		return err
	}
	if in.packed {
		r = nil
	}
	head, err := peekUpTo(in.Reader, headSize)
	if err != nil {
		return err
	}
	text := in.Reader
	if !strings.HasPrefix(string(head), parquetSignature) {
		if text, l.errs.encoding, err = decodeText(in.Reader, e); err != nil {
			return err
		}
		if head, err = peekUpTo(text, headSize); err != nil {
			return err
		}
	}
	format := formatOf(path.Base(in.name), head)
	if !isRecordFormat(format) { // any other name may be that of a table
		format = formatCSV
	}
	if problem := checkFileType(head, format); problem != "" && len(bytes.TrimSpace(head)) > 0 {
		l.errs.add(0, "", "%s", problem)
		return nil
	}
	if format != formatCSV {
		return l.readRows(text, format, r)
	}
	return l.readRecords(newSeparatedReader(text))
}

// newSeparatedReader returns a reader of records of any length. It detects the separator.
func newSeparatedReader(b *bufio.Reader) *csv.Reader {
	c := csv.NewReader(b)
	c.Comma = detectSeparator(b)
	c.FieldsPerRecord = -1
	c.ReuseRecord = true
	return c
}

// detectSeparator returns the separator of the first row.
func detectSeparator(b *bufio.Reader) rune {
	head, _ := b.Peek(512) // a shorter file is returned whole
	first, _, _ := bytes.Cut(head, []byte("\n"))
	for _, candidate := range []byte(",;\t") {
		if bytes.IndexByte(first, candidate) >= 0 {
			return rune(candidate)
		}
	}
	return ','
}

// longReader is the state of reading a long file.
type longReader struct {
	scales stats.DeclaredScales
	columnIndexes
	header           []string
	isKnownColumn    []bool // by column
	ignoredColumns   []string
	dimensionsByName map[string]*dimensionBuilder
	annotations      map[string]annotationPlace // of an export, by id
	errs             errorList
	isHeaderInvalid  bool
}

// An annotationPlace is the item and annotator of an annotation, and the row that they are from.
type annotationPlace struct {
	item, annotator string
	row             int
}

// columnIndexes are the positions of the columns in a record, −1 for a missing one.
type columnIndexes struct{ item, annotator, dimension, value, cluster, current, kind, annotation int }

const headerHint = "The first row must be item,annotator,dimension,value."

func (l *longReader) readRecords(c *csv.Reader) error {
	record, err := c.Read()
	if err == nil && !l.readHeader(record) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		l.errs.add(1, "", "The file is empty. "+headerHint)
		return nil
	}
	for err == nil {
		if record, err = c.Read(); err == nil {
			line, _ := c.FieldPos(0)
			l.readRow(line, record)
		}
	}
	if parseErr, ok := errors.AsType[*csv.ParseError](err); ok {
		l.errs.add(parseErr.Line, "", "A quotation mark is inside a value or is never closed. Put the value in quotes, and double the quotation marks in it.")
		return nil
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// readHeader finds the columns. It returns false if the header is invalid.
func (l *longReader) readHeader(record []string) bool {
	l.header, l.isKnownColumn = make([]string, len(record)), make([]bool, len(record))
	indexByName := l.newIndexByName(record)
	for i, name := range record {
		l.header[i] = strings.Clone(name)
		index := indexByName[columnKey(name)]
		switch {
		case !utf8.ValidString(name):
			l.errs.add(1, fmt.Sprintf("column %d", i+1), notUTF8Message)
			return false
		case index == nil:
			l.ignoredColumns = append(l.ignoredColumns, l.header[i])
			continue
		case *index >= 0:
			l.addError(1, i, "The column occurs twice. Keep one.")
		default:
			*index = i
		}
		l.isKnownColumn[i] = true
	}
	for _, name := range []string{"item", "annotator", "dimension", "value"} {
		if *indexByName[name] < 0 {
			l.errs.add(1, "", "The column %q is missing. %s", name, headerHint)
		}
	}
	return l.errs.count() == 0
}

// newIndexByName returns the columns that a header can have, without an index. The column
// record is the cluster unless there is a column cluster. An export has current, kind and annotation.
func (l *longReader) newIndexByName(header []string) map[string]*int {
	l.columnIndexes = columnIndexes{-1, -1, -1, -1, -1, -1, -1, -1}
	hasColumn := map[string]bool{}
	for _, name := range header {
		hasColumn[columnKey(name)] = true
	}
	indexes := map[string]*int{"item": &l.item, "annotator": &l.annotator, "dimension": &l.dimension, "value": &l.value,
		"cluster": &l.cluster}
	if !hasColumn["cluster"] {
		indexes["record"] = &l.cluster
	}
	if hasColumn["current"] && hasColumn["kind"] {
		indexes["current"], indexes["kind"] = &l.current, &l.kind
		if hasColumn["annotation"] {
			indexes["annotation"] = &l.annotation
		}
	}
	return indexes
}

func columnKey(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// addError reports a problem in the column at an index of the record.
func (l *longReader) addError(row, index int, format string, args ...any) {
	l.errs.add(row, l.header[index], format, args...)
}

// buildDimensions builds the tables and reports what only shows once all rows are read.
func (l *longReader) buildDimensions() []stats.Dimension {
	var found []stats.Dimension
	for _, name := range slices.Sorted(maps.Keys(l.dimensionsByName)) {
		b := l.dimensionsByName[name]
		l.reportDuplicates(name, b)
		d := stats.Dimension{Name: name}
		scale, declared := l.scales.For(name)
		if d.Declared = declared; !declared {
			var err error
			if scale, d.Nominal, err = b.observedScale(); err != nil {
				l.addError(1, l.value, "The values of %s do not make a scale: %v.", plaintext.Shorten(name), err)
				continue
			}
		}
		d.Table = b.BuildNamed(scale, b.values)
		found = append(found, d)
	}
	l.reportUnusedScales()
	slices.SortStableFunc(l.errs.errs, func(a, b FileError) int { return cmp.Compare(a.Row, b.Row) })
	return found
}

func (l *longReader) reportDuplicates(dimension string, b *dimensionBuilder) {
	for _, d := range b.Sort() {
		l.addError(d.SecondLine, l.annotator, "%s already labeled %s in %s, in row %d. Keep one of the two rows.",
			plaintext.Shorten(d.Annotator), plaintext.Shorten(d.Item), plaintext.Shorten(dimension), d.FirstLine)
	}
}

// reportUnusedScales reports a file without rows, and scales declared for dimensions
// that the file does not have.
func (l *longReader) reportUnusedScales() {
	if l.errs.count() > 0 {
		return
	}
	if len(l.dimensionsByName) == 0 {
		l.errs.add(1, "", "The file has no rows below the first. Write one row for each label.")
		return
	}
	for _, name := range l.scales.Fields() {
		if l.dimensionsByName[name] == nil {
			l.addError(1, l.dimension, "A scale is declared for %s, but no row has this dimension.",
				plaintext.Shorten(name))
		}
	}
}
