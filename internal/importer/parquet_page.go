package importer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// What the pages of a Parquet file can cost.
const (
	maxPageHeader = 1 << 20
	maxPage       = 24 << 20 // bytes of a page, packed or unpacked
	maxOpenPages  = 32 << 20 // bytes of the pages that are in memory, one of each column and its dictionary
)

// A parquetColumn reads the values of a column in a row group. It keeps one page and its dictionary in memory.
type parquetColumn struct {
	node   *parquetNode
	rows   *parquetRows
	codec  int64
	offset int64 // of the next page
	end    int64
	left   int64 // values in pages that are not open

	pageLeft   int // values of the open page
	rep, def   hybridReader
	values     valueDecoder
	dictionary *dictionary
	page       []byte // memory of the open page

	isPeeked         bool
	nextRep, nextDef int
}

type pageHeader struct {
	kind             int64
	unpacked, packed int64
	count            int64
	encoding         int64
	defBytes         int64 // of version 2
	repBytes         int64
	levelEncodings   int64 // of version 1; not 0 if one is not RLE
	isPlain          bool  // version 2, whose values are not packed
}

const (
	pageData       = 0
	pageDictionary = 2
	pageData2      = 3
)

func (c *parquetColumn) fault(problem string) error {
	return fmt.Errorf("%s, in the column “%s”", problem, c.node.name)
}

// peek returns the levels of the next value. After the last one the repetition level is 0, as at a new row.
func (c *parquetColumn) peek() (rep, def int, err error) {
	if c.isPeeked {
		return c.nextRep, c.nextDef, nil
	}
	for c.pageLeft == 0 {
		if c.left <= 0 {
			return 0, 0, nil
		}
		if err := c.openPage(); err != nil {
			return 0, 0, err
		}
	}
	if c.nextRep, err = c.rep.next(); err != nil {
		return 0, 0, c.fault(err.Error())
	}
	if c.nextDef, err = c.def.next(); err != nil {
		return 0, 0, c.fault(err.Error())
	}
	if c.nextRep > c.node.maxRep || c.nextDef > c.node.maxDef {
		return 0, 0, c.fault("a level is too large")
	}
	c.isPeeked = true
	return c.nextRep, c.nextDef, nil
}

// take returns the next value. isNull reports that there is none at the deepest level.
func (c *parquetColumn) take() (cell parquetCell, isNull bool, err error) {
	_, def, err := c.peek()
	if err != nil {
		return cell, false, err
	}
	if !c.isPeeked {
		return cell, false, c.fault("the file has fewer values than rows")
	}
	c.isPeeked = false
	c.pageLeft--
	if isNull = def < c.node.maxDef; !isNull {
		if cell, err = c.values.next(); err != nil {
			return cell, false, c.fault(err.Error())
		}
	}
	return cell, isNull, c.rows.charge(len(cell.bytes) + 16)
}

// openPage reads the next page. A dictionary is kept for the pages after it.
func (c *parquetColumn) openPage() error {
	h, err := c.readHeader()
	if err != nil {
		return err
	}
	if h.kind != pageData && h.kind != pageData2 && h.kind != pageDictionary {
		c.offset += h.packed
		return nil
	}
	if h.count < 0 || h.kind != pageDictionary && h.count > c.left {
		return c.fault("a page claims more values than the file has")
	}
	if h.kind == pageDictionary && c.dictionary != nil {
		return c.fault("there are two dictionaries")
	}
	if isPlain := h.kind != pageDictionary && h.encoding != encodingPlainDictionary &&
		h.encoding != encodingDictionary; isPlain && c.dictionary != nil {
		c.rows.held -= 4*cap(c.dictionary.ends) + cap(c.page)
		c.page, c.dictionary = c.dictionary.data, nil // pages do not return to the dictionary
	}
	if grown := int(h.unpacked) - cap(c.page); grown > 0 {
		if err := c.rows.hold(grown); err != nil {
			return err
		}
		c.page = make([]byte, h.unpacked)
	}
	c.page = c.page[:h.unpacked]
	if err := c.unpack(h); err != nil {
		return err
	}
	if h.kind == pageDictionary {
		if c.dictionary, err = newDictionary(c.node, c.page, int(h.count)); err == nil {
			err = c.rows.hold(4 * cap(c.dictionary.ends))
		}
		c.page = nil // it is the dictionary's
	} else {
		err = c.openValues(h, c.page)
	}
	if err != nil {
		return c.fault(err.Error())
	}
	return nil
}

// readHeader reads the header at c.offset, and moves to the page after it.
func (c *parquetColumn) readHeader() (h pageHeader, err error) {
	for size := int64(512); ; size *= 8 {
		buffer := make([]byte, min(size, c.end-c.offset))
		if len(buffer) == 0 {
			return h, c.fault("the file has fewer pages than its index says")
		}
		if err := c.rows.readAt(buffer, c.offset); err != nil {
			return h, err
		}
		t := &thriftReader{data: buffer}
		h = readPageHeader(t)
		isShort := errors.Is(t.err, errHeaderEnds)
		if isShort && size < maxPageHeader && int64(len(buffer)) < c.end-c.offset {
			continue
		}
		if t.err != nil {
			return h, c.fault(t.err.Error())
		}
		c.offset += int64(t.pos)
		switch {
		case h.packed < 0 || h.packed > c.end-c.offset:
			return h, c.fault("a page claims more bytes than the file has")
		case h.unpacked < 0 || h.unpacked > maxPage || h.packed > maxPage:
			return h, c.fault(fmt.Sprintf(
				"a page has more than %d MiB; write the file with smaller row groups, such as row_group_size=1000",
				maxPage>>20))
		}
		return h, nil
	}
}

