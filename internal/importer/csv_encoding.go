package importer

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// delimiterHead is how many bytes of a file are searched for its header.
const delimiterHead = 64 << 10

// A csvText is a CSV file as UTF-8 without a byte order mark.
type csvText struct {
	in        *bufio.Reader
	delimiter byte // separates cells
	dropped   int  // lines before the header, such as "sep=;"
}

// decodeCSV returns the text of a CSV file. It reads what Excel, LibreOffice and Numbers save: commas,
// semicolons, tabs or pipes, whichever is most frequent in the first row outside quotes; lines that end
// with LF, CRLF or CR; and a first line such as "sep=;", which it drops.
func decodeCSV(in *bufio.Reader) (csvText, error) {
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
	if errors.Is(err, io.EOF) || errors.Is(err, bufio.ErrBufferFull) || errors.Is(err, errFileTooLarge) ||
		errors.Is(err, errUnpacksTooLarge) {
		err = nil
	}
	return head, err
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
	for _, candidate := range []byte{';', '\t', '|'} {
		if counts[candidate] > counts[delimiter] {
			delimiter = candidate
		}
	}
	return delimiter
}
