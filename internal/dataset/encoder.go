package dataset

import (
	"bufio"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// A rowEncoder writes rows in one format.
type rowEncoder interface {
	writeRow(cells []cell) error
	flush() error
}

func newRowEncoder(w io.Writer, format Format, columns []exportColumn) (rowEncoder, error) {
	switch format {
	case CSV:
		return newCSVEncoder(w, columns)
	case JSONL:
		return newJSONLEncoder(w, columns)
	case Parquet:
		return newParquetEncoder(w, columns), nil
	}
	return nil, fmt.Errorf("no export in format %q", format)
}

// A csvEncoder writes CSV with a header.
type csvEncoder struct {
	out *bufio.Writer
	row []byte // reused
}

func newCSVEncoder(w io.Writer, columns []exportColumn) (*csvEncoder, error) {
	header := make([]cell, len(columns))
	for i, c := range columns {
		header[i] = textCell(c.Name)
	}
	e := &csvEncoder{out: bufio.NewWriter(w)}
	return e, e.writeRow(header)
}

func (e *csvEncoder) writeRow(cells []cell) error {
	e.row = e.row[:0]
	for i, c := range cells {
		if i > 0 {
			e.row = append(e.row, ',')
		}
		e.row = c.appendCSV(e.row)
	}
	_, err := e.out.Write(append(e.row, '\n'))
	return err
}

func (e *csvEncoder) flush() error { return e.out.Flush() }

// A jsonlEncoder writes one JSON object per line.
type jsonlEncoder struct {
	out         *bufio.Writer
	columnNames [][]byte // as JSON
	row         []byte   // reused
}

func newJSONLEncoder(w io.Writer, columns []exportColumn) (*jsonlEncoder, error) {
	e := &jsonlEncoder{out: bufio.NewWriter(w)}
	for i, c := range columns {
		name, err := jsontext.AppendQuote(nil, c.Name)
		if err != nil {
			return nil, fmt.Errorf("name column %d: %w", i+1, err)
		}
		e.columnNames = append(e.columnNames, name)
	}
	return e, nil
}

func (e *jsonlEncoder) writeRow(cells []cell) (err error) {
	e.row = e.row[:0]
	for i, c := range cells {
		e.row = append(e.row, "{,"[min(i, 1)])
		e.row = append(append(e.row, e.columnNames[i]...), ':')
		if e.row, err = c.appendJSON(e.row); err != nil {
			return err
		}
	}
	_, err = e.out.Write(append(e.row, "}\n"...))
	return err
}

func (e *jsonlEncoder) flush() error { return e.out.Flush() }
