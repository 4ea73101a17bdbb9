package importer

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A thriftReader reads structs of Thrift's compact protocol, in which Parquet writes its headers. It makes no
// memory of what the headers claim. After its first error it returns zeros.
type thriftReader struct {
	data  []byte
	pos   int
	depth int
	err   error
}

// The types of fields that are read.
const (
	thriftTrue, thriftFalse                        = 1, 2
	thriftByte, thriftDouble, thriftBinary         = 3, 7, 8
	thriftList, thriftSet, thriftMap, thriftStruct = 9, 10, 11, 12
)

const maxThriftDepth = 32

var errHeaderEnds = errors.New("a header ends too early")

func (t *thriftReader) fail(err error) {
	if t.err == nil {
		t.err = err
	}
	t.pos = len(t.data)
}

func (t *thriftReader) readByte() byte {
	if t.pos >= len(t.data) {
		t.fail(errHeaderEnds)
		return 0
	}
	t.pos++
	return t.data[t.pos-1]
}

func (t *thriftReader) uvarint() uint64 {
	n, size := binary.Uvarint(t.data[t.pos:])
	switch {
	case size > 0:
		t.pos += size
	case size == 0:
		t.fail(errHeaderEnds)
	default:
		t.fail(errors.New("a header has a number that is too large"))
	}
	return n
}

func (t *thriftReader) int() int64 {
	n := t.uvarint()
	return int64(n>>1) ^ -int64(n&1)
}

func (t *thriftReader) bytes() []byte {
	n := t.uvarint()
	if n > uint64(len(t.data)-t.pos) {
		t.fail(errHeaderEnds)
		return nil
	}
	t.pos += int(n)
	return t.data[t.pos-int(n) : t.pos]
}

// fields calls each for the fields of a struct. It reads the value or leaves it, which skips it.
func (t *thriftReader) fields(each func(id int, kind byte) (isRead bool)) {
	if t.depth++; t.depth > maxThriftDepth {
		t.fail(errors.New("its headers are nested too deep"))
	}
	for id := 0; t.err == nil; {
		head := t.readByte()
		kind := head & 15
		if kind == 0 {
			break
		}
		if delta := int(head >> 4); delta > 0 {
			id += delta
		} else {
			id = int(t.int())
		}
		if !each(id, kind) {
			t.skip(kind)
		}
	}
	t.depth--
}

// list calls each for the elements of a list, each of which it must read.
func (t *thriftReader) list(each func(kind byte)) {
	head := t.readByte()
	n, kind := uint64(head>>4), head&15
	if n == 15 {
		n = t.uvarint()
	}
	for range n {
		if t.err != nil {
			return
		}
		each(kind)
	}
}

func (t *thriftReader) skip(kind byte) {
	switch kind {
	case thriftTrue, thriftFalse:
	case thriftByte:
		t.readByte()
	case 4, 5, 6:
		t.int()
	case thriftDouble:
		for range 8 {
			t.readByte()
		}
	case thriftBinary:
		t.bytes()
	case thriftList, thriftSet:
		t.list(func(kind byte) {
			if kind == thriftTrue || kind == thriftFalse { // a byte, in a list
				kind = thriftByte
			}
			t.skip(kind)
		})
	case thriftMap:
		if n := t.uvarint(); n > 0 {
			kinds := t.readByte()
			for i := uint64(0); i < n && t.err == nil; i++ {
				t.skip(kinds >> 4)
				t.skip(kinds & 15)
			}
		}
	case thriftStruct:
		t.fields(func(int, byte) bool { return false })
	default:
		t.fail(fmt.Errorf("a header has a field of the unknown type %d", kind))
	}
}
