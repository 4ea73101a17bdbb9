package importer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// readParquet passes each row of a Parquet file to b. The index of the file is at its end, so
// that a file without a source is in memory while it is read. What the file claims of its sizes is
// checked before memory is taken for it.
func readParquet(in *bufio.Reader, b *builder) error {
	source := b.source
	if source == nil {
		content, err := io.ReadAll(&limitedReader{ctx: b.ctx, reader: in, remaining: maxHeldParquet})
		if errors.Is(err, errFileTooLarge) {
			b.errs.addFirst(0, messagef("A Parquet file with gzip has at most %d MiB. Unpack it: Parquet is compressed already.", maxHeldParquet>>20))
			return nil
		}
		if err != nil {
			return err
		}
		source = bytes.NewReader(content)
	}
	rows := &parquetRows{builder: b, size: source.Size()}
	defer rows.unpackers.close()
	file, err := openParquet(source, source.Size())
	if err == nil {
		rows.parquetFile = file
		err = rows.readAll()
	}
	if err == nil || errors.Is(err, errAborted) || errors.Is(err, errUnpacksTooLarge) || b.ctx.Err() != nil ||
		errors.Is(err, context.Canceled) {
		return err
	}
	if rows.sourceErr != nil {
		return rows.sourceErr
	}
	b.errs.add(rows.rowNo, "", "This Parquet file cannot be read: %s. Write it again.", err)
	return nil
}

// maxHeldParquet is how much of a Parquet file may be in memory.
const maxHeldParquet = 16 << 20

// parquetRows reads the rows of a Parquet file.
type parquetRows struct {
	*parquetFile
	*builder
	size      int64
	rowNo     int // of the current row, from 1
	columns   []*parquetColumn
	held      int // bytes of the open pages
	unpacked  int // bytes of all pages and values
	values    int // in the current row
	rowSize   int // bytes of the current row
	packed    []byte
	unpackers unpackers
	sourceErr error // of reading the file
}

// charge counts what was unpacked, and ends the reading of a file that unpacks too far.
func (r *parquetRows) charge(n int) error {
	r.unpacked += n
	return checkUnpacked(int(r.size), r.unpacked, freeParquet)
}

// hold counts memory for pages.
func (r *parquetRows) hold(n int) error {
	if r.held += n; r.held > maxOpenPages {
		return fmt.Errorf("its columns need more than %d MiB at once; write the file with smaller row groups, such as row_group_size=1000, or as JSONL", maxOpenPages>>20)
	}
	return nil
}

// buffer returns memory for a packed page, until the next one.
func (r *parquetRows) buffer(n int) []byte {
	if cap(r.packed) < n {
		r.packed = make([]byte, n)
	}
	return r.packed[:n]
}

func (r *parquetRows) readAt(buffer []byte, offset int64) error {
	_, err := r.ReadAt(buffer, offset)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	r.sourceErr = err
	return err
}

// readAll reads all rows. What a damaged file says is checked where it is used; a place that was overlooked
// is an error of the file, and does not end the process.
func (r *parquetRows) readAll() (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("it is damaged near row %d (%v)", r.rowNo, fault)
		}
	}()
	for _, group := range r.rowGroups {
		count, err := r.openGroup(group)
		if err != nil {
			return err
		}
		for range count {
			r.rowNo++
			if err := r.readRow(); err != nil {
				return err
			}
		}
	}
	return nil
}

// openGroup opens the columns of a row group, and returns its number of rows.
func (r *parquetRows) openGroup(group []byte) (count int64, err error) {
	before := r.columns
	r.columns, r.held = nil, 0
	t := &thriftReader{data: group}
	t.fields(func(id int, kind byte) bool {
		switch {
		case id == 1 && kind == thriftList:
			t.list(func(byte) {
				if len(r.columns) == len(r.leaves) {
					t.fail(errors.New("a row group has more columns than the schema"))
					return
				}
				r.columns = append(r.columns, r.readColumnChunk(t, r.leaves[len(r.columns)]))
			})
		case id == 3 && kind >= 4 && kind <= 6:
			count = t.int()
		default:
			return false
		}
		return true
	})
	if t.err == nil && len(r.columns) < len(r.leaves) {
		t.err = errors.New("a row group has fewer columns than the schema")
	}
	for i, c := range before[:min(len(before), len(r.columns))] {
		r.columns[i].page = c.page
		r.held += cap(c.page)
	}
	return count, t.err
}

