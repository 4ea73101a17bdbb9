package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// readJSON passes each record of a file to b: the elements of a list, a document, or the records
// that are in it at the path of the options. Rows are the numbers of the records. Several values in a
// row are read one after the other.
func readJSON(in *bufio.Reader, b *builder) error {
	r := &jsonRecords{jsonScanner: &jsonScanner{in: in, pos: position{1, 1}}, builder: b}
	err := r.readAll()
	var problem string
	switch {
	case err == nil || errors.Is(err, errAborted):
		return err
	case errors.Is(err, errNotJSON):
		problem = fmt.Sprintf("This is not valid JSON at line %d, column %d of the file. Check the quotes, commas and brackets there.", r.pos.line, r.pos.column)
	case errors.Is(err, errRecordTooLarge):
		problem = fmt.Sprintf("The value at line %d, column %d has more than %d MiB. Write one record per line%s.",
			r.start.line, r.start.column, recordLimit>>20, r.offerLists())
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		problem = fmt.Sprintf("The file ends before its JSON does, at line %d. Check that it is complete, and the quotes and brackets from line %d on.", r.pos.line, r.start.line)
	default:
		return err
	}
	b.errs.add(r.rowNo+1, "", "%s", problem)
	return errAborted // records after it are not read, even if those with errors are left out
}

// jsonRecords finds the records of a JSON file.
type jsonRecords struct {
	*jsonScanner
	*builder
	rowNo int
	start position // of the value that is read
}

func (r *jsonRecords) readAll() error {
	for {
		b, err := r.peek()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if r.start = r.pos; err == nil {
			switch {
			case b == '[':
				err = r.elements(func(string) error { return r.readRecord("") })
			case r.options.Records != "":
				err = r.readAt(r.options.Records)
			default:
				err = r.readDocument()
			}
		}
		if err != nil {
			return err
		}
	}
}

// readDocument reads a value that is a record or holds all of them.
func (r *jsonRecords) readDocument() error {
	err := r.readValue()
	if errors.Is(err, errRecordTooLarge) && r.options.Preset != "" {
		for _, path := range presetReaders[r.options.Preset].lists {
			if bytes.Contains(r.raw, []byte(`"`+path+`"`)) {
				r.restart(r.start)
				return r.readAt(path)
			}
		}
	}
	if err != nil {
		return err
	}
	document, ok := r.parse()
	switch {
	case !ok:
		return nil
	case r.options.Preset != "":
		return r.add(document.members)
	}
	if r.handleDocument != nil {
		r.handleDocument(document)
	}
	if rows := document.rows(); rows != nil {
		return r.addAll(rows)
	}
	if lists := document.recordLists(nil, ""); len(lists) > 0 && r.handleRecord == nil && !r.hasColumns(document) {
		r.errs.add(r.rowNo, "", "The file is one object with the records inside. Name the path of the records: %s.",
			describeLists(lists))
		return nil
	}
	return r.add(document.members)
}

// hasColumns reports whether v has a column of an item, or a path of the mapping.
func (r *jsonRecords) hasColumns(v value) bool {
	for _, m := range r.options.Map {
		if _, ok := v.find(m.Path); ok {
			return true
		}
	}
	for _, name := range r.knownNames {
		if _, ok := findMember(v.members, name); ok && name != "id" && name != "record_id" {
			return true
		}
	}
	return r.handleRow != nil
}

// readAt reads the records at a path: the elements of a list, or the values of an object, by their id.
func (r *jsonRecords) readAt(path string) error {
	isFound := false
	err := r.visit(strings.TrimSuffix(strings.TrimSuffix(path, "*"), "."), "", func() error {
		isFound = true
		return r.readList(path)
	}, func(general string) error { return r.visitLeaves(general, 1, r.leaveOutside) })
	if err == nil && !isFound {
		r.errs.add(0, "", "The file has no value at the path of the records, “%s”.", path)
	}
	return err
}

// leaveOutside counts a value of a document that is in no record. Keys of records are relative to them, its
// own are not.
func (b *builder) leaveOutside(general string) {
	ledger := b.options.ledger()
	ledger.add([]keyFate{{childKey("document", general), fateLeftOut}})
	ledger.leaveOut(omittedOutside, "", 1)
}

// readList reads the records in the next value, which is at path.
func (r *jsonRecords) readList(path string) error {
	b, err := r.peek()
	switch {
	case err != nil:
		return err
	case b == '[':
		return r.elements(func(string) error { return r.readRecord("") })
	case b == '{' && strings.HasSuffix(path, "*"):
		return r.elements(r.readRecord)
	case b == '{':
		if err := r.readValue(); err != nil {
			return err
		}
		document, ok := r.parse()
		if !ok {
			return errAborted
		}
		return r.addAll(document.rowsByID())
	}
	r.errs.add(0, "", "The value at the path of the records, “%s”, is neither a list nor an object.", path)
	return errAborted
}

// readRecord reads one record of a list, or the one with that id.
func (r *jsonRecords) readRecord(id string) error {
	r.start = r.pos
	if err := r.readValue(); err != nil {
		return err
	}
	if v, ok := r.parse(); ok {
		return r.add(withID(v, id).members)
	}
	return nil
}

// parse returns the object that was read. Its faults have their place in the file.
func (r *jsonRecords) parse() (value, bool) {
	r.rowNo++
	v, ok := parseObject(r.raw, r.rowNo, &r.start, r.maxValues(), r.errs)
	if !ok {
		r.skipUnreadable(r.rowNo, r.raw)
	}
	return v, ok
}

