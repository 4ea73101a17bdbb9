package sheet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/labelwright/labelwright/internal/fault"
)

// A Fault is one reason why a file cannot be taken, at its place, with a
// sentence that says what to do.
type Fault struct {
	File   string `json:"file"`
	Row    int    `json:"row"`    // the line where the row starts, from 1; 0: the whole file
	Column string `json:"column"` // a column's name, or a place such as chunks[3].text; empty: the whole row
	Says   string `json:"says"`
}

// String returns "file:row:column: sentence", without what is not known.
func (f Fault) String() string {
	place := f.File
	if f.Row > 0 {
		place += ":" + strconv.Itoa(f.Row)
	}
	if f.Column != "" {
		place += ":" + f.Column
	}
	return place + ": " + f.Says
}

// Faults holds every fault of a file in the order they were met: the first
// FaultLimit of them, then one that says how many more there are.
type Faults []Fault

// Error returns one line for each fault.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// Unwrap tells that it is the file that has to change.
func (fs Faults) Unwrap() error { return fault.Invalid }

// A ledger gathers the faults of one file.
type ledger struct {
	file string
	list Faults
	more int
}

func (l *ledger) add(row int, column, format string, args ...any) {
	if len(l.list) >= FaultLimit {
		l.more++
		return
	}
	l.list = append(l.list, Fault{l.file, row, shown(column), fmt.Sprintf(format, args...)})
}

// first tells before all others why reading ended, however many there are.
func (l *ledger) first(row int, says string) {
	l.list = slices.Insert(l.list, 0, Fault{File: l.file, Row: row, Says: says})
}

func (l *ledger) count() int { return len(l.list) + l.more }

// err returns the faults, or nil where there are none.
func (l *ledger) err() error {
	switch {
	case l.more > 0:
		return append(l.list, Fault{File: l.file, Says: fmt.Sprintf("%s more faults are not listed.", thousands(l.more))})
	case len(l.list) > 0:
		return l.list
	}
	return nil
}

// shown returns a name from a file as a message can hold it: on one line, and
// not too long.
func shown(name string) string {
	const longest = 80
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return name
}

// thousands returns n as people read it: "1,033".
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
