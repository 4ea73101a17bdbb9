package importer

import (
	"bufio"
	"bytes"
	"strings"

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

// decodeText returns in as UTF-8 without a byte order mark. Without an encoding it is UTF-8 or
// UTF-16, as its start shows. What the encoding cannot have becomes a byte that is no UTF-8, so
// that checkText reports it.
func decodeText(in *bufio.Reader, e encoding.Encoding) (*bufio.Reader, error) {
	head, err := peekUpTo(in, 4)
	if err != nil {
		return nil, err
	}
	mark := 0
	switch {
	case bytes.HasPrefix(head, []byte(byteOrderMark)):
		mark, e = len(byteOrderMark), nil
	case len(head) == 4 && (string(head) == "\xff\xfe\x00\x00" || string(head) == "\x00\x00\xfe\xff"): // UTF-32
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		mark, e = 2, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		mark, e = 2, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case e != nil || len(head) < 4:
	case head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0:
		e = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0:
		e = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	if _, err := in.Discard(mark); err != nil || e == nil {
		return in, err
	}
	decoder := transform.Chain(e.NewDecoder(), undecodable{})
	return bufio.NewReaderSize(transform.NewReader(in, decoder), lineLimit), nil
}

// undecodable replaces U+FFFD, which decoders write for what they cannot read, by a byte that is no
// UTF-8.
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
			dst[nDst] = 0xff
			nSrc += len(replacement)
		} else {
			dst[nDst] = rest[0]
			nSrc++
		}
		nDst++
	}
	return nDst, nSrc, nil
}