func readPageHeader(t *thriftReader) (h pageHeader) {
	numbers := map[int]*int64{1: &h.kind, 2: &h.unpacked, 3: &h.packed}
	inner := map[int]map[int]*int64{
		5: {1: &h.count, 2: &h.encoding, 3: &h.levelEncodings, 4: nil},
		7: {1: &h.count, 2: &h.encoding},
		8: {1: &h.count, 4: &h.encoding, 5: &h.defBytes, 6: &h.repBytes},
	}
	t.fields(func(id int, kind byte) bool {
		if kind == thriftStruct && inner[id] != nil {
			t.fields(func(field int, kind byte) bool {
				if id == 8 && field == 7 {
					h.isPlain = kind == thriftFalse
				}
				if target := inner[id][field]; target != nil && kind >= 4 && kind <= 6 {
					*target = t.int()
					return true
				}
				return false
			})
			return true
		}
		if target := numbers[id]; target != nil && kind >= 4 && kind <= 6 {
			*target = t.int()
			return true
		}
		return false
	})
	return h
}

// unpack reads a page into c.page, unpacked. The levels of version 2 are never packed.
func (c *parquetColumn) unpack(h pageHeader) error {
	if err := c.rows.charge(int(h.unpacked)); err != nil {
		return err
	}
	offset := c.offset
	c.offset += h.packed
	codec, page := c.codec, c.page
	if h.isPlain {
		codec = 0
	}
	if codec == 0 {
		if h.packed != h.unpacked {
			return c.fault(errWrongSize.Error())
		}
		return c.rows.readAt(page, offset)
	}
	packed := c.rows.buffer(int(h.packed))
	if err := c.rows.readAt(packed, offset); err != nil {
		return err
	}
	levels := int64(0)
	if h.kind == pageData2 {
		if levels = h.defBytes + h.repBytes; h.defBytes < 0 || h.repBytes < 0 || levels > h.packed ||
			levels > h.unpacked {
			return c.fault("the levels of a page are larger than the page")
		}
		copy(page, packed[:levels])
	}
	if err := c.rows.unpackers.unpack(codec, page[levels:], packed[levels:]); err != nil {
		return c.fault("a page cannot be unpacked: " + err.Error())
	}
	return nil
}

// unpackers unpack pages into memory of a given size.
type unpackers struct{ zstd *zstd.Decoder }

func (u *unpackers) close() {
	if u.zstd != nil {
		u.zstd.Close()
	}
}

var errWrongSize = errors.New("it has another size than it claims")

func (u *unpackers) unpack(codec int64, page, packed []byte) (err error) {
	switch {
	case len(page) == 0:
		return nil
	case codec == 1:
		if n, err := snappy.DecodedLen(packed); err != nil || n != len(page) {
			return errors.Join(errWrongSize, err)
		}
		_, err = snappy.Decode(page, packed)
		return err
	case codec == 2:
		r, err := gzip.NewReader(bytes.NewReader(packed))
		return readWhole(r, err, page)
	case codec == 4:
		return readWhole(brotli.NewReader(bytes.NewReader(packed)), nil, page)
	case codec == 6:
		if u.zstd == nil {
			if u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxMemory(maxPage)); err != nil {
				return err
			}
		}
		var unpacked []byte
		if unpacked, err = u.zstd.DecodeAll(packed, page[:0]); err == nil && len(unpacked) != len(page) {
			err = errWrongSize
		}
		return err
	case codec == 7:
		n, err := lz4.UncompressBlock(packed, page)
		if err == nil && n != len(page) {
			err = errWrongSize
		}
		return err
	}
	return errors.New("its compression is not supported; write it with snappy, zstd or gzip")
}

// readWhole fills a page from r, which must then end.
func readWhole(r io.Reader, err error, page []byte) error {
	if err != nil {
		return err
	}
	if _, err := io.ReadFull(r, page); err != nil {
		return errors.Join(errWrongSize, err)
	}
	if n, _ := r.Read(make([]byte, 1)); n > 0 {
		return errWrongSize
	}
	return nil
}

// openValues opens the levels and values of a data page.
func (c *parquetColumn) openValues(h pageHeader, page []byte) (err error) {
	levels := func(maxLevel int, size int64) (r hybridReader, err error) {
		r.width = bits.Len(uint(maxLevel))
		if r.width == 0 {
			return r, nil
		}
		if h.kind == pageData {
			if len(page) < 4 {
				return r, errPageEnds
			}
			size, page = int64(readUint32(page)), page[4:]
		}
		if size < 0 || size > int64(len(page)) {
			return r, errPageEnds
		}
		r.data, page = page[:size], page[size:]
		return r, nil
	}
	if h.kind == pageData && h.levelEncodings != encodingRLE && c.node.maxDef > 0 {
		return errors.New("its levels have an encoding that is no longer in use")
	}
	if c.rep, err = levels(c.node.maxRep, h.repBytes); err != nil {
		return err
	}
	if c.def, err = levels(c.node.maxDef, h.defBytes); err != nil {
		return err
	}
	c.pageLeft, c.left = int(h.count), c.left-h.count
	if h.encoding == encodingDeltaLength || h.encoding == encodingDeltaBytes { // whose lengths are read twice
		if err := c.rows.charge(16 * int(h.count)); err != nil {
			return err
		}
	}
	c.values, err = newValueDecoder(c.node, h.encoding, page, c.dictionary, uint64(h.count))
	return err
}
