package dataset

import (
	"bufio"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// A rowEncoder writes rows in one format.
type rowEncoder interface {
	// writeRow writes a row. repeats says that only the cells of perField columns differ from
	// those of the row before.
	writeRow(cells []cell, repeats bool) error
	flush() error
}

func newRowEncoder(w io.Writer, format Format, columns []exportColumn) (rowEncoder, error) {
	switch format {
	case CSV:
		return newCSVEncoder(w, columns)
	case JSONL:
		return newJSONLEncoder(w, columns)
	case Parquet:
		return newParquetEncoder(w, columns)
	}
	return nil, fmt.Errorf("no export in format %q", format)
}

// writeBufferSize is how many bytes are hashed and written at once.
const writeBufferSize = 64 << 10

// A lineEncoder writes rows as lines of text.
type lineEncoder struct {
	out        *bufio.Writer
	appendCell func(line []byte, column int, c cell) ([]byte, error) // with what separates it from the cell before
	end        string                                                // of a line

	firstField, afterFields int // the perField columns
	// of the current line: the cells before the perField columns, these, and those after them
	head, fields, tail []byte
}

func newLineEncoder(w io.Writer, columns []exportColumn, end string, appendCell func([]byte, int, cell) ([]byte,
	error)) *lineEncoder {
	e := &lineEncoder{out: bufio.NewWriterSize(w, writeBufferSize), appendCell: appendCell, end: end,
		firstField: len(columns), afterFields: len(columns)}
	for i, c := range columns {
		if c.perField {
			e.firstField, e.afterFields = min(e.firstField, i), i+1
		}
	}
	return e
}

func (e *lineEncoder) writeRow(cells []cell, repeats bool) (err error) {
	if !repeats {
		if e.head, err = e.appendCells(e.head[:0], cells, 0, e.firstField); err != nil {
			return err
		}
		if e.tail, err = e.appendCells(e.tail[:0], cells, e.afterFields, len(cells)); err != nil {
			return err
		}
		e.tail = append(e.tail, e.end...)
	}
	if e.fields, err = e.appendCells(e.fields[:0], cells, e.firstField, e.afterFields); err != nil {
		return err
	}
	for _, part := range [][]byte{e.head, e.fields, e.tail} {
		if _, err := e.out.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// appendCells appends the cells of columns from first to before end.
func (e *lineEncoder) appendCells(line []byte, cells []cell, first, end int) (_ []byte, err error) {
	for i := first; i < end; i++ {
		if line, err = e.appendCell(line, i, cells[i]); err != nil {
			return nil, err
		}
	}
	return line, nil
}

func (e *lineEncoder) flush() error { return e.out.Flush() }

func newCSVEncoder(w io.Writer, columns []exportColumn) (*lineEncoder, error) {
	header := make([]cell, len(columns))
	for i, c := range columns {
		header[i] = textCell(c.Name)
	}
	e := newLineEncoder(w, columns, "\n", func(line []byte, column int, c cell) ([]byte, error) {
		if column > 0 {
			line = append(line, ',')
		}
		return c.appendCSV(line), nil
	})
	return e, e.writeRow(header, false)
}

// newJSONLEncoder returns an encoder of one JSON object per line.
func newJSONLEncoder(w io.Writer, columns []exportColumn) (*lineEncoder, error) {
	keys := make([][]byte, len(columns)) // with punctuation
	for i, c := range columns {
		key, err := jsontext.AppendQuote([]byte{"{,"[min(i, 1)]}, c.Name)
		if err != nil {
			return nil, fmt.Errorf("name column %d: %w", i+1, err)
		}
		keys[i] = append(key, ':')
	}
	return newLineEncoder(w, columns, "}\n", func(line []byte, column int, c cell) ([]byte, error) {
		return c.appendJSON(append(line, keys[column]...))
	}), nil
}
