package importer

import (
	"encoding/binary"
	"errors"
	"math"
)

// A deltaDecoder reads numbers of which their differences are written.
type deltaDecoder struct {
	data                 []byte
	blockSize, miniCount uint64
	left                 uint64 // numbers
	value                int64
	isFirst              bool

	minDelta int64
	widths   []byte // of the miniblocks that are left in the block
	miniLeft uint64 // numbers in the open miniblock
	width    int
	bit      int
}

func newDeltaDecoder(data []byte, count uint64) (*deltaDecoder, error) {
	d := &deltaDecoder{data: data, isFirst: true}
	d.blockSize, d.miniCount, d.left = d.uvarint(), d.uvarint(), d.uvarint()
	d.value = d.varint()
	if d.data == nil || d.miniCount == 0 || d.blockSize == 0 || d.blockSize > math.MaxInt32 ||
		d.blockSize%d.miniCount != 0 || d.left > count {
		return nil, errors.New("the head of its differences is not valid")
	}
	return d, nil
}

func (d *deltaDecoder) uvarint() uint64 {
	n, size := binary.Uvarint(d.data)
	if size <= 0 {
		d.data = nil
		return 0
	}
	d.data = d.data[size:]
	return n
}

func (d *deltaDecoder) varint() int64 {
	n := d.uvarint()
	return int64(n>>1) ^ -int64(n&1)
}

func (d *deltaDecoder) nextInt() (int64, error) {
	if d.left == 0 {
		return 0, errPageEnds
	}
	d.left--
	if d.isFirst {
		d.isFirst = false
		return d.value, nil
	}
	if d.miniLeft == 0 {
		if err := d.openMiniblock(); err != nil {
			return 0, err
		}
	}
	d.miniLeft--
	delta := uint64(0)
	for i := range d.width {
		at := d.bit + i
		if at/8 >= len(d.data) {
			return 0, errPageEnds
		}
		delta |= uint64(d.data[at/8]>>(at%8)&1) << i
	}
	d.bit += d.width
	d.value += d.minDelta + int64(delta)
	return d.value, nil
}

func (d *deltaDecoder) openMiniblock() error {
	d.closeMiniblock()
	if len(d.widths) == 0 {
		d.minDelta = d.varint()
		if uint64(len(d.data)) < d.miniCount {
			return errPageEnds
		}
		d.widths, d.data = d.data[:d.miniCount], d.data[d.miniCount:]
	}
	d.width, d.widths, d.bit = int(d.widths[0]), d.widths[1:], 0
	if d.miniLeft = d.blockSize / d.miniCount; d.width > 64 {
		return errors.New("a difference has more than 64 bits")
	}
	return nil
}

// closeMiniblock moves behind the miniblock, which is written in full except at the end.
func (d *deltaDecoder) closeMiniblock() {
	if d.width > 0 || d.bit > 0 {
		size := (d.blockSize/d.miniCount*uint64(d.width) + 7) / 8
		d.data = d.data[min(size, uint64(len(d.data))):]
	}
	d.width, d.bit = 0, 0
}

// skipAll returns what follows the numbers, without reading them from d.
func (d *deltaDecoder) skipAll() (rest []byte, err error) {
	all := *d
	for all.left > 0 {
		if _, err := all.nextInt(); err != nil {
			return nil, err
		}
	}
	all.closeMiniblock()
	return all.data, nil
}

type deltaLengthDecoder struct {
	lengths *deltaDecoder
	data    []byte
}

func newDeltaLengthDecoder(page []byte, count uint64) (*deltaLengthDecoder, error) {
	lengths, err := newDeltaDecoder(page, count)
	if err != nil {
		return nil, err
	}
	data, err := lengths.skipAll()
	return &deltaLengthDecoder{lengths, data}, err
}

func (d *deltaLengthDecoder) next() (parquetCell, error) {
	n, err := d.lengths.nextInt()
	if err == nil && (n < 0 || n > int64(len(d.data))) {
		err = errPageEnds
	}
	if err != nil {
		return parquetCell{}, err
	}
	cell := parquetCell{bytes: d.data[:n]}
	d.data = d.data[n:]
	return cell, nil
}

func (d *deltaDecoder) next() (parquetCell, error) {
	n, err := d.nextInt()
	return parquetCell{bits: uint64(n)}, err
}

// A deltaBytesDecoder reads values that start as the one before. The last one is in its own memory.
type deltaBytesDecoder struct {
	prefixes *deltaDecoder
	suffixes *deltaLengthDecoder
	last     []byte
}

func (d *deltaBytesDecoder) next() (parquetCell, error) {
	n, err := d.prefixes.nextInt()
	if err == nil && (n < 0 || n > int64(len(d.last))) {
		err = errors.New("a value starts as one that does not exist")
	}
	if err != nil {
		return parquetCell{}, err
	}
	suffix, err := d.suffixes.next()
	if err != nil || int(n)+len(suffix.bytes) > recordLimit {
		return parquetCell{}, errors.Join(err, errRecordTooLarge)
	}
	d.last = append(d.last[:n], suffix.bytes...)
	return parquetCell{bytes: d.last}, nil
}
