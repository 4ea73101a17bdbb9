package importer

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// A csvReader reads CSV as RFC 4180 has it, to the byte: encoding/csv would turn
// CRLF inside quotes into LF. Rows end with LF or CRLF; empty lines hold
// nothing and are passed over.
type csvReader struct {
	in       *bufio.Reader
	errs     *errorList
	header   []string
	line     int // of the next byte, from 1
	rowStart int // where the current row starts
	rowSize  int // bytes of the current row
}

func newCSVReader(in *bufio.Reader, errs *errorList) *csvReader {
	return &csvReader{in: in, errs: errs, line: 1}
}

// nextRow returns the cells of the next row, or io.EOF. After errAborted, told by a
// fault, nothing more can be read.
func (r *csvReader) nextRow() ([]string, error) {
	for {
		r.rowStart, r.rowSize = r.line, 0
		if _, err := r.in.Peek(1); err != nil {
			return nil, err
		}
		cells, quoted, err := r.readRow()
		if err != nil {
			return nil, err
		}
		if len(cells) > 1 || cells[0] != "" || quoted {
			return cells, nil
		}
	}
}

// readRow reads one row; quoted reports whether its last cell was in quotes.
func (r *csvReader) readRow() (cells []string, quoted bool, err error) {
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
		if end != ',' {
			return cells, quoted, nil
		}
	}
}

// readPlain reads a cell without quotes, and the comma, newline or end of file (0)
// after it.
func (r *csvReader) readPlain(cell int) (text string, end byte, err error) {
	var cellBytes []byte
	reported := false
	for {
		b, err := r.readByte()
		switch {
		case errors.Is(err, io.EOF):
			return string(cellBytes), 0, nil
		case err != nil:
			return "", 0, err
		case b == ',' || b == '\n':
			return string(cellBytes), b, nil
		case b == '\r' && r.nextIs('\n'):
			continue
		case b == '\r':
			return "", 0, r.abort(cell, "A carriage return (U+000D) stands outside quotes. End lines with a newline, and put a text with line breaks in quotes.")
		case b == '"' && !reported:
			reported = true
			r.addError(cell, "A quote stands inside a cell that does not begin with one. Put the whole cell in quotes, and write each quote in it twice.")
		}
		cellBytes = append(cellBytes, b)
	}
}

// readQuoted reads the rest of a cell after its first quote, and what ends it.
func (r *csvReader) readQuoted(cell int) (text string, end byte, err error) {
	var cellBytes []byte
	for {
		b, err := r.readByte()
		switch {
		case errors.Is(err, io.EOF):
			return "", 0, r.abort(cell, "The quote that opens this cell is never closed.")
		case err != nil:
			return "", 0, err
		case b == '"' && r.nextIs('"'):
			if err := r.skipByte(); err != nil {
				return "", 0, err
			}
		case b == '"':
			end, err := r.readCellEnd(cell)
			return string(cellBytes), end, err
		}
		cellBytes = append(cellBytes, b)
	}
}

// readCellEnd reads what follows a closing quote.
func (r *csvReader) readCellEnd(cell int) (byte, error) {
	b, err := r.readByte()
	switch {
	case errors.Is(err, io.EOF):
		return 0, nil
	case err != nil || b == ',' || b == '\n':
		return b, err
	case b == '\r' && r.nextIs('\n'):
		return r.readByte()
	}
	return 0, r.abort(cell, "Something follows the closing quote of this cell. Write each quote inside a cell twice.")
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
	if r.rowSize == LineLimit {
		r.errs.add(r.rowStart, "", "This row is longer than %s bytes. Is a quote never closed? The lines after it were not read.", formatCount(LineLimit))
		return 0, errAborted
	}
	b, err := r.in.ReadByte()
	r.rowSize++
	if b == '\n' && err == nil {
		r.line++
	}
	return b, err
}

// abort tells a fault after which nobody knows where cells end.
func (r *csvReader) abort(cell int, message string) error {
	r.addError(cell, "%s The lines after it were not read.", message)
	return errAborted
}

func (r *csvReader) addError(cell int, format string, args ...any) {
	r.errs.add(r.rowStart, r.columnName(cell), format, args...)
}

// columnName returns the name of a cell's column, from 0.
func (r *csvReader) columnName(cell int) string {
	if cell < len(r.header) && r.header[cell] != "" {
		return r.header[cell]
	}
	return fmt.Sprintf("column %d", cell+1)
}
