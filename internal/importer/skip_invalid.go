package importer

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"
)

// An InvalidRow is a row that was left out of an import, with its errors.
type InvalidRow struct {
	Row    int
	Errors FileErrors
	record value  // none, if it could not be read
	raw    []byte // as the file has it, if it could not be read
}

// JSON returns a line with the record and two keys more: _row and _errors. Such lines can be
// corrected and imported. What could not be read is under _raw, or under _raw_base64 if it is no UTF-8.
func (r InvalidRow) JSON() []byte {
	lines := make([]string, len(r.Errors))
	for i, e := range r.Errors {
		e.File, e.Row = "", 0
		lines[i] = strings.TrimLeft(e.String(), ": ")
	}
	members := slices.Clone(r.record.members)
	switch {
	case utf8.Valid(r.raw) && len(r.raw) > 0:
		members = append(members, textMember("_raw", string(r.raw)))
	case len(r.raw) > 0:
		members = append(members, textMember("_raw_base64", base64.StdEncoding.EncodeToString(r.raw)))
	}
	members = append(members, member{"_row", numberValue(r.Row)}, textMember("_errors", strings.Join(lines, "\n")))
	return append(objectValue(members...).json(), '\n')
}

// skipsInvalid reports whether rows with errors are left out.
func (b *builder) skipsInvalid() bool { return b.options.SkipInvalid }

// isValid reports whether nothing is wrong with the current row. Before is the number of errors when
// it was begun; errors of its texts came before.
func (b *builder) isValid(before int) bool {
	if b.skipsInvalid() {
		before = 0 // errors of other rows are in the file of those left out
	}
	return b.errs.count() == before
}

// skipUnreadable leaves out a row that could not be read, with its text in the file.
func (b *builder) skipUnreadable(line int, raw []byte) {
	if b.skipsInvalid() {
		b.options.ledger().Records++
		b.skipInvalid(line, value{}, raw)
	}
}

// skipInvalid passes on the rows that have errors so far, and returns whether the current one has.
// Errors of the whole file stay.
func (b *builder) skipInvalid(line int, record value, raw []byte) (isInvalid bool) {
	if !b.skipsInvalid() || b.errs.count() == 0 {
		return false
	}
	var fatal FileErrors
	rows := map[int]FileErrors{}
	var order []int
	for _, e := range b.errs.errs {
		if e.Row == 0 {
			fatal = append(fatal, e)
			continue
		}
		if rows[e.Row] == nil {
			order = append(order, e.Row)
		}
		rows[e.Row] = append(rows[e.Row], e)
	}
	for _, no := range order {
		row := InvalidRow{Row: no, Errors: rows[no]}
		if no == line {
			row.record, row.raw, isInvalid = record, raw, true
		}
		if b.options.OnInvalid != nil {
			b.options.OnInvalid(row)
		}
		b.options.ledger().Invalid++
	}
	b.errs.errs, b.errs.omitted = fatal, 0
	return isInvalid
}
