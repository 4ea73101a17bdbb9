// Package importer reads files that users upload: items, reference answers,
// decisions, judgments.
//
// Nothing is repaired. A file is accepted as a whole, each text byte for byte, or
// rejected with the list of its errors, each with its row and column.
package importer

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// The limits of a file of items. They bound the memory and the time that one
// file can cost; a file beyond one of them is refused with a sentence.
const (
	FileLimit    = 50 << 20  // bytes
	LineLimit    = 1 << 20   // bytes in one row of CSV or line of JSONL
	CellLimit    = 200_000   // characters in one text
	IDLimit      = 200       // characters in an id or the name of a column
	SourceLimit  = 2_000     // characters in the source of a passage, often an address
	ColumnLimit  = 200       // columns of CSV, keys of one line of JSONL
	ChunkLimit   = 500       // chunks in one record
	ItemLimit    = 200_000   // items
	DepthLimit   = 64        // lists and objects within each other
	ValueLimit   = 50_000    // values in one line of JSONL
	ContentLimit = 200 << 20 // bytes of content after records have fanned out
	ErrorLimit   = 200       // faults that are listed; more are counted
)

// ReadItems reads the items of a file, which is CSV with a header or JSONL as
// the end of its name says (.csv, .jsonl or .ndjson). It returns all of them in
// the order of the file, or Faults, or an error of r.
//
// Columns (keys, in JSONL) are the parts of p's unit by their keys; "id", or
// the unit's own name for it; "record_id"; and for a passage "chunk_id",
// "doc_id" and "chunk_rank". All others are kept as metadata: cells of CSV as
// texts, JSON as it was written. Supporting parts may be absent. Names are told
// apart by capitals. A byte order mark at the start is not content.
//
// An item without an id is given one made of its content, so that the same file
// read again has the same ids; the n-th of equal items ends in "-n".
func ReadItems(p protocol.Protocol, name string, r io.Reader) ([]project.Item, error) {
	return readItems(p, name, r, nil)
}

// readItems reads a file of items, and after each row calls also, if given,
// with how many items there were before it.
func readItems(p protocol.Protocol, name string, r io.Reader, afterRow func(b *builder, before int)) ([]project.Item, error) {
	b := newBuilder(p, &errorList{file: name})
	b.afterRow = afterRow
	if err := b.readFile(r); err != nil {
		return nil, err
	}
	return b.items, nil
}

// readFile gives b the rows of a file, and returns what is wrong with it.
func (b *builder) readFile(r io.Reader) error {
	name := b.errs.file
	err := detectAndRead(name, bufio.NewReaderSize(&limitedReader{r, FileLimit}, LineLimit), b)
	switch {
	case errors.Is(err, errFileTooLarge):
		b.errs.addFirst(0, fmt.Sprintf("The file is larger than %d MiB. Split it.", FileLimit>>20))
	case err != nil && !errors.Is(err, errAborted):
		return fmt.Errorf("read %s: %w", name, err)
	}
	return b.errs.err()
}

func detectAndRead(name string, in *bufio.Reader, b *builder) error {
	head, err := in.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errFileTooLarge) {
		return err
	}
	format := formatFromName(name)
	if problem := checkFileType(head, format); problem != "" {
		b.errs.add(0, "", "%s", problem)
		return nil
	}
	if strings.HasPrefix(string(head), byteOrderMark) {
		if _, err := in.Discard(len(byteOrderMark)); err != nil {
			return err
		}
	}
	read := readCSV
	if format == formatJSONL {
		read = readJSONL
	}
	before := b.errs.count()
	if err := read(in, b); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if b.handleRow == nil && len(b.items) == 0 && b.errs.count() == before {
		b.errs.add(0, "", "The file holds no items. Add them, one a row.")
	}
	return nil
}

// errFileTooLarge says that a file is larger than FileLimit.
var errFileTooLarge = errors.New("the file is too large")

// A limitedReader reader ends with errFileTooLarge where r has more than left bytes.
type limitedReader struct {
	reader    io.Reader
	remaining int
}

func (l *limitedReader) Read(buf []byte) (int, error) {
	if len(buf) > l.remaining+1 {
		buf = buf[:l.remaining+1]
	}
	n, err := l.reader.Read(buf)
	if n > l.remaining {
		return l.remaining, errFileTooLarge
	}
	l.remaining -= n
	return n, err
}
