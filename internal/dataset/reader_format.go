package dataset

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/parquet-go/parquet-go"
)

// byteOrderMark starts CSV for Excel.
const byteOrderMark = "\ufeff"

// readCSV reads CSV as a csvEncoder writes it, with or without a byte order mark.
func readCSV(file io.Reader, row Row, next func() bool) (stopped bool, err error) {
	text := bufio.NewReader(file)
	if mark, _ := text.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		_, _ = text.Discard(len(mark)) // it is in the buffer
	}
	in := csv.NewReader(text)
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
			if isHeader && UnescapeFormula(text) != row.file.Columns[i].Name {
				return false, fmt.Errorf("column %d is %q, want %q", i+1, text, row.file.Columns[i].Name)
			}
			row.setCSV(i, text)
		}
		*row.no, _ = in.FieldPos(0)
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
		*row.no++
		if !next() {
			return true, nil
		}
	}
}

func readObject(in *jsontext.Decoder, row Row) error {
	if begin, err := in.ReadToken(); err != nil || begin.Kind() != '{' {
		return errors.Join(err, errors.New("it is not an object"))
	}
	isRead := make([]bool, len(row.cells))
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
		if err := row.setJSON(i, value); err != nil {
			return err
		}
		isRead[i] = true
	}
	if i := slices.Index(isRead, false); i >= 0 {
		return fmt.Errorf("it has no column %q", row.file.Columns[i].Name)
	}
	_, err := in.ReadToken()
	return err
}

// setJSON sets a cell from JSON. Texts and times are strings there, lists and objects any value.
func (r Row) setJSON(i int, value jsontext.Value) error {
	kind, want := value.Kind(), jsontext.Kind('"')
	switch r.file.Columns[i].Type {
	case typeInteger, typeNumber:
		want = '0'
	case typeBoolean:
		if want = 't'; kind == 'f' {
			want = 'f'
		}
	case typeJSON:
		want = kind
	}
	switch {
	case kind == 'n':
		return nil
	case kind != want:
		*r.no++ // the record that is being read
		return r.Errorf(r.file.Columns[i].Name, "%s is not of the type %s. Correct the cell, or export again.",
			Quote(string(value)), r.file.Columns[i].Type)
	case kind != '"':
		r.cells[i] = string(value)
		return nil
	}
	text, err := jsontext.AppendUnquote(nil, value)
	r.cells[i] = string(text)
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
	if err := row.checkSchema(table.Schema()); err != nil {
		return false, err
	}
	for _, group := range table.RowGroups() {
		if stopped, err := readRowGroup(group, row, next); stopped || err != nil {
			return stopped, err
		}
	}
	return false, nil
}

// checkSchema returns an error for a schema with other columns than the manifest.
func (r Row) checkSchema(schema *parquet.Schema) error {
	fields := schema.Fields()
	if len(fields) != len(r.cells) {
		return fmt.Errorf("the file has %d columns, the manifest %d", len(fields), len(r.cells))
	}
	for i, c := range r.file.Columns {
		switch got, want := fields[i], parquetNode(c.Type); {
		case got.Name() != c.Name:
			return fmt.Errorf("column %d is %q, want %q", i+1, got.Name(), c.Name)
		case !got.Leaf() || got.Type().Kind() != want.Type().Kind():
			return fmt.Errorf("column %q is not of the type %s", c.Name, c.Type)
		}
	}
	return nil
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
			*row.no++
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
