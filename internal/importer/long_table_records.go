package importer

import (
	"bufio"
	"context"
	"io"
	"slices"

	"github.com/labelwright/labelwright/internal/protocol"
)

// readRows reads the rows of a file in JSON or Parquet. The keys of the first are the columns.
func (l *longReader) readRows(text *bufio.Reader, format fileFormat, source io.Reader) error {
	b := newBuilder(protocol.Protocol{}, l.errs.file)
	b.ctx, b.errs, b.knownNames = context.Background(), &l.errs, nil
	b.limits, b.rowLimit = streamLimits, streamLimits.items
	b.source, _ = source.(Source)
	hasHeader := false
	b.handleRow = func() {
		if !hasHeader {
			hasHeader = true
			if !l.readHeader(memberKeys(b.row.members)) {
				l.isHeaderInvalid = true
			}
		}
		if !l.isHeaderInvalid {
			l.readMembers(b.row)
		}
	}
	if err := fileReaders[format](text, b); err != nil {
		return err
	}
	if !hasHeader && l.errs.count() == 0 {
		l.errs.add(1, "", "The file is empty. "+headerHint)
	}
	return nil
}

// readMembers reads a row as if it were of a table. What is null, or not there, is missing.
func (l *longReader) readMembers(r row) {
	record := make([]string, len(l.header))
	for i, name := range l.header {
		v, ok := r.get(name)
		switch {
		case !l.isKnownColumn[i]:
		case v.is('[') || v.is('{'):
			l.addError(r.line, i, "This is %s. Write text or a number here.", v.describe())
			return
		case (!ok || v.is('n')) && i == l.value && l.current < 0:
			record[i] = "null"
		case v.is('t') || v.is('f'):
			record[i] = string(v.json())
		default:
			record[i] = v.text
		}
	}
	l.readRow(r.line, record)
}

// isRecordFormat reports whether a file is read row by row, not as a table of text.
func isRecordFormat(format fileFormat) bool {
	return slices.Contains([]fileFormat{formatJSON, formatJSONL, formatParquet}, format)
}
