package importer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// How far a file may unpack: gzip, and the pages of Parquet with the values that they repeat. A small file may
// do so further, up to freeGzip or freeParquet bytes.
const (
	maxUnpacking = 200 // times its size
	freeGzip     = 8 << 20
	freeParquet  = 64 << 20
)

var (
	errFileTooLarge    = errors.New("the file is too large")
	errArchiveEnds     = errors.New("the archive ends too early")
	errUnpacksTooLarge = fmt.Errorf("it unpacks to more than %d times its size", maxUnpacking)
)

// A limitedReader reads a file until ctx ends. It fails with errFileTooLarge if reader has more than the
// remaining bytes.
type limitedReader struct {
	ctx       context.Context
	reader    io.Reader
	remaining int
	done      int
}

// Read reads from the file.
func (l *limitedReader) Read(buf []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	if len(buf) > l.remaining+1 {
		buf = buf[:l.remaining+1]
	}
	n, err := l.reader.Read(buf)
	if n > l.remaining {
		return l.remaining, errFileTooLarge
	}
	l.remaining -= n
	l.done += n
	return n, err
}

// checkUnpacked returns errUnpacksTooLarge if a file of that size, or that part of it, unpacks too far.
func checkUnpacked(packed, unpacked, free int) error {
	if unpacked > free && unpacked/maxUnpacking > packed {
		return errUnpacksTooLarge
	}
	return nil
}

// An unpackingReader reads a packed file, with a limit by its size.
type unpackingReader struct {
	reader io.Reader
	packed *limitedReader
	ahead  *bufio.Reader // of packed
	done   int
}

// Read reads the unpacked file.
func (u *unpackingReader) Read(buf []byte) (int, error) {
	n, err := u.reader.Read(buf)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errArchiveEnds
	}
	if u.done += n; err == nil {
		err = checkUnpacked(u.packed.done-u.ahead.Buffered(), u.done, freeGzip)
	}
	return n, err
}

// An input is the start of a file, unpacked.
type input struct {
	*bufio.Reader
	name   string // without the extension of the archive
	packed bool
}

// openInput unpacks a file if it is a gzip archive. A fault of the archive is an unpackError.
func openInput(ctx context.Context, name string, r io.Reader, limit int) (input, error) {
	file := &limitedReader{ctx: ctx, reader: r, remaining: limit}
	in := input{bufio.NewReaderSize(file, lineLimit), name, false}
	head, err := peekUpTo(in.Reader, len(gzipSignature))
	if err != nil || string(head) != gzipSignature {
		return in, err
	}
	archive, err := gzip.NewReader(in.Reader)
	if err != nil {
		return in, unpackError{err}
	}
	unpacked := &limitedReader{ctx: ctx, reader: &unpackingReader{reader: archive, packed: file, ahead: in.Reader},
		remaining: limit}
	in = input{bufio.NewReaderSize(unpacked, lineLimit), strings.TrimSuffix(name, path.Ext(name)), true}
	if _, err := peekUpTo(in.Reader, 1); err != nil {
		return in, unpackError{err}
	}
	return in, nil
}

// An unpackError is a fault of a gzip archive.
type unpackError struct{ error }

// Unwrap returns the fault.
func (e unpackError) Unwrap() error { return e.error }

// addReadError reports an error of reading a file as an error of the file, or returns it.
func (l *errorList) addReadError(err error, limit int) error {
	unpackErr, isUnpackError := errors.AsType[unpackError](err)
	switch {
	case err == nil || errors.Is(err, errAborted) || errors.Is(err, io.EOF):
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, errFileTooLarge):
		l.addFirst(0, messagef("The file is larger than %d MiB. Split it.", limit>>20))
	case errors.Is(err, errUnpacksTooLarge):
		l.addFirst(0, messagef("The file unpacks to more than %d times its size. Import it unpacked, or as CSV or JSONL.", maxUnpacking))
	case isUnpackError:
		l.add(0, "", "This gzip archive cannot be unpacked: %s. Pack it again.", unpackErr.error)
	case errors.Is(err, errArchiveEnds):
		l.addFirst(0, messagef("This gzip archive ends too early: it is not complete. Copy or pack it again."))
	case errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader):
		l.addFirst(0, messagef("This gzip archive is damaged: %s. Pack it again.", err))
	default:
		return fmt.Errorf("read %s: %w", l.file, err)
	}
	return nil
}
