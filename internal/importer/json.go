package importer

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// readJSON passes each object of a list, or the only object of a file, to b. Rows are the
// numbers of the objects. Several values in a row are read one after the other.
func readJSON(in *bufio.Reader, b *builder) error {
	// Invalid UTF-8 and duplicate keys are reported by parseLine, with their location.
	limited := &recordReader{reader: in}
	decoder := jsontext.NewDecoder(limited, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	depth, rowNo := 0, 0
	for {
		limited.remaining = recordLimit
		switch decoder.PeekKind() {
		case '[', ']':
			token, err := decoder.ReadToken()
			if err != nil {
				return b.jsonProblem(decoder, rowNo, err)
			}
			if depth++; token.Kind() == ']' {
				depth -= 2
			}
			if depth <= 1 {
				continue
			}
			b.errs.add(rowNo+1, "", "This is a list. Each element must be an object.")
			return nil
		}
		raw, err := decoder.ReadValue()
		if errors.Is(err, io.EOF) && depth == 0 {
			return nil
		}
		if err != nil {
			return b.jsonProblem(decoder, rowNo, err)
		}
		rowNo++
		if members, ok := parseObject(raw, rowNo, b.maxValues(), b.errs); ok {
			if err := b.addRow(row{rowNo, members}); err != nil {
				return err
			}
		}
	}
}

// A recordReader fails with errRecordTooLarge if one value has more than the remaining bytes.
type recordReader struct {
	reader    io.Reader
	remaining int
}

var errRecordTooLarge = errors.New("the record is too large")

// Read reads from the file.
func (r *recordReader) Read(buffer []byte) (int, error) {
	if r.remaining <= 0 {
		return 0, errRecordTooLarge
	}
	n, err := r.reader.Read(buffer)
	r.remaining -= n
	return n, err
}

// maxValues returns how many values an object may have. A document of another program may
// hold all its records.
func (b *builder) maxValues() int {
	if b.options.Preset != "" {
		return documentLimit
	}
	return valueLimit
}

// jsonProblem reports where a file is not valid JSON, or returns an error of the reader.
func (b *builder) jsonProblem(decoder *jsontext.Decoder, rowNo int, err error) error {
	if errors.Is(err, errRecordTooLarge) {
		b.errs.add(rowNo+1, "", "This value has more than %d MiB. Write one record per line.", recordLimit>>20)
		return nil
	}
	if _, ok := errors.AsType[*jsontext.SyntacticError](err); !ok && !errors.Is(err, io.EOF) {
		return err
	}
	problem := "The file ends before its JSON does."
	if !isTruncated(err) {
		problem = fmt.Sprintf("This is not valid JSON at byte %s of the file. Check the quotes, commas and brackets there.", formatCount(int(decoder.InputOffset())))
	}
	b.errs.add(rowNo+1, "", "%s", problem)
	return nil
}
