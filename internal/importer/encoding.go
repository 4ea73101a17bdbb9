package importer

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
)

const byteOrderMark = "\ufeff"

// parseEncoding returns the encoding of that name, as browsers and the IANA know it. UTF-8 is nil:
// it is what a file has unless it says otherwise.
func parseEncoding(name string) (encoding.Encoding, error) {
	if name == "" {
		return nil, nil
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		e, err = ianaindex.IANA.Encoding(name)
	}
	if err != nil || e == nil || e == encoding.Replacement {
		return nil, fault.Invalid.Errorf(
			"“%s” is not the name of an encoding. Use a name such as utf-8, utf-16, windows-1252, macintosh, shift_jis or gb18030.", plaintext.Shorten(name))
	}
	if e == unicode.UTF8 {
		return nil, nil
	}
	return e, nil
}

// encodingName returns the name under which parseEncoding finds e, "" for nil.
func encodingName(e encoding.Encoding) string {
	if e == nil {
		return ""
	}
	name, err := htmlindex.Name(e)
	if err != nil {
		name, _ = ianaindex.IANA.Name(e) // parseEncoding found it there
	}
	return name
}

// decodeText returns in as UTF-8 without a byte order mark, and the name of the encoding that it had. Without an
// encoding it is UTF-8 or UTF-16, as its start shows. What the encoding cannot have becomes the byte 0xFF, which no
// UTF-8 has, so that checkText reports it.
func decodeText(in *bufio.Reader, e encoding.Encoding) (text *bufio.Reader, name string, err error) {
	head, err := peekUpTo(in, 4)
	if err != nil {
		return nil, "", err
	}
	mark := 0
	name = encodingName(e)
	switch {
	case bytes.HasPrefix(head, []byte(byteOrderMark)):
		mark, name = len(byteOrderMark), ""
	case len(head) == 4 && (string(head) == "\xff\xfe\x00\x00" || string(head) == "\x00\x00\xfe\xff"): // UTF-32
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		mark, name = 2, utf16LittleEndian
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		mark, name = 2, utf16BigEndian
	case e != nil || len(head) < 4:
	case head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0:
		name = utf16LittleEndian
	case head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0:
		name = utf16BigEndian
	}
	var decoder transform.Transformer
	switch name {
	case "":
		_, err := in.Discard(mark)
		return in, "", err
	case utf16LittleEndian:
		decoder = utf16Decoder{order: binary.LittleEndian}
	case utf16BigEndian:
		decoder = utf16Decoder{order: binary.BigEndian}
	default:
		decoder = transform.Chain(e.NewDecoder(), undecodable{})
	}
	_, err = in.Discard(mark)
	return bufio.NewReaderSize(transform.NewReader(in, decoder), lineLimit), name, err
}

// The names of UTF-16, by the order of its bytes.
const (
	utf16LittleEndian = "utf-16le"
	utf16BigEndian    = "utf-16be"
)

// notDecoded stands for what an encoding cannot have.
const notDecoded = 0xff

// utf16Decoder decodes UTF-16. Unlike the one of x/text it tells U+FFFD in the file from halves of characters.
type utf16Decoder struct {
	transform.NopResetter
	order binary.ByteOrder
}

// Transform decodes as much of src as fits into dst.
func (d utf16Decoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		rest := src[nSrc:]
		r, size := d.decodeRune(rest)
		switch {
		case size > len(rest) && !atEOF:
			return nDst, nSrc, transform.ErrShortSrc
		case nDst+utf8.UTFMax > len(dst):
			return nDst, nSrc, transform.ErrShortDst
		case r < 0:
			dst[nDst] = notDecoded
			nDst++
		default:
			nDst += utf8.EncodeRune(dst[nDst:], r)
		}
		nSrc += min(size, len(rest))
	}
	return nDst, nSrc, nil
}

// decodeRune returns the first character of text, -1 for none, and its size, which is above that of text where
// text ends inside of it.
func (d utf16Decoder) decodeRune(text []byte) (r rune, size int) {
	if len(text) < 2 {
		return -1, 2
	}
	first := rune(d.order.Uint16(text))
	switch {
	case !utf16.IsSurrogate(first):
		return first, 2
	case first >= 0xdc00: // the second half of a pair
		return -1, 2
	case len(text) < 4:
		return -1, 4
	}
	if r := utf16.DecodeRune(first, rune(d.order.Uint16(text[2:]))); r != utf8.RuneError {
		return r, 4
	}
	return -1, 2
}

// undecodable replaces U+FFFD, which decoders write for what they cannot read, by notDecoded.
type undecodable struct{ transform.NopResetter }

// Transform replaces as much of src as fits into dst.
func (undecodable) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	const replacement = "\ufffd"
	for nSrc < len(src) {
		rest := src[nSrc:]
		if !atEOF && len(rest) < len(replacement) && strings.HasPrefix(replacement, string(rest)) {
			return nDst, nSrc, transform.ErrShortSrc
		}
		if nDst == len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		if bytes.HasPrefix(rest, []byte(replacement)) {
			dst[nDst] = notDecoded
			nSrc += len(replacement)
		} else {
			dst[nDst] = rest[0]
			nSrc++
		}
		nDst++
	}
	return nDst, nSrc, nil
}
