package dataset

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/parquet-go/parquet-go"
)

// readCSV reads CSV as a csvEncoder writes it.
func readCSV(file io.Reader, row Row, next func() bool) (stopped bool, err error) {
	in := csv.NewReader(file)
	in.ReuseRecord, in.FieldsPerRecord = true, len(row.cells)
	for isHeader := true; ; isHeader = false {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		for i, text := range cells {
			if isHeader && unescapeFormula(text) != row.file.Columns[i].Name {
				return false, fmt.Errorf("column %d is %q, want %q", i+1, text, row.file.Columns[i].Name)
			}
			row.setCSV(i, text)
		}
		if !isHeader && !next() {
			return true, nil
		}
	}
}

// readJSONL reads one object per line. The keys can have any order.
func readJSONL(file io.Reader, row Row, next func() bool) (stopped bool, err error) {
	for in := jsontext.NewDecoder(file); ; {
		if kind := in.PeekKind(); kind == 0 {
			if _, err := in.ReadToken(); !errors.Is(err, io.EOF) {
				return false, err
			}
			return false, nil
		}
		clear(row.cells)
		if err := readObject(in, row); err != nil {
			return false, err
		}
		if !next() {
			return true, nil
		}
	}
}

func readObject(in *jsontext.Decoder, row Row) error {
	if begin, err := in.ReadToken(); err != nil || begin.Kind() != '{' {
		return errors.Join(err, errors.New("it is not an object"))
	}
	for in.PeekKind() == '"' {
		name, err := in.ReadToken()
		if err != nil {
			return err
		}
		i, isKnown := row.columns[name.String()]
		if !isKnown {
			return fmt.Errorf("the manifest has no column %q", name.String())
		}
		value, err := in.ReadValue()
		if err != nil {
			return err
		}
		switch value.Kind() {
		case 'n':
		case '"':
			text, err := jsontext.AppendUnquote(nil, value)
			if err != nil {
				return err
			}
			row.cells[i] = string(text)
		default:
			row.cells[i] = string(value)
		}
	}
	_, err := in.ReadToken()
	return err
}

// readParquetTable reads Parquet with the columns of the manifest, in their order.
func readParquetTable(file io.Reader, row Row, next func() bool) (stopped bool, err error) {
	at, size, err := openRandomAccess(file)
	if err != nil {
		return false, err
	}
	table, err := parquet.OpenFile(at, size)
	if err != nil {
		return false, err
	}
	if n := len(table.Schema().Columns()); n != len(row.cells) {
		return false, fmt.Errorf("the file has %d columns, the manifest %d", n, len(row.cells))
	}
	for _, group := range table.RowGroups() {
		if stopped, err := readRowGroup(group, row, next); stopped || err != nil {
			return stopped, err
		}
	}
	return false, nil
}

func openRandomAccess(file io.Reader) (at io.ReaderAt, size int64, err error) {
	seeker, ok := file.(interface {
		io.ReaderAt
		io.Seeker
	})
	if !ok {
		return nil, 0, fmt.Errorf("%T cannot be read from its end", file)
	}
	size, err = seeker.Seek(0, io.SeekEnd)
	return seeker, size, err
}

func readRowGroup(group parquet.RowGroup, row Row, next func() bool) (stopped bool, err error) {
	rows := group.Rows()
	defer rows.Close()
	for buffer := make([]parquet.Row, 64); ; {
		n, err := rows.ReadRows(buffer)
		for _, values := range buffer[:n] {
			for _, v := range values {
				row.cells[v.Column()] = parquetText(v, row.file.Columns[v.Column()].Type)
			}
			if !next() {
				return true, nil
			}
		}
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
}

// parquetText returns a value as the text that it has in JSONL.
func parquetText(v parquet.Value, columnType string) string {
	switch {
	case v.IsNull():
		return ""
	case columnType == typeInteger:
		return strconv.FormatInt(v.Int64(), 10)
	case columnType == typeNumber:
		return strconv.FormatFloat(v.Double(), 'f', -1, 64)
	case columnType == typeBoolean:
		return strconv.FormatBool(v.Boolean())
	case columnType == typeDate:
		return string(cell{kind: cellDate, n: int64(v.Int32())}.appendPlain(nil))
	case columnType == typeTimestamp:
		return string(time.UnixMicro(v.Int64()).UTC().AppendFormat(nil, "2006-01-02T15:04:05.000000Z"))
	}
	return string(v.ByteArray())
}
