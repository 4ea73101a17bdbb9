package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A row is one row of CSV or one line of JSONL.
type row struct {
	line    int // where it starts, from 1
	members []member
}

func (r row) get(key string) (value, bool) { return findMember(r.members, key) }

// findMember returns the first value with this key.
func findMember(members []member, key string) (value, bool) {
	for _, m := range members {
		if m.key == key {
			return m.value, true
		}
	}
	return value{}, false
}

// readJSONL passes each line of a JSONL file that is a valid object to b. Empty lines
// are ignored.
func readJSONL(in *bufio.Reader, b *builder) error {
	if b.options.Preset != "" { // a line of a trace may have many spans
		return readJSON(in, b)
	}
	for lineNo := 1; ; lineNo++ {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			b.errs.add(lineNo, "", "This line is longer than %s bytes. Write one object per line.", formatCount(lineLimit))
			err = skipLine(in)
			line = nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if members, ok := parseLine(line, lineNo, b.errs); ok {
			if err := b.addRow(row{lineNo, members}); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}

func skipLine(in *bufio.Reader) error {
	for {
		if _, err := in.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// parseLine returns the members of the object on a line.
func parseLine(line []byte, lineNo int, errs *errorList) ([]member, bool) {
	return parseObject(line, lineNo, valueLimit, errs)
}

// parseObject does the same for an object of up to maxValues values.
func parseObject(line []byte, lineNo, maxValues int, errs *errorList) ([]member, bool) {
	line = bytes.TrimRight(line, " \t\r\n")
	if len(line) == 0 {
		return nil, false
	}
	r := newJSONReader(line, func(loc *location, format string, args ...any) {
		errs.add(lineNo, loc.String(), format, args...)
	})
	r.maxValues = maxValues
	v, err := r.readValue(nil, 1)
	switch {
	case errors.Is(err, errAborted):
		return nil, false
	case err != nil:
		errs.add(lineNo, "", "%s", describeSyntaxError(line, err))
		return nil, false
	case !v.is('{'):
		errs.add(lineNo, "", "This is %s. Each line must be a JSON object.", v.describe())
		return nil, false
	case len(r.trailing()) > 0:
		errs.add(lineNo, "", "%s", describeTrailing(r.trailing()))
		return nil, false
	case len(v.members) > columnLimit:
		errs.add(lineNo, "", "This object has %s keys. The limit is %d.", formatCount(len(v.members)), columnLimit)
		return nil, false
	}
	return v.members, true
}

func describeTrailing(rest []byte) string {
	if rest[0] == '{' {
		return "There are two objects on this line. Write one object per line."
	}
	return "There is text after the object on this line. Remove it."
}

// describeSyntaxError returns why a line is not valid JSON, and where.
func describeSyntaxError(line []byte, err error) string {
	syntaxErr, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok || isTruncated(err) {
		return "The line ends before its object does. Write each object on one line."
	}
	rest := line[min(int(syntaxErr.ByteOffset), len(line)):]
	character := formatCount(utf8.RuneCount(line[:len(line)-len(rest)]) + 1)
	for _, name := range []string{"NaN", "Infinity"} {
		if bytes.HasPrefix(rest, []byte(name)) {
			return "JSON has no " + name + ". Write null or leave the key out."
		}
	}
	if len(rest) > 0 && rest[0] < ' ' {
		return fmt.Sprintf("Character %s is the control character U+%04X. Write it as an escape.", character, rest[0])
	}
	return fmt.Sprintf("This is not valid JSON at character %s. Check the quotes, commas and brackets there.", character)
}
