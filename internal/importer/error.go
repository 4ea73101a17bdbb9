package importer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/labelwright/labelwright/internal/fault"
)

// A FileError is one reason why a file cannot be taken, at its place, with a
// sentence that says what to do.
type FileError struct {
	File    string `json:"file"`
	Row     int    `json:"row"`    // the line where the row starts, from 1; 0: the whole file
	Column  string `json:"column"` // a column's name, or a place such as chunks[3].text; empty: the whole row
	Message string `json:"message"`
}

// String returns "file:row:column: sentence", without what is not known.
func (e FileError) String() string {
	prefix := e.File
	if e.Row > 0 {
		prefix += ":" + strconv.Itoa(e.Row)
	}
	if e.Column != "" {
		prefix += ":" + e.Column
	}
	return prefix + ": " + e.Message
}

// FileErrors holds every fault of a file in the order they were met: the first
// ErrorLimit of them, then one that says how many more there are.
type FileErrors []FileError

// Error returns one line for each fault.
func (es FileErrors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.String()
	}
	return strings.Join(lines, "\n")
}

// Unwrap tells that it is the file that has to change.
func (es FileErrors) Unwrap() error { return fault.Invalid }

// A errorList gathers the faults of one file.
type errorList struct {
	file    string
	errs    FileErrors
	omitted int
}

func (l *errorList) add(row int, column, format string, args ...any) {
	if len(l.errs) >= ErrorLimit {
		l.omitted++
		return
	}
	l.errs = append(l.errs, FileError{l.file, row, sanitizeName(column), fmt.Sprintf(format, args...)})
}

// addFirst tells before all others why reading ended, however many there are.
func (l *errorList) addFirst(row int, message string) {
	l.errs = slices.Insert(l.errs, 0, FileError{File: l.file, Row: row, Message: message})
}

func (l *errorList) count() int { return len(l.errs) + l.omitted }

// err returns the faults, or nil where there are none.
func (l *errorList) err() error {
	switch {
	case l.omitted > 0:
		return append(l.errs, FileError{File: l.file, Message: fmt.Sprintf("%s more faults are not listed.", formatCount(l.omitted))})
	case len(l.errs) > 0:
		return l.errs
	}
	return nil
}

// sanitizeName returns a name from a file as a message can hold it: on one line, and
// not too long.
func sanitizeName(name string) string {
	const maxRunes = 80
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > maxRunes {
		return string(runes[:maxRunes]) + "…"
	}
	return name
}

// formatCount returns n as people read it: "1,033".
func formatCount(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
