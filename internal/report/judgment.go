package report

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// A ItemRef is an item that a model may have judged.
type ItemRef struct {
	ID    project.ItemID
	Facts protocol.Facts
}

// ReadJudgments reads what a model said of items, by their own ids: a .jsonl of
// lines such as {"item":"e01","emotion":4}, a CSV with a column for each field,
// or a long CSV of item,dimension,value. Answers are judged by protocol.Check, as
// people's are, save that a model may leave fields out, and gives neither notes nor
// observations. A file that is wrong gives stats.CellErrors, each with its place, and
// nothing else.
func ReadJudgments(p protocol.Protocol, items map[string]ItemRef, model, file string, r io.Reader) ([]Judgment, error) {
	j := judgmentReader{protocol: p, items: items, file: file, answersByItem: map[string]map[string]int{}, positions: map[answerKey]cellPosition{}}
	var err error
	if strings.EqualFold(filepath.Ext(file), ".jsonl") {
		err = j.readLines(r)
	} else {
		err = j.readTable(r)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	if len(j.answersByItem) == 0 && len(j.faults.Errors) == 0 {
		j.addFault(1, 1, "there is no answer in the file; write one row for each item")
	}
	if len(j.faults.Errors) == 0 {
		j.checkRules()
	}
	if len(j.faults.Errors) > 0 {
		return nil, j.faults
	}
	var found []Judgment
	for _, item := range slices.Sorted(maps.Keys(j.answersByItem)) {
		found = append(found, Judgment{ItemID: items[item].ID, Judge: model, Values: j.answersByItem[item]})
	}
	return found, nil
}

// judgmentReader are being read.
type judgmentReader struct {
	protocol      protocol.Protocol
	items         map[string]ItemRef
	file          string
	answersByItem map[string]map[string]int
	positions     map[answerKey]cellPosition
	faults        stats.CellErrors
}

// An answerKey is that to one field of an item.
type answerKey struct{ item, field string }

// maxFaults bounds what is kept of a file that is wrong throughout.
const maxFaults = 200

func (j *judgmentReader) addFault(row, column int, format string, args ...any) {
	if len(j.faults.Errors) == maxFaults {
		j.faults.Omitted++
		return
	}
	j.faults.Errors = append(j.faults.Errors, stats.CellError{File: j.file, Row: row, Column: column, Message: fmt.Sprintf(format, args...)})
}

// A cellPosition is where something stood, columns from 1.
type cellPosition struct{ row, itemColumn, fieldColumn, valueColumn int }

// addAnswer keeps one answer, or says what is wrong with it.
func (j *judgmentReader) addAnswer(pos cellPosition, item, field, text string) {
	ref, itemExists := j.items[item]
	f, fieldExists := j.protocol.Field(field)
	switch v, err := strconv.Atoi(text); {
	case !itemExists:
		j.addFault(pos.row, pos.itemColumn, "there is no item %q in the project", item)
	case !fieldExists:
		j.addFault(pos.row, pos.fieldColumn, "there is no field %q in %s", field, j.protocol.Name())
	case !f.AppliesTo(ref.Facts):
		j.addFault(pos.row, pos.valueColumn, "%s does not apply to %s; leave it empty", field, item)
	case err != nil || !slices.Contains(f.Scale.Values(), v):
		j.addFault(pos.row, pos.valueColumn, "%q is not on the scale of %s, which is %s", text, field, stats.NewNumericScale(f.Scale.Values()...))
	default:
		j.storeAnswer(pos, item, field, v)
	}
}

func (j *judgmentReader) storeAnswer(pos cellPosition, item, field string, v int) {
	if j.answersByItem[item] == nil {
		j.answersByItem[item] = map[string]int{}
	}
	if _, isDuplicate := j.answersByItem[item][field]; isDuplicate {
		j.addFault(pos.row, pos.valueColumn, "%s of %s stands further up already; keep one of the two", field, item)
		return
	}
	j.answersByItem[item][field] = v
	j.positions[answerKey{item, field}] = pos
}

// checkRules holds the answers to each item against the rules between them. What the
// model did not answer breaks none.
func (j *judgmentReader) checkRules() {
	for _, item := range slices.Sorted(maps.Keys(j.answersByItem)) {
		for _, problem := range j.protocol.Check(j.items[item].Facts, protocol.Answers{Values: j.answersByItem[item]}) {
			if pos, answered := j.positions[answerKey{item, problem.Key}]; answered {
				j.addFault(pos.row, pos.valueColumn, "%s of %s: %s", problem.Key, item, problem.Message)
			}
		}
	}
	slices.SortStableFunc(j.faults.Errors, func(a, b stats.CellError) int { return cmp.Or(a.Row-b.Row, a.Column-b.Column) })
}

// readLines reads JSON lines.
func (j *judgmentReader) readLines(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for row := 1; lines.Scan(); row++ {
		if len(strings.TrimSpace(lines.Text())) > 0 {
			j.readLine(row, lines.Bytes())
		}
	}
	return lines.Err()
}

func (j *judgmentReader) readLine(row int, text []byte) {
	var line map[string]json.RawMessage
	var item string
	if err := json.Unmarshal(text, &line); err != nil {
		j.addFault(row, 1, "this is not a line of JSON such as {\"item\":\"e01\",\"emotion\":4}")
		return
	}
	if json.Unmarshal(line["item"], &item) != nil || item == "" {
		j.addFault(row, 1, `the line has no "item", which is the item's own id`)
		return
	}
	delete(line, "item")
	for _, field := range slices.Sorted(maps.Keys(line)) {
		if text := string(line[field]); text != "null" {
			j.addAnswer(cellPosition{row, 1, 1, 1}, item, field, text)
		}
	}
}

// readTable reads a CSV, long or with a column for each field.
func (j *judgmentReader) readTable(r io.Reader) error {
	rows := csv.NewReader(bufio.NewReader(r))
	rows.FieldsPerRecord = -1
	header, err := rows.Read()
	if errors.Is(err, io.EOF) {
		j.addFault(1, 1, "the file is empty; the first row must be item,dimension,value, or item and the fields")
		return nil
	}
	if err != nil {
		return j.handleCSVError(err)
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	item, dimension, value := slices.Index(header, "item"), slices.Index(header, "dimension"), slices.Index(header, "value")
	if item < 0 || dimension >= 0 && value < 0 {
		j.addFault(1, 1, "the first row must be item,dimension,value, or item and the fields")
		return nil
	}
	for {
		record, err := rows.Read()
		if err != nil {
			return j.handleCSVError(err)
		}
		row, _ := rows.FieldPos(0)
		switch {
		case len(record) != len(header):
			j.addFault(row, min(len(record), len(header)), "the row has %d values and the first row %d", len(record), len(header))
		case dimension >= 0:
			j.addAnswer(cellPosition{row, item + 1, dimension + 1, value + 1}, record[item], record[dimension], record[value])
		default:
			j.readWideRow(row, item, header, record)
		}
	}
}

func (j *judgmentReader) readWideRow(row, item int, header, record []string) {
	for i, text := range record {
		if i != item && text != "" {
			j.addAnswer(cellPosition{row, item + 1, i + 1, i + 1}, record[item], header[i], text)
		}
	}
}

// handleCSVError turns the end of a file into none, and a stray quotation mark into a
// fault; all else is the reader's own.
func (j *judgmentReader) handleCSVError(err error) error {
	if parseErr, ok := errors.AsType[*csv.ParseError](err); ok {
		j.addFault(parseErr.Line, 1, "a quotation mark stands inside a value or is never closed")
		return nil
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
