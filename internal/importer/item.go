// Package importer reads files that users upload: items, reference answers,
// decisions, judgments.
//
// Nothing is repaired. A file is accepted as a whole, each text byte for byte, or
// rejected with the list of its errors, each with its row and column.
package importer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// Limits of a file. They bound the memory and the time that one upload can cost.
const (
	FileLimit     = 50 << 20  // bytes of a file that is in memory
	StreamLimit   = 64 << 30  // bytes of a file that is read as it comes
	lineLimit     = 1 << 20   // bytes in one row of CSV
	cellLimit     = 200_000   // characters in one text
	idLimit       = 200       // characters in an id or a column name
	sourceLimit   = 2_000     // characters in the source of a chunk, often a URL
	columnLimit   = 10_000    // columns of CSV
	chunkLimit    = 500       // chunks in one record
	recordLimit   = 8 << 20   // bytes of one record in JSON or Parquet
	itemLimit     = 200_000   // items of a file that is in memory
	depthLimit    = 64        // levels of nested lists and objects
	valueLimit    = 50_000    // values in one record
	documentLimit = 100_000   // values in one document with several records
	contentLimit  = 200 << 20 // bytes of content, with a record counted for each of its items
	ErrorLimit    = 200       // errors that are listed; further errors are only counted
	maxErrors     = 10_000    // errors after which a file is not read further
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
	if err := b.readFile(context.Background(), r); err != nil {
		return nil, err
	}
	return b.items, nil
}

// ScanItems reads a file as ReadItems does and passes each item to yield as it is read,
// so that its memory does not grow with the texts of the file, which has at most StreamLimit
// bytes. Items before an error of the file are passed on too: they count only if ScanItems
// returns nil. An error of yield ends the reading and is returned as it is, and so does the end of
// ctx. A Parquet file of more than FileLimit needs a Source.
func (o Options) ScanItems(ctx context.Context, p protocol.Protocol, name string, r io.Reader,
	yield func(project.Item) error) error {
	b := newBuilder(p, name)
	b.options, b.limits, b.rowLimit = o, streamLimits, streamLimits.items
	if o.MaxItems > 0 {
		b.limits.items, b.rowLimit = o.MaxItems, o.MaxItems
	}
	b.source, _ = r.(Source)
	var yieldErr error
	b.yield = func(item project.Item) error {
		if yieldErr = yield(item); yieldErr != nil {
			return errAborted
		}
		return nil
	}
	if err := b.readFile(ctx, r); yieldErr == nil {
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
func (b *builder) readFile(ctx context.Context, r io.Reader) error {
	b.ctx = ctx
	if err := b.errs.addReadError(b.detectAndRead(r), b.limits.bytes); err != nil {
		return err
	}
	if b.yield != nil && b.options.Encoding == nil {
		b.errs.offerEncoding()
	}
	return b.errs.err()
}

func (b *builder) detectAndRead(r io.Reader) error {
	if problem := checkMappings(b.protocol, b.options); problem != "" {
		b.errs.add(0, "", "%s", problem)
		return nil
	}
	in, err := openInput(b.ctx, b.errs.file, r, b.limits.bytes)
	if err != nil {
		return err
	}
	if in.packed {
		b.source = nil
	}
	text, format, err := detectFormat(in, b.options.Encoding, b.errs)
	if err != nil || format == "" {
		return err
	}
	if b.options.Records != "" && (format == formatCSV || format == formatParquet) {
		b.errs.add(0, "", recordsText)
		return nil
	}
	before := b.errs.count()
	if err := fileReaders[format](text, b); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := b.addGroup(); err != nil {
		return err
	}
	if b.heldMessage != nil {
		b.addMessageHint(nil)
		return nil
	}
	if b.skipInvalid(0, value{}, nil); b.handleRow == nil && b.itemCount == 0 && b.errs.count() == before {
		b.errs.add(0, "", "%s", b.describeEmpty())
	}
	return nil
}

const recordsText = "A path of the records is for JSON. The rows of this file are its records: leave out the path."

// IsWrongOption reports whether a file can be read, but not with the options that were given.
func (es FileErrors) IsWrongOption() bool { return len(es) > 0 && es[0].Format == recordsText }

// detectFormat returns the format of a file, and its text as UTF-8. It reports a file that cannot be read as
// the format that its name gives; the format is then "".
func detectFormat(in input, e encoding.Encoding, errs *errorList) (text *bufio.Reader, format fileFormat, err error) {
	head, err := peekUpTo(in.Reader, headSize)
	if err != nil {
		return nil, "", err
	}
	text = in.Reader
	if !strings.HasPrefix(string(head), parquetSignature) {
		if text, errs.encoding, err = decodeText(in.Reader, e); err != nil {
			return nil, "", err
		}
		if head, err = peekUpTo(text, headSize); err != nil {
			return nil, "", err
		}
	}
	format = formatOf(in.name, head)
	if problem := checkFileType(head, format); problem != "" {
		errs.add(0, "", "%s", problem)
		return nil, "", nil
	}
	return text, format, nil
}

// headSize is how many bytes of a file tell its format.
const headSize = 4096

// describeEmpty returns why a file has no items.
func (b *builder) describeEmpty() string {
	if b.skipped > 0 {
		records := "its record was"
		if b.skipped > 1 {
			records = "all of its " + countNoun(b.skipped, "record") + " were"
		}
		return fmt.Sprintf("The file has no items: %s left out. Is the preset “%s” right?", records, b.options.Preset)
	}
	return "The file has no items. Add one per row."
}