func (r *parquetRows) readColumnChunk(t *thriftReader, n *parquetNode) *parquetColumn {
	c := &parquetColumn{node: n, rows: r}
	var size, data, dictionary int64
	numbers := map[int]*int64{4: &c.codec, 5: &c.left, 7: &size, 9: &data, 11: &dictionary}
	t.fields(func(id int, kind byte) bool {
		switch {
		case id == 1 && kind == thriftBinary:
			t.fail(errors.New("it refers to another file"))
		case id == 8 || id == 9:
			t.fail(errors.New("it is encrypted"))
		case id == 3 && kind == thriftStruct:
			t.fields(func(field int, kind byte) bool {
				target := numbers[field]
				if target == nil || kind < 4 || kind > 6 {
					return false
				}
				*target = t.int()
				return true
			})
		default:
			return false
		}
		return true
	})
	if c.offset = data; dictionary > 0 && dictionary < data {
		c.offset = dictionary
	}
	if c.end = c.offset + size; c.offset < 0 || size < 0 || c.end > r.size {
		t.fail(errors.New("a column is outside the file"))
	}
	return c
}

// readRow reads a row and passes it on.
func (r *parquetRows) readRow() error {
	r.values, r.rowSize = 0, 0
	before := r.errs.count()
	current := row{line: r.rowNo}
	for _, n := range r.root.children {
		v, err := r.readNode(n, topLocation(n.name))
		if err != nil {
			return err
		}
		current.members = append(current.members, member{n.name, v})
	}
	for _, c := range r.columns {
		rep, _, err := c.peek()
		if err == nil && rep != 0 {
			err = c.fault("a row has more values than its levels say")
		}
		if err != nil {
			return err
		}
	}
	if r.errs.count() > before {
		if r.errs.count() > maxErrors {
			return errAborted
		}
		r.rowCount++
		return r.ctx.Err()
	}
	return r.addRow(current)
}

// readNode reads the value of a column in the current row.
func (r *parquetRows) readNode(n *parquetNode, loc *location) (value, error) {
	if n.repetition == required {
		return r.readContent(n, loc)
	}
	first := r.columns[n.firstColumn]
	_, def, err := first.peek()
	if err != nil {
		return value{}, err
	}
	if def < n.maxDef {
		return r.skipNulls(n)
	}
	if n.repetition == optional {
		return r.readContent(n, loc)
	}
	list := []value{}
	for {
		v, err := r.readContent(n, loc.element(len(list)))
		if err != nil {
			return value{}, err
		}
		list = append(list, v)
		rep, _, err := first.peek()
		if err != nil || rep != n.maxRep || !first.isPeeked {
			return listValue(list), err
		}
	}
}

// skipNulls reads what a column without a value has: one null in each column inside it.
func (r *parquetRows) skipNulls(n *parquetNode) (value, error) {
	for _, c := range r.columns[n.firstColumn : n.firstColumn+n.columnCount] {
		_, isNull, err := c.take()
		if err == nil && !isNull {
			err = c.fault("its levels do not match")
		}
		if err != nil {
			return value{}, err
		}
	}
	if n.repetition == repeated {
		return listValue(nil), nil
	}
	return value{kind: 'n'}, nil
}

// readContent reads a value that is there, or the parts of a group.
func (r *parquetRows) readContent(n *parquetNode, loc *location) (value, error) {
	if r.values++; r.values > valueLimit {
		return value{}, fmt.Errorf("a row has more than %s values", formatCount(valueLimit))
	}
	if !n.isGroup {
		cell, isNull, err := r.columns[n.firstColumn].take()
		if err == nil && isNull {
			err = r.columns[n.firstColumn].fault("its levels do not match")
		}
		if err != nil {
			return value{}, err
		}
		if r.rowSize += len(cell.bytes); r.rowSize > recordLimit {
			return value{}, fmt.Errorf("a row has more than %d MiB", recordLimit>>20)
		}
		v, problem := n.decode(cell)
		if v.reported = problem != ""; v.reported {
			r.errs.add(r.rowNo, loc.String(), "%s", problem)
		}
		return v, nil
	}
	object := value{kind: '{'}
	for _, child := range n.children {
		childLoc := loc.child(child.name)
		if n.logical.kind == logicalList || n.logical.kind == logicalMap {
			childLoc = loc
		}
		v, err := r.readNode(child, childLoc)
		if err != nil {
			return value{}, err
		}
		object.members = append(object.members, member{child.name, v})
	}
	return n.simplify(object), nil
}
