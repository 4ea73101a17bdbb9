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
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// Limits of a file. They bound the memory and the time that one upload can cost.
const (
	FileLimit     = 50 << 20  // bytes of a file that is in memory
	StreamLimit   = 64 << 30  // bytes of a file that is read as it comes
	lineLimit     = 1 << 20   // bytes in one row of CSV or line of JSONL
	cellLimit     = 200_000   // characters in one text
	idLimit       = 200       // characters in an id or a column name
	sourceLimit   = 2_000     // characters in the source of a chunk, often a URL
	columnLimit   = 200       // columns of CSV, or keys in one line of JSONL
	chunkLimit    = 500       // chunks in one record
	recordLimit   = 64 << 20  // bytes of one value in JSON
	itemLimit     = 200_000   // items of a file that is in memory
	depthLimit    = 64        // levels of nested lists and objects
	valueLimit    = 50_000    // values in one line of JSONL
	documentLimit = 5_000_000 // values in one document of another program
	contentLimit  = 200 << 20 // bytes of content, with a record counted for each of its items
	ErrorLimit    = 200       // errors that are listed; further errors are only counted
)

// fileLimits bound what one file can cost.
type fileLimits struct{ bytes, items, content int }

var (
	heldLimits   = fileLimits{FileLimit, itemLimit, contentLimit}
	streamLimits = fileLimits{StreamLimit, 50_000_000, 4 * StreamLimit}
)

// ReadItems reads the items of a file, in file order: CSV with a header, JSONL, a list or an
// object in JSON, or Parquet, each also with gzip. The file name's extension determines the
// format; the name "-" leaves it to the content. The error is FileErrors or an error of r.
//
// Columns (in JSONL, keys) are the part keys of p's unit; "id" or the unit's own name
// for it; "record_id"; and for a chunk "chunk_id", "doc_id" and "chunk_rank". All other
// columns become metadata: CSV cells as text, JSON values verbatim. Supporting parts
// may be absent.
//
// An item without an id gets one derived from its content, so that reading the file
// again yields the same ids. The n-th of several equal items ends in "-n".
func ReadItems(p protocol.Protocol, name string, r io.Reader) ([]project.Item, error) {
	return Options{}.ReadItems(p, name, r)
}

// ReadItems reads the items of a file as the function of that name does, by the options.
func (o Options) ReadItems(p protocol.Protocol, name string, r io.Reader) ([]project.Item, error) {
	b := newBuilder(p, name)
	b.options = o
	if err := b.readFile(r); err != nil {
		return nil, err
	}
	return b.items, nil
}

// ScanItems reads a file as ReadItems does and passes each item to yield as it is read,
// so that its memory does not grow with the texts of the file, which has at most StreamLimit
// bytes. Items before an error of the file are passed on too: they count only if ScanItems
// returns nil. An error of yield ends the reading and is returned as it is. A Parquet file of
// more than FileLimit needs a Source.
func (o Options) ScanItems(p protocol.Protocol, name string, r io.Reader, yield func(project.Item) error) error {
	b := newBuilder(p, name)
	b.options, b.limits, b.rowLimit = o, streamLimits, streamLimits.items
	b.source, _ = r.(Source)
	var yieldErr error
	b.yield = func(item project.Item) error {
		if yieldErr = yield(item); yieldErr != nil {
			return errAborted
		}
		return nil
	}
	if err := b.readFile(r); yieldErr == nil {
		return err
	}
	return yieldErr
}

// A Source is a file that can be read at any place.
type Source interface {
	io.Reader
	io.ReaderAt
	Size() int64
}

// readFile passes the rows of a file to b and returns the file's errors.
func (b *builder) readFile(r io.Reader) error {
	name := b.errs.file
	err := detectAndRead(name, bufio.NewReaderSize(&limitedReader{r, b.limits.bytes}, lineLimit), b)
	switch {
	case errors.Is(err, errFileTooLarge):
		b.errs.addFirst(0, messagef("The file is larger than %d MiB. Split it.", b.limits.bytes>>20))
	case err != nil && !errors.Is(err, errAborted):
		return fmt.Errorf("read %s: %w", name, err)
	}
	return b.errs.err()
}

func detectAndRead(name string, in *bufio.Reader, b *builder) error {
	if problem := checkMappings(b.protocol, b.options.Map); problem != "" {
		b.errs.add(0, "", "%s", problem)
		return nil
	}
	head, err := peek(in)
	if err != nil {
		return err
	}
	if strings.HasPrefix(string(head), gzipSignature) {
		b.source = nil
		if in, head, err = unzip(in, b.limits.bytes); err != nil {
			b.errs.add(0, "", "This gzip archive cannot be unpacked: %s. Pack it again.", err)
			return nil
		}
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	if formatOf(name, head) == formatCSV { // which spreadsheet programs save as UTF-16, too
		if in, err = decodeText(in); err != nil {
			return err
		}
		if head, err = peek(in); err != nil {
			return err
		}
	}
	format := formatOf(name, head)
	if problem := checkFileType(head, format); problem != "" {
		b.errs.add(0, "", "%s", problem)
		return nil
	}
	if strings.HasPrefix(string(head), byteOrderMark) {
		if _, err := in.Discard(len(byteOrderMark)); err != nil {
			return err
		}
	}
	before := b.errs.count()
	if err := fileReaders[format](in, b); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if b.handleRow == nil && b.itemCount == 0 && b.errs.count() == before {
		b.errs.add(0, "", "%s", b.describeEmpty())
	}
	return nil
}

// describeEmpty returns why a file has no items.
func (b *builder) describeEmpty() string {
	if b.skipped > 0 {
		return fmt.Sprintf("The file has no items: all of its %s records were left out. Is the preset “%s” right?", formatCount(b.skipped), b.options.Preset)
	}
	return "The file has no items. Add one per row."
}

// peek returns the start of a file.
func peek(in *bufio.Reader) ([]byte, error) {
	head, err := in.Peek(4096)
	if errors.Is(err, io.EOF) || errors.Is(err, errFileTooLarge) {
		err = nil
	}
	return head, err
}

// unzip returns the content of a gzip archive, and its start.
func unzip(in *bufio.Reader, limit int) (content *bufio.Reader, head []byte, err error) {
	archive, err := gzip.NewReader(in)
	if err != nil {
		return nil, nil, err
	}
	content = bufio.NewReaderSize(&limitedReader{archive, limit}, lineLimit)
	head, err = peek(content)
	return content, head, err
}

// errFileTooLarge reports a file larger than its limit.
var errFileTooLarge = errors.New("the file is too large")

// A limitedReader fails with errFileTooLarge if reader has more than the remaining bytes.
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
