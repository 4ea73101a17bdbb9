package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A csvReader reads CSV (RFC 4180, with any delimiter) byte for byte; encoding/csv would turn CRLF inside
// quotes into LF. Rows end with LF or CRLF. Rows without text are ignored. A quote inside an unquoted cell
// is text, as spreadsheets read it.
type csvReader struct {
	in       *bufio.Reader
	errs     *errorList
	header   []string
	unnamed  []bool   // columns that have no name in the file
	line     int      // of the next byte, from 1
	rowStart int      // where the current row starts
	rowSize  int      // bytes of the current row
	keepsRow bool     // in raw
	raw      []byte   // the current row
	cells    []string // of the current row; reused
	cell     []byte   // the current cell; reused

	delimiter  byte
	countsRows bool // errors name rows, as spreadsheets number them, instead of lines
	rowNo      int  // of the current row, from 1, empty ones included
}

func newCSVReader(text csvText, errs *errorList) *csvReader {
	return &csvReader{in: text.in, errs: errs, line: 1 + text.dropped, delimiter: text.delimiter}
}

// nextRow returns the cells of the next row, which are valid until the one after it, or io.EOF. After errAborted, which
// has
// been reported as an error of the file, nothing more can be read.
func (r *csvReader) nextRow() ([]string, error) {
	for {
		r.rowStart, r.rowSize, r.raw = r.line, 0, r.raw[:0]
		if r.rowNo++; r.countsRows {
			r.rowStart = r.rowNo
		}
		if _, err := r.in.Peek(1); err != nil {
			return nil, err
		}
		if r.skipBlankRows() > 0 {
			continue
		}
		cells, quoted, err := r.readRow()
		if err != nil {
			return nil, err
		}
		if !isBlankRow(cells) || len(cells) == 1 && quoted {
			return cells, nil
		}
	}
}

// skipBlankRows moves past rows of nothing but delimiters and spaces, as far as they are in the buffer, and returns
// how many there are. A file of them costs little.
func (r *csvReader) skipBlankRows() (rows int) {
	buffered, _ := r.in.Peek(r.in.Buffered()) // they are there
	end := 0
	for i, b := range buffered {
		isEnd := b == '\n'
		if isEnd {
			rows, end = rows+1, i+1
		} else if b != r.delimiter && b != ' ' && b != '\r' || i-end > blankRowLimit {
			break
		} else if b == '\r' && (i+1 == len(buffered) || buffered[i+1] != '\n') {
			break
		}
	}
	_, _ = r.in.Discard(end)
	r.line += rows
	r.rowNo += max(rows-1, 0) // the first is counted
	return rows
}

// blankRowLimit is the length, in bytes, of blank rows that are skipped together.
const blankRowLimit = 1000

func isBlankRow(cells []string) bool { return !slices.ContainsFunc(cells, protocol.HasText) }

// readRow reads one row. quoted reports whether its last cell was in quotes.
func (r *csvReader) readRow() (cells []string, quoted bool, err error) {
	cells = r.cells[:0]
	defer func() { r.cells = cells }()
	for {
		first, err := r.in.Peek(1)
		if quoted = err == nil && first[0] == '"'; quoted {
			if err := r.skipByte(); err != nil {
				return nil, false, err
			}
		}
		readCell := r.readPlain
		if quoted {
			readCell = r.readQuoted
		}
		text, end, err := readCell(len(cells))
		if err != nil {
			return nil, false, err
		}
		cells = append(cells, text)
		if end != r.delimiter {
			return cells, quoted, nil
		}
	}
}

// readPlain reads an unquoted cell and the delimiter, newline or end of file (0) after it.
func (r *csvReader) readPlain(cell int) (text string, end byte, err error) {
	return r.readPlainAfter(r.cell[:0], cell)
}

