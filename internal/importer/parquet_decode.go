package importer

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var errPageEnds = errors.New("a page ends too early")

func readUint32(data []byte) uint32 { return binary.LittleEndian.Uint32(data) }

// A parquetCell is a value as it is stored: a number, or bytes that are valid until the next page.
type parquetCell struct {
	bits  uint64
	bytes []byte
}

// The encodings of values.
const (
	encodingPlain           = 0
	encodingPlainDictionary = 2
	encodingRLE             = 3
	encodingDeltaBinary     = 5
	encodingDeltaLength     = 6
	encodingDeltaBytes      = 7
	encodingDictionary      = 8
	encodingSplit           = 9
)

// A valueDecoder reads the values of a page one after the other, in the memory of the page.
type valueDecoder interface {
	next() (parquetCell, error)
}

func newValueDecoder(n *parquetNode, encoding int64, page []byte, d *dictionary, count uint64) (valueDecoder, error) {
	switch encoding {
	case encodingPlain:
		return &plainDecoder{node: n, data: page}, nil
	case encodingPlainDictionary, encodingDictionary:
		if d == nil {
			return nil, errors.New("there is no dictionary")
		}
		indexes := &hybridReader{}
		if len(page) > 0 {
			if indexes.width, indexes.data = int(page[0]), page[1:]; indexes.width > 32 {
				return nil, errors.New("an index of the dictionary has more than 32 bits")
			}
		}
		return &dictionaryDecoder{d, indexes}, nil
	case encodingRLE:
		if n.type_ != typeBoolean || len(page) < 4 {
			break
		}
		return &booleanDecoder{hybridReader{data: page[4:], width: 1}}, nil
	case encodingDeltaBinary:
		return newDeltaDecoder(page, count)
	case encodingDeltaLength:
		return newDeltaLengthDecoder(page, count)
	case encodingDeltaBytes:
		prefixes, err := newDeltaDecoder(page, count)
		if err != nil {
			return nil, err
		}
		rest, err := prefixes.skipAll()
		if err != nil {
			return nil, err
		}
		suffixes, err := newDeltaLengthDecoder(rest, count)
		return &deltaBytesDecoder{prefixes: prefixes, suffixes: suffixes}, err
	case encodingSplit:
		if size := n.size(); size > 0 && len(page)%size == 0 {
			return &splitDecoder{node: n, data: page, count: len(page) / size, buffer: make([]byte, size)}, nil
		}
	}
	return nil, fmt.Errorf("its values have an encoding (%d) that is not supported", encoding)
}

// size returns the bytes of a value of fixed size, else 0.
func (n *parquetNode) size() int {
	switch n.type_ {
	case typeInt32, typeFloat:
		return 4
	case typeInt64, typeDouble:
		return 8
	case typeInt96:
		return 12
	case typeFixed:
		return n.length
	}
	return 0
}

// cellOf returns a value of fixed size.
func (n *parquetNode) cellOf(data []byte) parquetCell {
	switch len(data) {
	case 4:
		if n.type_ != typeFixed {
			return parquetCell{bits: uint64(readUint32(data))}
		}
	case 8:
		if n.type_ != typeFixed {
			return parquetCell{bits: binary.LittleEndian.Uint64(data)}
		}
	}
	return parquetCell{bytes: data}
}

type plainDecoder struct {
	node *parquetNode
	data []byte
	bit  int // of a boolean
}

func (d *plainDecoder) next() (parquetCell, error) {
	size := d.node.size()
	switch {
	case d.node.type_ == typeBoolean:
		if d.bit/8 >= len(d.data) {
			return parquetCell{}, errPageEnds
		}
		d.bit++
		return parquetCell{bits: uint64(d.data[(d.bit-1)/8]>>((d.bit-1)%8)) & 1}, nil
	case size == 0:
		if len(d.data) < 4 || int64(readUint32(d.data)) > int64(len(d.data)-4) {
			return parquetCell{}, errPageEnds
		}
		size = int(readUint32(d.data))
		d.data = d.data[4:]
	case len(d.data) < size:
		return parquetCell{}, errPageEnds
	}
	cell := d.node.cellOf(d.data[:size])
	if d.node.type_ == typeBytes {
		cell = parquetCell{bytes: d.data[:size]}
	}
	d.data = d.data[size:]
	return cell, nil
}

