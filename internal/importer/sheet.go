package importer

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/protocol"
)

// An ExpectedSheet is what a returned annotation sheet must match.
type ExpectedSheet struct {
	Annotator string // in the column annotator_id
	Rows      map[string]ExpectedRow
}

// An ExpectedRow is a row of a sheet that was made for an annotator.
type ExpectedRow struct {
	SheetID int64
	RowNo   int // in its sheet, from 1
	Facts   protocol.Facts
	Stored  *protocol.Answers // submitted before
	Problem string            // why nothing can be submitted for it now; then the row may also be deleted
}

// SheetAnswers is a row of a returned sheet that can be stored, or that is stored already.
type SheetAnswers struct {
	ID       string
	Row      int // as spreadsheets number rows, from 1
	Answers  protocol.Answers
	IsStored bool // the same answers were submitted before
}

// ReadSheet reads a filled annotation sheet of p: CSV as spreadsheet programs save it, see
// decodeCSV. Columns may be in any order, and so may rows; empty rows, and empty columns
// without a name, do not count. Errors name rows as a spreadsheet numbers them.
//
// The sheet must be complete and follow the rules of p. With expected, its rows must also be
// those of a sheet that was made for the annotator, and answers that are stored already must
// be the same. Without, a field that does not apply to every item may be empty.
func ReadSheet(p protocol.Protocol, expected *ExpectedSheet, name string, r io.Reader) ([]SheetAnswers, error) {
	s := &sheetReader{protocol: p, expected: expected, errs: &errorList{file: name}, rows: map[string]int{}}
	err := s.read(bufio.NewReaderSize(&limitedReader{ctx: context.Background(), reader: r, remaining: FileLimit},
		lineLimit))
	switch {
	case errors.Is(err, errFileTooLarge):
		s.errs.addFirst(0, messagef("The file is larger than %d MiB.", FileLimit>>20))
	case err != nil && !errors.Is(err, errAborted) && !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	slices.SortStableFunc(s.errs.errs, func(a, b FileError) int { return a.Row - b.Row })
	return s.answers, s.errs.err()
}

// A sheetReader collects the answers and errors of a sheet.
type sheetReader struct {
	protocol protocol.Protocol
	expected *ExpectedSheet
	errs     *errorList
	header   []string
	rows     map[string]int // by id
	answers  []SheetAnswers

	annotator string // of the first row, without expected
	row       sheetRow
}

// A sheetRow is the current row.
type sheetRow struct {
	no         int
	cells      map[string]string // by column
	unreadable map[string]bool   // columns whose cell is reported, and not read
}

// addError adds an error of the current row, unless the cell is not read at all.
func (s *sheetReader) addError(column, format string, args ...any) {
	if !s.row.unreadable[column] {
		s.errs.add(s.row.no, column, format, args...)
	}
}

func (s *sheetReader) read(in *bufio.Reader) error {
	in, encodingName, err := decodeText(in, nil)
	if err != nil {
		return err
	}
	s.errs.encoding = encodingName
	text, err := decodeCSV(in)
	if err != nil {
		return err
	}
	head, err := peekUpTo(text.in, 4096)
	if err != nil {
		return err
	}
	if problem := checkFileType(head, formatCSV); problem != "" {
		s.errs.add(0, "", "%s", problem)
		return nil
	}
	r := newCSVReader(text, s.errs)
	r.countsRows = true
	if isUsable, err := s.readHeader(r); err != nil || !isUsable {
		return err
	}
	if err := s.readRows(r); err != nil {
		return err
	}
	s.checkMissing()
	return nil
}

// readHeader reads and checks the column names. It reports whether each column is there once.
func (s *sheetReader) readHeader(r *csvReader) (isUsable bool, err error) {
	header, err := r.nextRow()
	if err != nil {
		return false, err
	}
	for len(header) > 0 && !protocol.HasText(header[len(header)-1]) {
		header = header[:len(header)-1]
	}
	header = slices.Clone(header)
	s.row.no, s.header, isUsable = r.rowStart, header, true
	known := s.protocol.SheetColumns()
	for i, column := range header {
		isUsable = s.checkColumn(i, column, known) && isUsable
	}
	for _, column := range known {
		isOptional := column == protocol.SheetObservationsColumn || column == protocol.SheetUnsureColumn
		if !isOptional && !slices.Contains(header, column) {
			s.addError(column, "This column is missing. Add it, or start again from the sheet as it was made.")
			isUsable = false
		}
	}
	r.header = header
	return isUsable, nil
}

// checkColumn checks a column name, and corrects a misspelled one. It reports whether the
// column is the first with this name.
func (s *sheetReader) checkColumn(i int, column string, known []string) (isFirst bool) {
	if intended := matchName(column, known); intended != "" {
		s.addError(column, "Write this name as “%s”. Names are case-sensitive and have no spaces around them.",
			intended)
		s.header[i], column = intended, intended
	}
	switch {
	case slices.Contains(s.header[:i], column):
		s.addError(column, "The sheet has this column twice. Remove one of them.")
		return false
	case !slices.Contains(known, column):
		s.addError(cmp.Or(column, fmt.Sprintf("column %d", i+1)),
			"This is not a column of an annotation sheet of %s. Its columns are %s.", s.protocol.Name(),
			strings.Join(known, ", "))
	}
	return true
}

func (s *sheetReader) readRows(r *csvReader) error {
	for {
		cells, err := r.nextRow()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(cells, protocol.HasText) {
			continue
		}
		s.row = sheetRow{r.rowStart, map[string]string{}, map[string]bool{}}
		before := s.errs.count()
		s.readCells(r, cells)
		s.readRow(before)
	}
}

// readCells assigns the cells of the current row to their columns, and reports those that are
// no text or belong to no column.
func (s *sheetReader) readCells(r *csvReader, cells []string) {
	for i, text := range cells {
		problem, isUnreadable := findTextProblem(text)
		if i >= len(s.header) && protocol.HasText(text) && !isUnreadable {
			problem, isUnreadable = messagef(
				"This cell belongs to no column. Put notes with commas, semicolons or line breaks in quotes."), true
		}
		if isUnreadable {
			r.addError(i, "%s", problem)
		}
		if i < len(s.header) {
			s.row.cells[s.header[i]], s.row.unreadable[s.header[i]] = text, isUnreadable
		}
	}
}

// readRow checks the current row, and adds its answers if there are no more errors than before.
func (s *sheetReader) readRow(before int) {
	column := s.protocol.SheetIDColumn()
	id := plaintext.Trim(s.row.cells[column])
	if first, seen := s.rows[id]; seen && id != "" {
		s.addError(column, "Row %d has the same %s. Keep one of the two.", first, column)
		return
	}
	s.rows[id] = s.row.no
	row := s.expectedRow(column, id)
	s.checkAnnotator()
	answers := s.readAnswers(row)
	if row.Stored != nil {
		s.compare(*row.Stored, answers)
	}
	if s.errs.count() == before {
		s.answers = append(s.answers, SheetAnswers{ID: id, Row: s.row.no, Answers: answers,
			IsStored: row.Stored != nil})
	}
}

// expectedRow returns the row that was made with this id.
func (s *sheetReader) expectedRow(column, id string) (row ExpectedRow) {
	if id == "" {
		s.addError(column, "This is empty. Copy it from the context sheet.")
	}
	if s.expected == nil {
		row.Facts = s.assumedFacts()
		return row
	}
	row, exists := s.expected.Rows[id]
	if row.Facts == nil {
		row.Facts = s.assumedFacts()
	}
	switch {
	case id != "" && !exists:
		s.addError(column, "“%s” is not in a sheet of this annotator and batch. Copy the id from the context sheet.",
			plaintext.Shorten(id))
	case row.Problem != "":
		s.addError(column, "%s", row.Problem)
	}
	return row
}

// assumedFacts returns the facts of an item that is not known: those on which the answers of
// the row depend.
func (s *sheetReader) assumedFacts() protocol.Facts {
	facts := protocol.Facts{}
	for _, f := range s.protocol.Fields {
		if f.OnlyWhen != "" && !isNotApplicable(s.row.cells[f.Key]) {
			facts[f.OnlyWhen] = true
		}
	}
	return facts
}

func (s *sheetReader) checkAnnotator() {
	annotator := plaintext.Trim(s.row.cells[protocol.SheetAnnotatorColumn])
	want := s.annotator
	if s.expected != nil {
		want = s.expected.Annotator
	} else if want == "" {
		want, s.annotator = annotator, annotator
	}
	switch {
	case annotator == "":
		s.addError(protocol.SheetAnnotatorColumn, "This is empty. Write the id of the annotator in every row.")
	case annotator != want:
		s.addError(protocol.SheetAnnotatorColumn,
			"This is “%s”, but the sheet is of “%s”. A sheet has the rows of one annotator.",
			plaintext.Shorten(annotator), plaintext.Shorten(want))
	}
}

// checkMissing reports the rows that the sheet was made with and no longer has. The sheet is
// the one of which it has most rows.
func (s *sheetReader) checkMissing() {
	s.row = sheetRow{}
	if len(s.rows) == 0 {
		s.addError("", "The sheet has no rows.")
	}
	if s.expected == nil {
		return
	}
	counts, sheetID := map[int64]int{}, int64(0)
	for id := range s.rows {
		if row, exists := s.expected.Rows[id]; exists {
			counts[row.SheetID]++
		}
	}
	for id, n := range counts {
		if n > counts[sheetID] || n == counts[sheetID] && id > sheetID {
			sheetID = id
		}
	}
	type missingRow struct {
		id  string
		row ExpectedRow
	}
	var missing []missingRow
	for id, row := range s.expected.Rows {
		if _, present := s.rows[id]; !present && row.SheetID == sheetID && row.Problem == "" {
			missing = append(missing, missingRow{id, row})
		}
	}
	slices.SortFunc(missing, func(a, b missingRow) int { return a.row.RowNo - b.row.RowNo })
	for _, m := range missing {
		s.addError(s.protocol.SheetIDColumn(),
			"The row of “%s” is missing. It was row %d of the sheet. Copy it from there, and answer it.", m.id,
			m.row.RowNo+1)
	}
}
