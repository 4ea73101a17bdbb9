package dataset

import (
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// A row group ends after this many rows or bytes of text, so that memory is bounded.
const (
	maxRowGroupRows  = 100_000
	maxRowGroupBytes = 16 << 20
)

// A parquetEncoder writes Parquet. Each column can be null.
type parquetEncoder struct {
	writer *parquet.Writer //nolint:staticcheck // it writes rows of a schema that is known at run time only
	types  []string
	row    parquet.Row // reused
	bytes  int         // of texts in the row group
	rows   int         // in the row group
}

func newParquetEncoder(w io.Writer, columns []exportColumn) *parquetEncoder {
	e := &parquetEncoder{row: make(parquet.Row, len(columns))}
	group := columnGroup{Group: parquet.Group{}}
	for _, c := range columns {
		group.Group[c.Name] = parquet.Optional(parquetNode(c.Type))
		group.names = append(group.names, c.Name)
		e.types = append(e.types, c.Type)
	}
	e.writer = parquet.NewWriter(w, parquet.NewSchema("row", group), parquet.Compression(&zstd.Codec{}),
		parquet.CreatedBy("labelwright", "1", ""), parquet.PageBufferSize(64<<10), parquet.MaxRowsPerRowGroup(maxRowGroupRows))
	return e
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

func (e *parquetEncoder) writeRow(cells []cell) error {
	for i, c := range cells {
		value := c.parquetValue(e.types[i])
		level := 1
		if value.IsNull() {
			level = 0
		}
		e.row[i] = value.Level(0, level, i)
		e.bytes += len(c.text)
	}
	if _, err := e.writer.WriteRows([]parquet.Row{e.row}); err != nil {
		return err
	}
	if e.rows++; e.rows < maxRowGroupRows && e.bytes < maxRowGroupBytes {
		return nil
	}
	e.rows, e.bytes = 0, 0
	return e.writer.Flush()
}

func (e *parquetEncoder) flush() error { return e.writer.Close() }

// parquetValue returns the value of c in a column of a type.
func (c cell) parquetValue(columnType string) parquet.Value {
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
	return parquet.ByteArrayValue([]byte(c.text))
}
