package stats

import (
	"fmt"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
)

// A Fault is one thing wrong with a file, at the row and column a spreadsheet
// shows, both counted from 1, the header included.
type Fault struct {
	File        string
	Row, Column int
	Says        string
}

// String is "file:row:column: sentence".
func (f Fault) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Row, f.Column, f.Says)
}

// Faults are what is wrong with a file, in the order of its rows. It is an error
// of the kind fault.Invalid.
type Faults struct {
	List []Fault // the first maxFaults
	More int     // how many were found besides
}

// maxFaults bounds what is kept of a file that is wrong throughout.
const maxFaults = 200

// Error is one line for each fault.
func (f Faults) Error() string {
	lines := make([]string, 0, len(f.List)+1)
	for _, one := range f.List {
		lines = append(lines, one.String())
	}
	if f.More > 0 {
		lines = append(lines, fmt.Sprintf("%s: and %d more", f.List[0].File, f.More))
	}
	return strings.Join(lines, "\n")
}

// Unwrap says that the file is at fault, not we.
func (f Faults) Unwrap() error { return fault.Invalid }

func (f *Faults) add(one Fault) {
	if len(f.List) == maxFaults {
		f.More++
		return
	}
	f.List = append(f.List, one)
}

// short cuts what a sentence quotes from a file.
func short(text string) string {
	const limit = 40
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return string(runes[:limit]) + "…"
}
