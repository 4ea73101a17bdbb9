package sheet

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A row is one record of a file, whatever its format.
type row struct {
	line    int // where it starts, from 1
	members []member
}

func (r row) get(key string) (value, bool) { return find(r.members, key) }

// find returns the first value of key.
func find(members []member, key string) (value, bool) {
	for _, m := range members {
		if m.key == key {
			return m.value, true
		}
	}
	return value{}, false
}

// readLines gives b each line of JSONL that is one whole object. Empty lines
// hold nothing and are passed over.
func readLines(in *bufio.Reader, b *builder) error {
	for number := 1; ; number++ {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			b.faults.add(number, "", "This line is longer than %s bytes. Is each object on a line of its own?", thousands(LineLimit))
			err = skipLine(in)
			line = nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if members, ok := parseLine(line, number, b.faults); ok {
			if err := b.take(row{number, members}); err != nil {
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

// parseLine returns the members of the one object on a line.
func parseLine(line []byte, number int, faults *ledger) ([]member, bool) {
	line = bytes.TrimRight(line, " \t\r\n")
	if len(line) == 0 {
		return nil, false
	}
	w := newWalker(line, func(at *place, format string, args ...any) {
		faults.add(number, at.String(), format, args...)
	})
	v, err := w.value(nil, 1)
	switch {
	case errors.Is(err, errLost):
		return nil, false
	case err != nil:
		faults.add(number, "", "%s", syntax(line, err))
		return nil, false
	case !v.is('{'):
		faults.add(number, "", "This is %s. Each line must hold one JSON object.", v.noun())
		return nil, false
	case len(w.rest()) > 0:
		faults.add(number, "", "%s", surplus(w.rest()))
		return nil, false
	case len(v.members) > ColumnLimit:
		faults.add(number, "", "This object has %s keys; %d is the most.", thousands(len(v.members)), ColumnLimit)
		return nil, false
	}
	return v.members, true
}

func surplus(rest []byte) string {
	if rest[0] == '{' {
		return "Two objects stand on this line. Give each a line of its own."
	}
	return "Something follows the object on this line. Take it out."
}

// syntax returns what is wrong with a line that is not JSON, and where.
func syntax(line []byte, err error) string {
	at, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok || cut(err) {
		return "The line ends in the middle of its object. Write each object whole, on one line."
	}
	rest := line[min(int(at.ByteOffset), len(line)):]
	character := thousands(utf8.RuneCount(line[:len(line)-len(rest)]) + 1)
	for _, name := range []string{"NaN", "Infinity"} {
		if bytes.HasPrefix(rest, []byte(name)) {
			return "JSON has no " + name + ". Write null, or leave the key out."
		}
	}
	if len(rest) > 0 && rest[0] < ' ' {
		return fmt.Sprintf("Character %s is the control character U+%04X. JSON takes it only as an escape.", character, rest[0])
	}
	return fmt.Sprintf("This is not JSON at character %s. Look at the quotes, commas and brackets there.", character)
}
