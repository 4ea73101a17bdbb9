package importer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
)

// A FileError is one error in an uploaded file: its location and how to fix it.
type FileError struct {
	File string `json:"file"`
	// the line where the row starts, or the number of the record in JSON and Parquet, from 1; 0: the whole file
	Row     int    `json:"row"`
	Column  string `json:"column"` // a column name or a path such as chunks[3].text; empty: the whole row
	Message string `json:"message"`

	// Format and Args are those of Message, for a translation.
	Format string `json:"-"`
	Args   []any  `json:"-"`
}

// String returns "file:row:column: message", without the parts that are empty.
func (e FileError) String() string {
	prefix := e.File
	if prefix == stdinName {
		prefix = "standard input"
	}
	if e.Row > 0 {
		prefix += ":" + strconv.Itoa(e.Row)
	}
	if e.Column != "" {
		prefix += ":" + e.Column
	}
	return prefix + ": " + e.Message
}

// stdinName is the name of standard input in a command.
const stdinName = "-"

// FileErrors lists the errors of a file in file order. After ErrorLimit errors a last
// one states how many more there are.
type FileErrors []FileError

// Error returns one line for each error.
func (es FileErrors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.String()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns fault.Invalid: the file must change.
func (es FileErrors) Unwrap() error { return fault.Invalid }

// An errorList collects the errors of one file.
type errorList struct {
	file     string
	encoding string // that the file was decoded from; empty: it is read as it is
	errs     FileErrors
	omitted  int
}

func (l *errorList) add(row int, column, format string, args ...any) {
	if len(l.errs) >= ErrorLimit {
		l.omitted++
		return
	}
	e := FileError{File: l.file, Row: row, Column: plaintext.Shorten(column), Message: fmt.Sprintf(format, args...)}
	e.Format, e.Args = resolveMessage(format, args)
	l.nameEncoding(&e)
	l.errs = append(l.errs, e)
}

// addFirst adds the error that ended the reading before all others, even past ErrorLimit.
func (l *errorList) addFirst(row int, m message) {
	l.errs = slices.Insert(l.errs, 0, FileError{File: l.file, Row: row, Message: m.String(), Format: m.format,
		Args: m.args})
}

// offerEncoding adds to the first error of bytes that are no UTF-8 that their encoding can be named.
func (l *errorList) offerEncoding() {
	for i, e := range l.errs {
		if l.encoding == "" && strings.Contains(e.Message, " is not UTF-8 (byte ") {
			l.errs[i].Message += " Or name its encoding, such as windows-1252."
			return
		}
	}
}

// nameEncoding names, in an error of a text that is not UTF-8, the encoding that the file was decoded from.
func (l *errorList) nameEncoding(e *FileError) {
	place, _, isNotUTF8 := strings.Cut(e.Message, " is not UTF-8 (byte 0xFF)")
	if !isNotUTF8 || l.encoding == "" {
		return
	}
	place = strings.TrimPrefix(strings.TrimPrefix(place, "The character "), "Character ")
	place = strings.TrimPrefix(place, "at character ")
	e.Format = "Character %s is not valid %s, the encoding that the file was read with. Save the file as UTF-8, or name the encoding that it has."
	e.Args = []any{place, strings.ToUpper(l.encoding)}
	e.Message = fmt.Sprintf(e.Format, e.Args...)
}

func (l *errorList) count() int { return len(l.errs) + l.omitted }

// err returns the collected FileErrors, or nil.
func (l *errorList) err() error {
	switch {
	case l.omitted > 0:
		format := "%s more errors are not listed."
		if l.omitted == 1 {
			format = "%s more error is not listed."
		}
		m := messagef(format, formatCount(l.omitted))
		return append(l.errs, FileError{File: l.file, Message: m.String(), Format: m.format, Args: m.args})
	case len(l.errs) > 0:
		return l.errs
	}
	return nil
}

// countNoun returns n things: "1 cell", "1,033 cells".
func countNoun(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return formatCount(n) + " " + noun
}

// formatCount returns n with thousands separators: "1,033".
func formatCount(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
