package importer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

const (
	maxFooter    = 16 << 20 // bytes of the index at the end of a Parquet file
	maxRowGroups = 100_000
	maxColumns   = 10_000 // of a Parquet file, with those inside columns
)

type parquetFile struct {
	io.ReaderAt
	size      int64
	root      *parquetNode
	leaves    []*parquetNode
	rowGroups [][]byte // each as it was written
}

// A parquetNode is a column, or a group of columns inside one.
type parquetNode struct {
	name        string
	type_       int // of a leaf: typeBoolean and so on
	length      int // of typeFixed
	repetition  int // required, optional, repeated
	children    []*parquetNode
	childCount  int
	logical     logicalType
	isGroup     bool
	maxDef      int
	maxRep      int
	firstColumn int // index of the first leaf in it
	columnCount int
}

const (
	required = iota
	optional
	repeated
)

// The physical types.
const (
	typeBoolean = iota
	typeInt32
	typeInt64
	typeInt96
	typeFloat
	typeDouble
	typeBytes
	typeFixed
)

// A logicalType says what the values of a column mean.
type logicalType struct {
	kind       int // as in the union of Parquet's format: logicalString and so on
	scale      int // of a decimal
	bits       int
	isUnsigned bool
	isUTC      bool
	unit       int // digits of a second: 3, 6 or 9
}

const (
	logicalString = 1 + iota
	logicalMap
	logicalList
	logicalEnum
	logicalDecimal
	logicalDate
	logicalTime
	logicalTimestamp
	logicalInterval // only as a converted type
	logicalInteger
	logicalUnknown
	logicalJSON
	logicalBSON
	logicalUUID
	logicalFloat16
)

// convertedTypes are the logical types of older files.
var convertedTypes = map[int64]logicalType{
	0: {kind: logicalString}, 1: {kind: logicalMap}, 2: {kind: logicalMap}, 3: {kind: logicalList},
	4: {kind: logicalEnum},
	5: {kind: logicalDecimal}, 6: {kind: logicalDate}, 7: {kind: logicalTime, unit: 3, isUTC: true},
	8: {kind: logicalTime, unit: 6, isUTC: true},
	9: {kind: logicalTimestamp, unit: 3, isUTC: true}, 10: {kind: logicalTimestamp, unit: 6, isUTC: true},
	11: {kind: logicalInteger, isUnsigned: true, bits: 8}, 12: {kind: logicalInteger, isUnsigned: true, bits: 16},
	13: {kind: logicalInteger, isUnsigned: true, bits: 32}, 14: {kind: logicalInteger, isUnsigned: true, bits: 64},
	19: {kind: logicalJSON}, 20: {kind: logicalBSON}, 21: {kind: logicalInterval},
}

// openParquet reads the index of a file.
func openParquet(source io.ReaderAt, size int64) (*parquetFile, error) {
	var tail [8]byte
	if size < 12 {
		return nil, errors.New("it is too short")
	}
	if _, err := source.ReadAt(tail[:], size-8); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(tail[:4]))
	switch {
	case string(tail[4:]) == "PARE":
		return nil, errors.New("it is encrypted")
	case string(tail[4:]) != parquetSignature:
		return nil, errors.New("it has no end, as if it was not written completely")
	case length > size-12:
		return nil, errors.New("its index is larger than the file")
	case length > maxFooter:
		return nil, fmt.Errorf("its index has more than %d MiB", maxFooter>>20)
	}
	footer := make([]byte, length)
	if _, err := source.ReadAt(footer, size-8-length); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	f := &parquetFile{ReaderAt: source, size: size}
	return f, f.readFooter(&thriftReader{data: footer})
}

