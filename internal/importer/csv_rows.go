package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
)

// readCSV passes the rows of a CSV file to b after checking the header.
func readCSV(in *bufio.Reader, b *builder) error {
	text, err := decodeCSV(in)
	if err != nil {
		return err
	}
	r := newCSVReader(text, b.errs)
	r.keepsRow = b.skipsInvalid()
	header, err := r.nextRow()
	if err != nil {
		return err
	}
	if len(header) > columnLimit {
		b.errs.add(r.rowStart, "", "The file has %s columns. The limit is %s.", formatCount(len(header)),
			formatCount(columnLimit))
		return nil
	}
	r.header = slices.Clone(header)
	b.checkHeader(r)
	return r.readRows(b)
}

// checkHeader checks the names of columns that are read, and corrects those that differ from them in case and spaces.
// Other columns,
// which may lack a name or share one, get a name that no other has.
func (b *builder) checkHeader(r *csvReader) {
	b.isCSV = true
	b.row = row{line: r.rowStart}
	r.unnamed = make([]bool, len(r.header))
	numbers := map[string]int{} // of columns, by their names
	for i, name := range r.header {
		if !b.isForeign() {
			name = b.correctName(name, b.knownNames, func(name string) bool { return slices.Contains(r.header, name) })
		}
		first, isRepeated := numbers[name]
		switch {
		case checkText(name) != "" || !protocol.HasText(name):
			r.unnamed[i] = !protocol.HasText(name)
			name = fmt.Sprintf("column %d", i+1)
		case isRepeated && b.isRead(name):
			r.addError(i, "Column %d has the same name. Rename one of them.", first)
		case isRepeated:
			name = fmt.Sprintf("%s (column %d)", name, i+1)
		}
		if numbers[name] == 0 {
			numbers[name] = i + 1
		}
		r.header[i] = name
		b.row.members = append(b.row.members, member{key: name})
	}
	for _, column := range b.requiredColumns {
		b.checkRequiredColumn(column)
	}
	if b.handleRow != nil || b.isForeign() || b.mayBeExport() && isExportHeader(r.header) ||
		b.areMessageColumns(r.header) {
		return
	}
	for _, part := range b.protocol.Unit.Parts {
		b.checkPartColumn(part)
	}
	if b.protocol.Unit.RecordKind != protocol.RecordNone && slices.Contains(r.header, "chunks") {
		b.addError(topLocation("chunks"), "CSV cannot hold a list of chunks. Use JSONL for whole records.")
	}
}

// isRead reports whether a column has a meaning, by its name or in the mapping.
func (b *builder) isRead(name string) bool {
	return slices.Contains(b.knownNames, name) || slices.ContainsFunc(b.options.Map, func(m Mapping) bool {
		return m.Path == name
	})
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
		case len(cells) > len(r.header) && isBlankRow(cells[len(r.header):]):
			cells = cells[:len(r.header)]
			fallthrough
		case len(cells) == len(r.header):
			if err := b.addRow(row{r.rowStart, r.toMembers(cells)}); err != nil {
				return err
			}
		default:
			format := "This row has %s cells, but the header has %d. Put text with %s or line breaks in quotes."
			if len(cells) == 1 {
				format = "This row has %s cell, but the header has %d. Put text with %s or line breaks in quotes."
			}
			r.errs.add(r.rowStart, "", format, formatCount(len(cells)), len(r.header), r.delimiterName())
			b.skipUnreadable(r.rowStart, bytes.TrimRight(r.raw, "\r\n"))
			if b.rowCount++; b.rowCount > b.rowLimit {
				return errAborted
			}
		}
	}
}

// delimiterName returns what separates the cells, in words.
func (r *csvReader) delimiterName() fault.Text {
	switch r.delimiter {
	case ',':
		return fault.Text("commas")
	case ';':
		return fault.Text("semicolons")
	case '\t':
		return fault.Text("tabs")
	}
	return fault.Text(fmt.Sprintf("“%c”", r.delimiter))
}

// toMembers returns the cells with their columns. Blank cells without a column name are not there.
func (r *csvReader) toMembers(cells []string) []member {
	members := make([]member, 0, len(cells))
	for i, text := range cells {
		if r.unnamed[i] && !protocol.HasText(text) {
			continue
		}
		problem := checkText(text)
		if problem != "" {
			r.addError(i, "%s", problem)
		}
		members = append(members, member{r.header[i], value{kind: '"', text: text, reported: problem != ""}})
	}
	return members
}