// A dictionary has the values of a column once, as they are in its page.
type dictionary struct {
	node *parquetNode
	data []byte
	ends []uint32 // of values of any length, after their four bytes of length
}

func newDictionary(n *parquetNode, page []byte, count int) (*dictionary, error) {
	d := &dictionary{node: n, data: page}
	if n.type_ != typeBytes {
		return d, nil
	}
	d.ends = make([]uint32, 0, min(count, len(page)/4))
	end := 0
	for range count {
		if end+4 > len(page) || int64(readUint32(page[end:])) > int64(len(page)-end-4) {
			return nil, errPageEnds
		}
		end += 4 + int(readUint32(page[end:]))
		d.ends = append(d.ends, uint32(end))
	}
	return d, nil
}

func (d *dictionary) value(i int) (parquetCell, error) {
	start, end := i*d.node.size(), (i+1)*d.node.size()
	if d.node.type_ == typeBytes {
		if i >= len(d.ends) {
			return parquetCell{}, errNotInDictionary
		}
		start, end = 4, int(d.ends[i])
		if i > 0 {
			start += int(d.ends[i-1])
		}
		return parquetCell{bytes: d.data[start:end]}, nil
	}
	if end > len(d.data) || start == end {
		return parquetCell{}, errNotInDictionary
	}
	return d.node.cellOf(d.data[start:end]), nil
}

var errNotInDictionary = errors.New("a value is not in the dictionary")

type dictionaryDecoder struct {
	*dictionary
	indexes *hybridReader
}

func (d *dictionaryDecoder) next() (parquetCell, error) {
	i, err := d.indexes.next()
	if err != nil {
		return parquetCell{}, err
	}
	return d.value(i)
}

type booleanDecoder struct{ hybridReader }

func (d *booleanDecoder) next() (parquetCell, error) {
	i, err := d.hybridReader.next()
	return parquetCell{bits: uint64(i)}, err
}

// A hybridReader reads numbers of a width in bits, written in runs of one number or packed. A run takes no
// memory. With a width of 0 all numbers are 0.
type hybridReader struct {
	data  []byte
	width int
	left  uint64 // numbers in the run
	value int    // of a run of one number
	bit   int    // of a packed run; -1: a run of one number
}

func (r *hybridReader) next() (int, error) {
	if r.width == 0 {
		return 0, nil
	}
	for r.left == 0 {
		if err := r.openRun(); err != nil {
			return 0, err
		}
	}
	r.left--
	if r.bit < 0 {
		return r.value, nil
	}
	value := 0
	for i := range r.width {
		at := r.bit + i
		if at/8 >= len(r.data) {
			return 0, errPageEnds
		}
		value |= int(r.data[at/8]>>(at%8)&1) << i
	}
	r.bit += r.width
	if r.left == 0 {
		r.data = r.data[min((r.bit+7)/8, len(r.data)):]
	}
	return value, nil
}

func (r *hybridReader) openRun() error {
	head, size := binary.Uvarint(r.data)
	if size <= 0 {
		return errPageEnds
	}
	r.data = r.data[size:]
	if head&1 == 1 { // groups of eight
		r.left, r.bit = head>>1*8, 0
		return nil
	}
	bytes := (r.width + 7) / 8
	if len(r.data) < bytes {
		return errPageEnds
	}
	r.left, r.bit, r.value = head>>1, -1, 0
	for i := range bytes {
		r.value |= int(r.data[i]) << (8 * i)
	}
	r.data = r.data[bytes:]
	return nil
}

// A splitDecoder reads values of which the first bytes are written first, then the second ones.
type splitDecoder struct {
	node        *parquetNode
	data        []byte
	count, done int
	buffer      []byte
}

func (d *splitDecoder) next() (parquetCell, error) {
	if d.done == d.count {
		return parquetCell{}, errPageEnds
	}
	for i := range d.buffer {
		d.buffer[i] = d.data[i*d.count+d.done]
	}
	d.done++
	return d.node.cellOf(d.buffer), nil
}
