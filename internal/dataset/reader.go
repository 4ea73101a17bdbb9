package dataset

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A Reader reads the tables of an export, in any of their formats.
type Reader struct {
	Manifest Manifest
	Protocol protocol.Protocol
	files    fs.FS
}

// NewReader returns a reader of the export in a folder. It returns an error if a file of the
// export is missing or differs from the manifest.
func NewReader(files fs.FS) (*Reader, error) {
	text, err := fs.ReadFile(files, ManifestName)
	if err != nil {
		return nil, fmt.Errorf("the folder has no export: %w", err)
	}
	m, err := ReadManifest(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not the manifest of an export: %w", ManifestName, err)
	}
	sums := m.Checksums()
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		sum, err := hashFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("the export is not complete: %w", err)
		}
		if sum != sums[name] {
			return nil, fmt.Errorf("%s was changed after the export: its SHA-256 differs from the one in %s", name,
				ManifestName)
		}
	}
	p, err := protocol.Read("protocol.yaml", []byte(m.Definition))
	return &Reader{m, p, files}, err
}

func hashFile(files fs.FS, name string) (string, error) {
	file, err := files.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, file)
	return hex.EncodeToString(hash.Sum(nil)), err
}

// Table returns the entry of a table in the manifest, and whether the export has it.
func (r *Reader) Table(name string) (ManifestFile, bool) {
	i := slices.IndexFunc(r.Manifest.Files, func(f ManifestFile) bool { return f.tableName() == name })
	if i < 0 {
		return ManifestFile{}, false
	}
	return r.Manifest.Files[i], true
}

// Rows returns the rows of a table; none if the export does not have it. A row is valid until
// the next one. Its cells have the types of their columns, or are empty; another one is a CellError.
func (r *Reader) Rows(table string) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		file, exists := r.Table(table)
		if !exists {
			return
		}
		if err := file.checkColumns(); err != nil {
			yield(Row{}, err)
			return
		}
		row := Row{file: file, columns: map[string]int{}, cells: make([]string, len(file.Columns)), no: new(int)}
		for i, c := range file.Columns {
			row.columns[c.Name] = i
		}
		var invalid error
		stopped, err := r.readFile(row, func() bool {
			if invalid = row.checkCells(); invalid != nil {
				return false
			}
			return yield(row, nil)
		})
		if invalid != nil {
			yield(Row{}, invalid)
		} else if err != nil && !stopped {
			yield(Row{}, row.locate(err))
		}
	}
}

// locate adds the place to an error of the row after the last one that was read.
func (r Row) locate(err error) error {
	if _, isLocated := errors.AsType[*CellError](err); isLocated {
		return err
	}
	no := r.No() + 1
	if syntax, ok := errors.AsType[*csv.ParseError](err); ok {
		no, err = syntax.StartLine, syntax.Err
	}
	return fmt.Errorf("%s, row %d: %w. Correct the row, or export again", r.file.Name, no, err)
}

// readFile fills row for each row of its file. It stops, and returns true, if next returns false.
func (r *Reader) readFile(row Row, next func() bool) (stopped bool, err error) {
	file, err := r.files.Open(row.file.Name)
	if err != nil {
		return false, err
	}
	defer file.Close()
	switch row.file.Format {
	case CSV:
		return readCSV(file, row, next)
	case JSONL:
		return readJSONL(file, row, next)
	case Parquet:
		return readParquetTable(file, row, next)
	}
	return false, fmt.Errorf("no reader for the format %q", row.file.Format)
}

// A Row is one row of a table. A cell has the same text in every format; an absent one is empty.
type Row struct {
	file    ManifestFile
	columns map[string]int // number of each column
	cells   []string
	no      *int // see No
}

// File returns the entry of the table in the manifest.
func (r Row) File() ManifestFile { return r.file }

// No returns the line of a CSV file where the row starts, or the number of the record in another
// file, from 1.
func (r Row) No() int { return *r.no }

// Columns returns the columns of the table.
func (r Row) Columns() []Column { return r.file.Columns }

// Clone returns a copy that stays valid.
func (r Row) Clone() Row {
	no := r.No()
	r.cells, r.no = slices.Clone(r.cells), &no
	return r
}

// Has reports whether the table has a column.
func (r Row) Has(column string) bool { _, has := r.columns[column]; return has }

// Text returns a cell as text; "" if it or its column is absent.
func (r Row) Text(column string) string {
	if i, has := r.columns[column]; has {
		return r.cells[i]
	}
	return ""
}

// Int returns a cell as a number, and whether it has one.
func (r Row) Int(column string) (n int64, has bool) {
	n, err := strconv.ParseInt(r.Text(column), 10, 64)
	return n, err == nil
}

// Bool reports whether a cell is true or 1.
func (r Row) Bool(column string) bool { text := r.Text(column); return text == "true" || text == "1" }

// Time returns a cell with a date or a time; the zero time if it is absent.
func (r Row) Time(column string) time.Time {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, r.Text(column)); err == nil {
			return t
		}
	}
	return time.Time{}
}

// setCSV sets a cell from CSV: booleans are capitals there, and formulas escaped.
func (r Row) setCSV(i int, text string) {
	switch r.file.Columns[i].Type {
	case typeBoolean:
		text = strings.ToLower(text)
	case typeText, typeJSONText:
		text = UnescapeFormula(text)
	}
	r.cells[i] = text
}

// UnescapeFormula is the inverse of EscapeFormula.
func UnescapeFormula(text string) string {
	if rest, isEscaped := strings.CutPrefix(text, "'"); isEscaped && isFormula(rest) {
		return rest
	}
	return text
}
