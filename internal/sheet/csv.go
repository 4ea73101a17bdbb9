package sheet

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// A table reads CSV as RFC 4180 has it, to the byte: encoding/csv would turn
// CRLF inside quotes into LF. Rows end with LF or CRLF; empty lines hold
// nothing and are passed over.
type table struct {
	in     *bufio.Reader
	faults *ledger
	header []string
	line   int // of the next byte, from 1
	start  int // where the current row starts
	size   int // bytes of the current row
}

func newTable(in *bufio.Reader, faults *ledger) *table {
	return &table{in: in, faults: faults, line: 1}
}

// next returns the cells of the next row, or io.EOF. After errLost, told by a
// fault, nothing more can be read.
func (t *table) next() ([]string, error) {
	for {
		t.start, t.size = t.line, 0
		if _, err := t.in.Peek(1); err != nil {
			return nil, err
		}
		cells, quoted, err := t.row()
		if err != nil {
			return nil, err
		}
		if len(cells) > 1 || cells[0] != "" || quoted {
			return cells, nil
		}
	}
}

// row reads one row; quoted reports whether its last cell was in quotes.
func (t *table) row() (cells []string, quoted bool, err error) {
	for {
		first, err := t.in.Peek(1)
		if quoted = err == nil && first[0] == '"'; quoted {
			if err := t.take(); err != nil {
				return nil, false, err
			}
		}
		read := t.plain
		if quoted {
			read = t.quoted
		}
		text, end, err := read(len(cells))
		if err != nil {
			return nil, false, err
		}
		cells = append(cells, text)
		if end != ',' {
			return cells, quoted, nil
		}
	}
}

// plain reads a cell without quotes, and the comma, newline or end of file (0)
// after it.
func (t *table) plain(cell int) (text string, end byte, err error) {
	var read []byte
	told := false
	for {
		b, err := t.byte()
		switch {
		case errors.Is(err, io.EOF):
			return string(read), 0, nil
		case err != nil:
			return "", 0, err
		case b == ',' || b == '\n':
			return string(read), b, nil
		case b == '\r' && t.follows('\n'):
			continue
		case b == '\r':
			return "", 0, t.lose(cell, "A carriage return (U+000D) stands outside quotes. End lines with a newline, and put a text with line breaks in quotes.")
		case b == '"' && !told:
			told = true
			t.tell(cell, "A quote stands inside a cell that does not begin with one. Put the whole cell in quotes, and write each quote in it twice.")
		}
		read = append(read, b)
	}
}

// quoted reads the rest of a cell after its first quote, and what ends it.
func (t *table) quoted(cell int) (text string, end byte, err error) {
	var read []byte
	for {
		b, err := t.byte()
		switch {
		case errors.Is(err, io.EOF):
			return "", 0, t.lose(cell, "The quote that opens this cell is never closed.")
		case err != nil:
			return "", 0, err
		case b == '"' && t.follows('"'):
			if err := t.take(); err != nil {
				return "", 0, err
			}
		case b == '"':
			end, err := t.end(cell)
			return string(read), end, err
		}
		read = append(read, b)
	}
}

// end reads what follows a closing quote.
func (t *table) end(cell int) (byte, error) {
	b, err := t.byte()
	switch {
	case errors.Is(err, io.EOF):
		return 0, nil
	case err != nil || b == ',' || b == '\n':
		return b, err
	case b == '\r' && t.follows('\n'):
		return t.byte()
	}
	return 0, t.lose(cell, "Something follows the closing quote of this cell. Write each quote inside a cell twice.")
}

func (t *table) follows(b byte) bool {
	next, err := t.in.Peek(1)
	return err == nil && next[0] == b
}

func (t *table) take() error {
	_, err := t.byte()
	return err
}

func (t *table) byte() (byte, error) {
	if t.size == LineLimit {
		t.faults.add(t.start, "", "This row is longer than %s bytes. Is a quote never closed? The lines after it were not read.", thousands(LineLimit))
		return 0, errLost
	}
	b, err := t.in.ReadByte()
	t.size++
	if b == '\n' && err == nil {
		t.line++
	}
	return b, err
}

// lose tells a fault after which nobody knows where cells end.
func (t *table) lose(cell int, says string) error {
	t.tell(cell, "%s The lines after it were not read.", says)
	return errLost
}

func (t *table) tell(cell int, format string, args ...any) {
	t.faults.add(t.start, t.column(cell), format, args...)
}

// column returns the name of a cell's column, from 0.
func (t *table) column(cell int) string {
	if cell < len(t.header) && t.header[cell] != "" {
		return t.header[cell]
	}
	return fmt.Sprintf("column %d", cell+1)
}