// readPlainAfter reads the rest of an unquoted cell.
func (r *csvReader) readPlainAfter(cellBytes []byte, cell int) (text string, end byte, err error) {
	defer func() { r.cell = cellBytes }()
	for {
		b, err := r.readByte()
		switch {
		case errors.Is(err, io.EOF):
			return string(cellBytes), 0, nil
		case err != nil:
			return "", 0, err
		case b == r.delimiter || b == '\n':
			return string(cellBytes), b, nil
		case b == '\r' && r.nextIs('\n'):
			continue
		case b == '\r':
			return "", 0, r.abort(cell, "There is a carriage return (U+000D) outside quotes. End rows with a newline, and put text with line breaks in quotes. The rest of the file was not read.")
		}
		cellBytes = append(cellBytes, b)
	}
}

// readQuoted reads a quoted cell after its opening quote, and the byte that ends it.
func (r *csvReader) readQuoted(cell int) (text string, end byte, err error) {
	cellBytes := r.cell[:0]
	defer func() { r.cell = cellBytes }()
	for {
		b, err := r.readByte()
		switch {
		case errors.Is(err, io.EOF):
			return "", 0, r.abort(cell, "This cell has no closing quote. The rest of the file was not read.")
		case err != nil:
			return "", 0, err
		case b == '"' && r.nextIs('"'):
			if err := r.skipByte(); err != nil {
				return "", 0, err
			}
		case b == '"':
			if literal, ok := r.literalQuotes(cellBytes); ok {
				return r.readPlainAfter(literal, cell)
			}
			end, err := r.readCellEnd(cell)
			return string(cellBytes), end, err
		}
		cellBytes = append(cellBytes, b)
	}
}

// literalQuotes returns the start of a cell that only looks quoted, as it was written: in a file with tabs,
// where text follows the closing quote on the same line.
func (r *csvReader) literalQuotes(cellBytes []byte) (literal []byte, ok bool) {
	next, err := r.in.Peek(1)
	if err != nil || r.delimiter != '\t' || bytes.IndexByte([]byte("\t\r\n"), next[0]) >= 0 ||
		bytes.IndexByte(cellBytes, '\n') >= 0 {
		return nil, false
	}
	doubled := bytes.ReplaceAll(cellBytes, []byte(`"`), []byte(`""`))
	return append(append([]byte{'"'}, doubled...), '"'), true
}

// readCellEnd reads the byte after a closing quote: a delimiter, newline or end of file (0).
func (r *csvReader) readCellEnd(cell int) (byte, error) {
	b, err := r.readByte()
	switch {
	case errors.Is(err, io.EOF):
		return 0, nil
	case err != nil || b == r.delimiter || b == '\n':
		return b, err
	case b == '\r' && r.nextIs('\n'):
		return r.readByte()
	}
	return 0, r.abort(cell, "There is text after the closing quote. Double each quote inside a quoted cell. The rest of the file was not read.")
}

func (r *csvReader) nextIs(b byte) bool {
	next, err := r.in.Peek(1)
	return err == nil && next[0] == b
}

func (r *csvReader) skipByte() error {
	_, err := r.readByte()
	return err
}

func (r *csvReader) readByte() (byte, error) {
	if r.rowSize == lineLimit {
		r.errs.add(r.rowStart, "", "This row is longer than %s bytes. Check for a missing closing quote. The rest of the file was not read.", formatCount(lineLimit))
		return 0, errAborted
	}
	b, err := r.in.ReadByte()
	r.rowSize++
	if r.keepsRow && err == nil {
		r.raw = append(r.raw, b)
	}
	if b == '\n' && err == nil {
		r.line++
	}
	return b, err
}

// abort reports an error after which cells can no longer be separated. The message says so.
func (r *csvReader) abort(cell int, message string) error {
	r.addError(cell, "%s", message)
	return errAborted
}

func (r *csvReader) addError(cell int, format string, args ...any) {
	r.errs.add(r.rowStart, r.columnName(cell), format, args...)
}

// columnName returns the column name of a cell, counted from 0, or "column 3" without one.
func (r *csvReader) columnName(cell int) string {
	if cell < len(r.header) && r.header[cell] != "" {
		return r.header[cell]
	}
	return fmt.Sprintf("column %d", cell+1)
}
