package importer

import (
	"bufio"
	"bytes"
	"errors"
	"io"
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
	if b.options.Preset != "" || b.options.Records != "" { // a line may have many records
		return readJSON(in, b)
	}
	var long []byte // the start of a line that is longer than the buffer of in
	for lineNo := 1; ; lineNo++ {
		line, err := in.ReadSlice('\n')
		for long = long[:0]; errors.Is(err, bufio.ErrBufferFull) && len(long) < recordLimit; {
			long = append(long, line...)
			line, err = in.ReadSlice('\n')
		}
		if len(long) > 0 && !errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, line...)
			line = long
		}
		if errors.Is(err, bufio.ErrBufferFull) || len(line) > recordLimit {
			b.errs.add(lineNo, "", "This line is longer than %d MiB. Write one object per line.", recordLimit>>20)
			b.skipUnreadable(lineNo, nil)
			if line = nil; errors.Is(err, bufio.ErrBufferFull) {
				err = skipLine(in)
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		v, ok := parseLine(line, lineNo, b.errs)
		switch {
		case ok:
			if err := b.addRow(row{lineNo, v.members}); err != nil {
				return err
			}
		case len(bytes.TrimSpace(line)) > 0:
			b.skipUnreadable(lineNo, bytes.TrimRight(line, "\r\n"))
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

func parseLine(line []byte, lineNo int, errs *errorList) (value, bool) {
	return parseObject(line, lineNo, nil, valueLimit, errs)
}

func describeTrailing(rest []byte) string {
	if rest[0] == '{' {
		return "There are two objects on this line. Write one object per line."
	}
	return "There is text after the object on this line. Remove it."
}
