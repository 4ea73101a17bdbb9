package importer

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
)

// readCSV passes the rows of a CSV file to b after checking the header.
func readCSV(in *bufio.Reader, b *builder) error {
	text, err := decodeCSV(in)
	if err != nil {
		return err
	}
	r := newCSVReader(text, b.errs)
	header, err := r.nextRow()
	if err != nil {
		return err
	}
	if problem := checkHeaderShape(header); problem != "" {
		b.errs.add(r.rowStart, "", "%s", problem)
		return nil
	}
	r.header = header
	b.checkHeader(r)
	return r.readRows(b)
}

// checkHeaderShape returns why no row can be read under this header, or "".
func checkHeaderShape(header []string) string {
	switch {
	case len(header) > columnLimit:
		return fmt.Sprintf("The file has %s columns. The limit is %d.", formatCount(len(header)), columnLimit)
	}
	return ""
}

// checkColumnName returns what is wrong with a column name, or "".
func checkColumnName(name string, previous []string) string {
	if problem := checkText(name); problem != "" {
		return problem
	}
	if !protocol.HasText(name) {
		return "This column has no name. Name it or remove it."
	}
	if i := slices.Index(previous, name); i >= 0 {
		return fmt.Sprintf("Column %d has the same name. Rename one of them.", i+1)
	}
	return checkName(name, idLimit)
}

// checkHeader checks the column names and corrects misspelled ones.
func (b *builder) checkHeader(r *csvReader) {
	b.isCSV = true
	b.row = row{line: r.rowStart}
	for i, name := range r.header {
		b.row.members = append(b.row.members, member{key: name})
		if intended := matchName(name, b.knownNames); intended != "" && !b.isForeign() {
			r.addError(i, "%s", describeMisspelling(intended))
			r.header[i], b.row.members[i].key = intended, intended
		} else if problem := checkColumnName(name, r.header[:i]); problem != "" {
			r.addError(i, "%s", problem)
		}
	}
	for _, column := range b.requiredColumns {
		b.checkRequiredColumn(column)
	}
	if b.handleRow != nil || b.isForeign() {
		return
	}
	for _, part := range b.protocol.Unit.Parts {
		b.checkPartColumn(part)
	}
	if b.protocol.Unit.RecordKind != protocol.RecordNone && slices.Contains(r.header, "chunks") {
		b.addError(topLocation("chunks"), "CSV cannot hold a list of chunks. Use JSONL for whole records.")
	}
}

// checkPartColumn checks that part can be read from the columns.
func (b *builder) checkPartColumn(part protocol.Part) {
	_, exists := b.row.get(part.Key)
	switch {
	case isListPart(part) && (exists || !part.Supporting):
		b.addError(topLocation(part.Key), "CSV cannot hold a list. Use JSONL.")
	case !exists && !part.Supporting:
		b.checkRequiredColumn(part.Key)
	}
}

func (b *builder) checkRequiredColumn(column string) {
	if _, exists := b.row.get(column); !exists {
		b.addError(topLocation(column), "This column is missing. Add it to the first line.")
	}
}

// readRows passes each row with as many cells as the header to b.
func (r *csvReader) readRows(b *builder) error {
	for {
		cells, err := r.nextRow()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case len(cells) != len(r.header):
			r.errs.add(r.rowStart, "", "This row has %d cells, but the header has %d. Put text with %s or line breaks in quotes.",
				len(cells), len(r.header), r.delimiterName())
		default:
			if err := b.addRow(row{r.rowStart, r.toMembers(cells)}); err != nil {
				return err
			}
		}
	}
}

// delimiterName returns what separates the cells, in words.
func (r *csvReader) delimiterName() string {
	switch r.delimiter {
	case ',':
		return "commas"
	case ';':
		return "semicolons"
	case '\t':
		return "tabs"
	}
	return fmt.Sprintf("“%c”", r.delimiter)
}

func (r *csvReader) toMembers(cells []string) []member {
	members := make([]member, len(cells))
	for i, text := range cells {
		problem := checkText(text)
		if problem != "" {
			r.addError(i, "%s", problem)
		}
		members[i] = member{r.header[i], value{kind: '"', text: text, reported: problem != ""}}
	}
	return members
}
