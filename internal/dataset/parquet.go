package dataset

import (
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// A row group ends after this many rows or bytes of text, so that memory is bounded.
const (
	maxRowGroupRows  = 20_000
	maxRowGroupBytes = 8 << 20
)

// parquetPageSize is the size in bytes of the pages of a column.
const parquetPageSize = 64 << 10

// rowsPerWrite is how many rows are passed to the library at once.
const rowsPerWrite = 64

// A parquetEncoder writes Parquet. Each column can be null.
type parquetEncoder struct {
	writer  *parquet.Writer //nolint:staticcheck // it writes rows of a schema that is known at run time only
	columns []exportColumn
	rows    []parquet.Row // not passed on yet, of rowsPerWrite that are reused
	texts   []byte        // of these rows, reused

	groupRows, groupBytes int // of the row group, and bytes of its texts
}

func newParquetEncoder(w io.Writer, columns []exportColumn) (*parquetEncoder, error) {
	codec, err := newZstdCodec()
	if err != nil {
		return nil, err
	}
	e := &parquetEncoder{columns: columns, rows: make([]parquet.Row, 0, rowsPerWrite)}
	group := columnGroup{Group: parquet.Group{}}
	for _, c := range columns {
		group.Group[c.Name] = parquet.Optional(parquetNode(c.Type))
		group.names = append(group.names, c.Name)
	}
	e.writer = parquet.NewWriter(w, parquet.NewSchema("row", group), parquet.Compression(codec),
		parquet.CreatedBy("labelwright", "1", ""), parquet.PageBufferSize(parquetPageSize),
		parquet.MaxRowsPerRowGroup(maxRowGroupRows))
	return e, nil
}

// A columnGroup is a schema whose columns keep their order.
type columnGroup struct {
	parquet.Group
	names []string
}

// Fields returns the columns in the order of names.
func (g columnGroup) Fields() []parquet.Field {
	byName := map[string]parquet.Field{}
	for _, f := range g.Group.Fields() {
		byName[f.Name()] = f
	}
	fields := make([]parquet.Field, len(g.names))
	for i, name := range g.names {
		fields[i] = byName[name]
	}
	return fields
}

func parquetNode(columnType string) parquet.Node {
	switch columnType {
	case typeInteger:
		return parquet.Int(64)
	case typeNumber:
		return parquet.Leaf(parquet.DoubleType)
	case typeBoolean:
		return parquet.Leaf(parquet.BooleanType)
	case typeDate:
		return parquet.Date()
	case typeTimestamp:
		return parquet.Timestamp(parquet.Microsecond)
	}
	return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
}

func (e *parquetEncoder) writeRow(cells []cell, repeats bool) error {
	n := len(e.rows)
	e.rows = e.rows[:n+1]
	if e.rows[n] == nil {
		e.rows[n] = make(parquet.Row, len(cells))
	}
	row := e.rows[n]
	if repeats = repeats && n > 0; repeats {
		copy(row, e.rows[n-1])
	}
	for i, c := range cells {
		e.groupBytes += len(c.text)
		if repeats && !e.columns[i].perField {
			continue
		}
		value, level := e.value(c, e.columns[i].Type), 1
		if value.IsNull() {
			level = 0
		}
		row[i] = value.Level(0, level, i)
	}
	e.groupRows++
	isGroup := e.groupRows == maxRowGroupRows || e.groupBytes >= maxRowGroupBytes
	if len(e.rows) == rowsPerWrite || isGroup {
		if err := e.writeRows(); err != nil {
			return err
		}
	}
	if !isGroup {
		return nil
	}
	e.groupRows, e.groupBytes = 0, 0
	return e.writer.Flush()
}

// writeRows passes the rows to the library, which copies their texts.
func (e *parquetEncoder) writeRows() error {
	_, err := e.writer.WriteRows(e.rows)
	e.rows, e.texts = e.rows[:0], e.texts[:0]
	return err
}

func (e *parquetEncoder) flush() error {
	if err := e.writeRows(); err != nil {
		return err
	}
	return e.writer.Close()
}

// value returns the value of c in a column of a type. It is valid until writeRows.
func (e *parquetEncoder) value(c cell, columnType string) parquet.Value {
	switch c.kind {
	case cellAbsent:
		return parquet.NullValue()
	case cellInteger, cellTimestamp:
		return parquet.Int64Value(c.n)
	case cellDate:
		return parquet.Int32Value(int32(c.n))
	case cellBoolean:
		return parquet.BooleanValue(c.n == 1)
	case cellNumber:
		number, _ := strconv.ParseFloat(c.text, 64) // beyond the range: infinite
		return parquet.DoubleValue(number)
	}
	if columnType != typeText && columnType != typeJSON && columnType != typeJSONText {
		return parquet.NullValue()
	}
	start := len(e.texts)
	e.texts = append(e.texts, c.text...)
	return parquet.ByteArrayValue(e.texts[start:])
}
