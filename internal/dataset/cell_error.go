package dataset

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/plaintext"
)

// A CellError is a cell of an export that cannot be read: its place, and what to do.
type CellError struct {
	File    string
	Row     int // line of a CSV file where the row starts, number of the record in other files
	Column  string
	Message string
}

func (e *CellError) Error() string {
	return fmt.Sprintf("%s, row %d, column %s: %s", e.File, e.Row, e.Column, e.Message)
}

// Errorf returns a CellError about a cell. The message ends with what to do instead.
func (r Row) Errorf(column, format string, args ...any) error {
	return &CellError{r.file.Name, r.No(), column, fmt.Sprintf(format, args...)}
}

// Quote returns text for a message: in quotes, on one line and shortened.
func Quote(text string) string {
	return "“" + plaintext.Shorten(text) + "”"
}

// checkCells returns an error for the first cell that is not of the type of its column.
func (r Row) checkCells() error {
	for i, text := range r.cells {
		if text == "" {
			continue
		}
		if problem := r.file.checkText(r.file.Columns[i], text); problem != "" {
			return r.Errorf(r.file.Columns[i].Name, "%s %s Correct the cell, or export again.", Quote(text), problem)
		}
	}
	return nil
}

// checkText returns what is wrong with the text of a cell; empty if it is valid.
func (f ManifestFile) checkText(c Column, text string) string {
	if !utf8.ValidString(text) {
		return "is not UTF-8."
	}
	switch c.Type {
	case typeInteger:
		n, err := strconv.ParseInt(text, 10, 64)
		switch {
		case err != nil:
			return "is not a whole number such as 12."
		case f.isBit(c.Name) && n != 0 && n != 1:
			return "is neither 1 (yes) nor 0 (no)."
		}
	case typeNumber:
		if !isNumber(text) && (f.Format != Parquet || !strings.HasSuffix(text, "Inf")) { // beyond the range of Parquet
			return "is not a number such as 12 or 0.5."
		}
	case typeBoolean:
		if text != "true" && text != "false" {
			return "is neither true nor false."
		}
	case typeDate:
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return "is not a day such as 2026-11-22."
		}
	case typeTimestamp:
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			return "is not a time such as 2026-11-22T08:04:00Z."
		}
	case typeJSON, typeJSONText:
		if !json.Valid([]byte(text)) {
			return "is not JSON."
		}
	}
	return ""
}

func isNumber(text string) bool {
	return (text[0] == '-' || text[0] >= '0' && text[0] <= '9') && json.Valid([]byte(text))
}

// isBit reports whether a column of whole numbers has 1 for yes and 0 for no.
func (f ManifestFile) isBit(column string) bool {
	return column == "unsure" && f.Shape == Long || slices.ContainsFunc([]string{"fact.", "obs.", "verdict.",
		"unsure."}, func(prefix string) bool {
		return strings.HasPrefix(column, prefix)
	})
}

// checkColumns returns an error for a table with a column of an unknown type, or two of one name.
func (f ManifestFile) checkColumns() error {
	types := []string{typeText, typeInteger, typeNumber, typeBoolean, typeDate, typeTimestamp, typeJSON, typeJSONText}
	for i, c := range f.Columns {
		switch {
		case !slices.Contains(types, c.Type):
			return fmt.Errorf("%s, column %s: %s gives it the unknown type %s. Export again", f.Name, c.Name,
				ManifestName, Quote(c.Type))
		case slices.ContainsFunc(f.Columns[:i], func(other Column) bool { return other.Name == c.Name }):
			return fmt.Errorf("%s, column %s: %s lists it twice. Export again", f.Name, c.Name, ManifestName)
		}
	}
	return nil
}