func (r *jsonRecords) add(members []member) error { return r.addRow(row{r.rowNo, members}) }

func (r *jsonRecords) addAll(rows []value) error {
	r.rowNo--
	for _, v := range rows {
		r.rowNo++
		if !v.is('{') {
			r.errs.add(r.rowNo, "", "This is %s. Each record must be a JSON object.", v.describe())
			r.skipUnreadable(r.rowNo, v.json())
		} else if err := r.add(v.members); err != nil {
			return err
		}
	}
	return nil
}

// offerLists names the lists in a document that is too large, or nothing.
func (r *jsonRecords) offerLists() string {
	if r.start != (position{1, 1}) || r.options.Records != "" {
		return ""
	}
	r.restart(r.start)
	var lists []RecordList
	_ = r.findLists("", 0, &lists) // a fault of the rest changes nothing
	if len(lists) == 0 {
		return ""
	}
	return ", or name the path of the records: " + describeLists(lists)
}

// maxValues returns how many values a record may have. A document of another program, or by columns, holds
// all its records.
func (b *builder) maxValues() int {
	if b.options.Preset != "" || b.options.Records != "" {
		return documentLimit
	}
	return valueLimit
}

// parseObject returns the object of up to maxValues values that a record holds. Without a place, the
// record is the line of that number.
func parseObject(record []byte, rowNo int, place *position, maxValues int, errs *errorList) (value, bool) {
	record = bytes.TrimRight(record, " \t\r\n")
	if len(record) == 0 {
		return value{}, false
	}
	r := newJSONReader(record, func(loc *location, format string, args ...any) {
		errs.add(rowNo, loc.String(), format, args...)
	})
	r.maxValues = maxValues
	v, err := r.readValue(nil, 1)
	switch {
	case errors.Is(err, errAborted):
		return v, false
	case err != nil:
		errs.add(rowNo, "", "%s", describeSyntaxError(record, r.faultOffset(err), place, isTruncated(err)))
		return v, false
	case !v.is('{') && place == nil:
		errs.add(rowNo, "", "This is %s. Each line must be a JSON object.", v.describe())
		return v, false
	case !v.is('{'):
		errs.add(rowNo, "", "This is %s, at line %d. Each record must be a JSON object.", v.describe(), place.line)
		return v, false
	case len(r.trailing()) > 0 && isInvalidUTF8(r.trailing()):
		errs.add(rowNo, "", "%s", describeSyntaxError(record, len(record)-len(r.trailing()), place, false))
		return v, false
	case len(r.trailing()) > 0:
		errs.add(rowNo, "", "%s", describeTrailing(r.trailing()))
		return v, false
	}
	return v, true
}

// faultOffset returns where in the record a syntax error is.
func (r *jsonReader) faultOffset(err error) int {
	syntaxErr, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return len(r.original)
	}
	offset := int(syntaxErr.ByteOffset)
	for _, at := range r.quotedAt {
		if int64(at) < syntaxErr.ByteOffset {
			offset -= 2
		}
	}
	return min(max(offset, 0), len(r.original))
}

// describeSyntaxError returns why a record is not valid JSON, and where: in the file, or on its line.
func describeSyntaxError(record []byte, offset int, place *position, isTruncated bool) string {
	if isTruncated && place == nil {
		return "The line ends before its object does. Write each object on one line."
	}
	rest := record[offset:]
	at := position{1, 1}.after(record[:offset])
	where := "at character " + formatCount(at.column)
	if place != nil {
		at = place.after(record[:offset])
		where = fmt.Sprintf("at line %d, column %d of the file", at.line, at.column)
	}
	_, afterComma, isComma := bytes.Cut(rest, []byte(","))
	afterComma = bytes.TrimLeft(afterComma, " \t\r\n")
	switch {
	case len(rest) > 0 && rest[0] < ' ':
		return fmt.Sprintf("There is the control character U+%04X in a text, %s. Write it as an escape%s.", rest[0],
			where, escapeOf(rest[0]))
	case bytes.HasPrefix(rest, []byte(byteOrderMark)):
		return fmt.Sprintf("There is an invisible byte order mark (U+FEFF) %s, as where files were joined. Remove it.",
			where)
	case len(rest) > 0 && isInvalidUTF8(rest):
		return fmt.Sprintf("The character %s is not UTF-8 (byte 0x%02X). Save the file as UTF-8.", where, rest[0])
	case isComma && rest[0] == ',' && len(afterComma) > 0 && (afterComma[0] == '}' || afterComma[0] == ']'):
		return fmt.Sprintf("This is not valid JSON %s: there is a comma before the closing bracket. Remove the comma.",
			where)
	case len(rest) > 0 && rest[0] == '\'':
		return fmt.Sprintf("This is not valid JSON %s: texts and keys are in double quotes. Write \" instead of '.",
			where)
	}
	return fmt.Sprintf("This is not valid JSON %s. Check the quotes, commas and brackets there.", where)
}

// isInvalidUTF8 reports whether text starts with a byte that is not UTF-8.
func isInvalidUTF8(text []byte) bool {
	r, size := utf8.DecodeRune(text)
	return r == utf8.RuneError && size == 1
}

func escapeOf(control byte) string {
	switch control {
	case '\n':
		return `, \n`
	case '\r':
		return `, \r`
	case '\t':
		return `, \t`
	}
	return ""
}