func (f *parquetFile) readFooter(t *thriftReader) error {
	var elements []*parquetNode
	t.fields(func(id int, kind byte) bool {
		switch {
		case id == 2 && kind == thriftList:
			t.list(func(byte) {
				if len(elements) > maxColumns {
					t.fail(fmt.Errorf("it has more than %d columns", maxColumns))
					return
				}
				elements = append(elements, readSchemaElement(t))
			})
		case id == 4 && kind == thriftList:
			t.list(func(byte) {
				if len(f.rowGroups) == maxRowGroups {
					t.fail(fmt.Errorf("it has more than %s row groups", formatCount(maxRowGroups)))
					return
				}
				start := t.pos
				t.skip(thriftStruct)
				f.rowGroups = append(f.rowGroups, t.data[start:t.pos])
			})
		case id == 8:
			t.fail(errors.New("it is encrypted"))
		default:
			return false
		}
		return true
	})
	if t.err != nil {
		return t.err
	}
	if len(elements) == 0 {
		return errors.New("it has no schema")
	}
	f.root = elements[0]
	rest, err := f.buildTree(f.root, elements[1:], 0)
	if err == nil && len(rest) > 0 {
		err = errors.New("its schema has columns outside its root")
	}
	return err
}

func readSchemaElement(t *thriftReader) *parquetNode {
	n := &parquetNode{isGroup: true}
	var converted int64 = -1
	var scale int64
	t.fields(func(id int, kind byte) bool {
		switch {
		case id == 1:
			n.type_, n.isGroup = int(t.int()), false
		case id == 2:
			n.length = int(t.int())
		case id == 3:
			n.repetition = int(t.int())
		case id == 4 && kind == thriftBinary:
			n.name = string(t.bytes())
		case id == 5:
			n.childCount = int(t.int())
		case id == 6:
			converted = t.int()
		case id == 7:
			scale = t.int()
		case id == 10 && kind == thriftStruct:
			n.logical = readLogicalType(t)
		default:
			return false
		}
		return true
	})
	if n.logical.kind == 0 {
		n.logical = convertedTypes[converted]
		n.logical.scale = int(scale)
	}
	return n
}

func readLogicalType(t *thriftReader) (l logicalType) {
	t.fields(func(id int, kind byte) bool {
		if l.kind = id; kind != thriftStruct {
			return false
		}
		t.fields(func(field int, kind byte) bool {
			isInt := kind >= 4 && kind <= 6
			switch {
			case id == logicalDecimal && field == 1 && isInt:
				l.scale = int(t.int())
			case (id == logicalTime || id == logicalTimestamp) && field == 1 && kind <= thriftFalse:
				l.isUTC = kind == thriftTrue
			case (id == logicalTime || id == logicalTimestamp) && field == 2 && kind == thriftStruct:
				t.fields(func(unit int, _ byte) bool { l.unit = 3 * min(max(unit, 1), 3); return false })
			case id == logicalInteger && field == 1 && kind == thriftByte:
				l.bits = int(t.readByte())
			case id == logicalInteger && field == 2 && kind <= thriftFalse:
				l.isUnsigned = kind == thriftFalse
			default:
				return false
			}
			return kind > thriftFalse
		})
		return true
	})
	return l
}

// buildTree takes the children of n from the elements, which are in depth-first order.
func (f *parquetFile) buildTree(n *parquetNode, elements []*parquetNode, depth int) (rest []*parquetNode, err error) {
	n.firstColumn = len(f.leaves)
	switch {
	case !utf8.ValidString(n.name):
		return nil, errors.New("the name of a column is not UTF-8")
	case depth > depthLimit:
		return nil, fmt.Errorf("its columns are nested more than %d deep", depthLimit)
	case n.repetition < required || n.repetition > repeated || n.type_ < typeBoolean || n.type_ > typeFixed:
		return nil, fmt.Errorf("the column “%s” has an unknown type", n.name)
	case n.type_ == typeFixed && (n.length <= 0 || n.length > recordLimit):
		return nil, fmt.Errorf("the column “%s” has values of an impossible length", n.name)
	case !n.isGroup:
		f.leaves = append(f.leaves, n)
	}
	for range n.childCount {
		if len(elements) == 0 || !n.isGroup {
			return nil, errors.New("its schema is not complete")
		}
		child := elements[0]
		child.maxDef, child.maxRep = n.maxDef, n.maxRep
		if child.repetition != required {
			child.maxDef++
		}
		if child.repetition == repeated {
			child.maxRep++
		}
		n.children = append(n.children, child)
		if elements, err = f.buildTree(child, elements[1:], depth+1); err != nil {
			return nil, err
		}
	}
	n.columnCount = len(f.leaves) - n.firstColumn
	if n.isGroup && n.columnCount == 0 {
		return nil, fmt.Errorf("the column “%s” has no values", n.name)
	}
	return elements, nil
}
