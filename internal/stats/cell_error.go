package stats

import (
	"fmt"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
)

// A CellError is one thing wrong with a file, at the row and column a spreadsheet
// shows, both counted from 1, the header included.
type CellError struct {
	File        string
	Row, Column int
	Message     string
}

// String is "file:row:column: sentence".
func (f CellError) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Row, f.Column, f.Message)
}

// CellErrors are what is wrong with a file, in the order of its rows. It is an error
// of the kind fault.Invalid.
type CellErrors struct {
	Errors  []CellError // the first maxCellErrors
	Omitted int         // how many were found besides
}

// maxCellErrors bounds what is kept of a file that is wrong throughout.
const maxCellErrors = 200

// Error is one line for each fault.
func (f CellErrors) Error() string {
	lines := make([]string, 0, len(f.Errors)+1)
	for _, cellError := range f.Errors {
		lines = append(lines, cellError.String())
	}
	if f.Omitted > 0 {
		lines = append(lines, fmt.Sprintf("%s: and %d more", f.Errors[0].File, f.Omitted))
	}
	return strings.Join(lines, "\n")
}

// Unwrap says that the file is at fault, not we.
func (f CellErrors) Unwrap() error { return fault.Invalid }

func (f *CellErrors) add(cellError CellError) {
	if len(f.Errors) == maxCellErrors {
		f.Omitted++
		return
	}
	f.Errors = append(f.Errors, cellError)
}

// truncate cuts what a sentence quotes from a file.
func truncate(text string) string {
	const limit = 40
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return string(runes[:limit]) + "…"
}
