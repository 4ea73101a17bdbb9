package importer

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// delimiterHead is how many bytes of a file are searched for its header.
const delimiterHead = 64 << 10

// A csvText is a CSV file as UTF-8 without a byte order mark.
type csvText struct {
	in        *bufio.Reader
	delimiter byte // separates cells
	dropped   int  // lines before the header, such as "sep=;"
}

// decodeCSV returns the text of a CSV file. It reads what Excel, LibreOffice and Numbers save: UTF-8 and UTF-16, with and without
// a mark; commas, semicolons or tabs, whichever is most frequent in the first row outside
// quotes; lines that end with LF, CRLF or CR; and a first line such as "sep=;", which it drops.
// UTF-16 that is no text becomes bytes that are no UTF-8, so that checkText reports it.
func decodeCSV(in *bufio.Reader) (csvText, error) {
	in, err := decodeText(in)
	if err != nil {
		return csvText{}, err
	}
	head, err := peekUpTo(in, delimiterHead)
	if err != nil {
		return csvText{}, err
	}
	if bytes.IndexByte(head, '\r') >= 0 && bytes.IndexByte(head, '\n') < 0 {
		in = bufio.NewReaderSize(&carriageReturns{in: in}, lineLimit)
		if head, err = peekUpTo(in, delimiterHead); err != nil {
			return csvText{}, err
		}
	}
	if line, declared := declaredDelimiter(head); declared != 0 {
		_, err = in.Discard(line)
		return csvText{in, declared, 1}, err
	}
	return csvText{in: in, delimiter: findDelimiter(head)}, nil
}

// peekUpTo returns up to n bytes without reading them. The end of the file is no error.
func peekUpTo(in *bufio.Reader, n int) ([]byte, error) {
	head, err := in.Peek(n)
	if errors.Is(err, io.EOF) || errors.Is(err, bufio.ErrBufferFull) || errors.Is(err, errFileTooLarge) {
		err = nil
	}
	return head, err
}

// decodeText returns in as UTF-8 without a byte order mark.
func decodeText(in *bufio.Reader) (*bufio.Reader, error) {
	head, err := peekUpTo(in, 4)
	if err != nil {
		return nil, err
	}
	mark := 0
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(head, []byte(byteOrderMark)):
		mark = len(byteOrderMark)
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		mark, order = 2, binary.LittleEndian
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		mark, order = 2, binary.BigEndian
	case len(head) == 4 && head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0:
		order = binary.LittleEndian
	case len(head) == 4 && head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0:
		order = binary.BigEndian
	}
	if _, err := in.Discard(mark); err != nil || order == nil {
		return in, err
	}
	return bufio.NewReaderSize(&utf16Reader{in, order}, lineLimit), nil
}

// A utf16Reader reads UTF-16 as UTF-8.
type utf16Reader struct {
	in    *bufio.Reader
	order binary.ByteOrder
}

// Read reads as many whole characters as fit into buf.
func (r *utf16Reader) Read(buf []byte) (n int, err error) {
	for n+utf8.UTFMax <= len(buf) {
		char, err := r.readRune()
		if err != nil {
			return n, err
		}
		if char == noRune {
			buf[n] = '\xff'
			n++
			continue
		}
		n += utf8.EncodeRune(buf[n:], char)
	}
	return n, nil
}

// noRune replaces code units that are no character.
const noRune rune = -1

// readRune reads a character, or noRune.
func (r *utf16Reader) readRune() (rune, error) {
	var unit [2]byte
	switch _, err := io.ReadFull(r.in, unit[:]); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return noRune, nil
	case err != nil:
		return 0, err
	}
	first := rune(r.order.Uint16(unit[:]))
	if !utf16.IsSurrogate(first) {
		return first, nil
	}
	next, err := peekUpTo(r.in, 2)
	if err != nil || len(next) < 2 {
		return noRune, err
	}
	char := utf16.DecodeRune(first, rune(r.order.Uint16(next)))
	if char == utf8.RuneError {
		return noRune, nil
	}
	_, err = r.in.Discard(2)
	return char, err
}

// carriageReturns reads CSV whose rows end with CR, as if they ended with LF.
type carriageReturns struct {
	in       io.Reader
	isQuoted bool // inside of quotes, where texts stay as they are
}

func (c *carriageReturns) Read(buf []byte) (n int, err error) {
	n, err = c.in.Read(buf)
	for i, b := range buf[:n] {
		switch {
		case b == '"':
			c.isQuoted = !c.isQuoted
		case b == '\r' && !c.isQuoted:
			buf[i] = '\n'
		}
	}
	return n, err
}

// declaredDelimiter returns the delimiter that a first line such as "sep=;" declares, and the
// bytes of that line; 0 without one.
func declaredDelimiter(head []byte) (line int, delimiter byte) {
	first, _, found := bytes.Cut(head, []byte("\n"))
	text := strings.Trim(strings.TrimSuffix(string(first), "\r"), `"`)
	if rest, ok := strings.CutPrefix(strings.ToLower(text), "sep="); found && ok && len(rest) == 1 {
		return len(first) + 1, rest[0]
	}
	return 0, 0
}

// findDelimiter returns the delimiter that is most frequent in the first row, a comma if none is.
func findDelimiter(head []byte) byte {
	counts, quoted := map[byte]int{}, false
	for _, b := range bytes.TrimLeft(head, "\r\n") {
		if b == '"' {
			quoted = !quoted
		}
		if b == '\n' && !quoted {
			break
		}
		if !quoted {
			counts[b]++
		}
	}
	delimiter := byte(',')
	for _, candidate := range []byte{';', '\t'} {
		if counts[candidate] > counts[delimiter] {
			delimiter = candidate
		}
	}
	return delimiter
}
