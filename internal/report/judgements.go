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

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// A Known is an item that a model may have judged.
type Known struct {
	ID    int64
	Facts protocol.Facts
}

// ReadJudgements reads what a model said of items, by their own ids: a .jsonl of
// lines such as {"item":"e01","emotion":4}, a CSV with a column for each field,
// or a long CSV of item,dimension,value. Answers are judged by protocol.Check, as
// people's are, save that a model may leave fields out, and gives neither notes nor
// observations. A file that is wrong gives stats.Faults, each with its place, and
// nothing else.
func ReadJudgements(p protocol.Protocol, items map[string]Known, model, file string, r io.Reader) ([]Judgement, error) {
	j := judgements{protocol: p, items: items, file: file, of: map[string]map[string]int{}, stood: map[answer]place{}}
	var err error
	if strings.EqualFold(filepath.Ext(file), ".jsonl") {
		err = j.readLines(r)
	} else {
		err = j.readTable(r)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	if len(j.of) == 0 && len(j.faults.List) == 0 {
		j.fault(1, 1, "there is no answer in the file; write one row for each item")
	}
	if len(j.faults.List) == 0 {
		j.check()
	}
	if len(j.faults.List) > 0 {
		return nil, j.faults
	}
	var found []Judgement
	for _, item := range slices.Sorted(maps.Keys(j.of)) {
		found = append(found, Judgement{ItemID: items[item].ID, Model: model, Values: j.of[item]})
	}
	return found, nil
}

// judgements are being read.
type judgements struct {
	protocol protocol.Protocol
	items    map[string]Known
	file     string
	of       map[string]map[string]int
	stood    map[answer]place
	faults   stats.Faults
}

// An answer is that to one field of an item.
type answer struct{ item, field string }

// mostFaults bounds what is kept of a file that is wrong throughout.
const mostFaults = 200

func (j *judgements) fault(row, column int, format string, args ...any) {
	if len(j.faults.List) == mostFaults {
		j.faults.More++
		return
	}
	j.faults.List = append(j.faults.List, stats.Fault{File: j.file, Row: row, Column: column, Says: fmt.Sprintf(format, args...)})
}

// A place is where something stood, columns from 1.
type place struct{ row, item, field, value int }

// take keeps one answer, or says what is wrong with it.
func (j *judgements) take(at place, item, field, text string) {
	known, there := j.items[item]
	f, asked := j.protocol.Field(field)
	switch v, err := strconv.Atoi(text); {
	case !there:
		j.fault(at.row, at.item, "there is no item %q in the project", item)
	case !asked:
		j.fault(at.row, at.field, "there is no field %q in %s", field, j.protocol.Name())
	case !f.Applies(known.Facts):
		j.fault(at.row, at.value, "%s does not apply to %s; leave it empty", field, item)
	case err != nil || !slices.Contains(f.Scale.Values(), v):
		j.fault(at.row, at.value, "%q is not on the scale of %s, which is %s", text, field, stats.ScaleOf(f.Scale.Values()...))
	default:
		j.keep(at, item, field, v)
	}
}

func (j *judgements) keep(at place, item, field string, v int) {
	if j.of[item] == nil {
		j.of[item] = map[string]int{}
	}
	if _, twice := j.of[item][field]; twice {
		j.fault(at.row, at.value, "%s of %s stands further up already; keep one of the two", field, item)
		return
	}
	j.of[item][field] = v
	j.stood[answer{item, field}] = at
}

// check holds the answers to each item against the rules between them. What the
// model did not answer breaks none.
func (j *judgements) check() {
	for _, item := range slices.Sorted(maps.Keys(j.of)) {
		for _, problem := range j.protocol.Check(j.items[item].Facts, protocol.Answers{Values: j.of[item]}) {
			if at, answered := j.stood[answer{item, problem.Key}]; answered {
				j.fault(at.row, at.value, "%s of %s: %s", problem.Key, item, problem.Says)
			}
		}
	}
	slices.SortStableFunc(j.faults.List, func(a, b stats.Fault) int { return cmp.Or(a.Row-b.Row, a.Column-b.Column) })
}

// readLines reads JSON lines.
func (j *judgements) readLines(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for row := 1; lines.Scan(); row++ {
		if len(strings.TrimSpace(lines.Text())) > 0 {
			j.line(row, lines.Bytes())
		}
	}
	return lines.Err()
}

func (j *judgements) line(row int, text []byte) {
	var line map[string]json.RawMessage
	var item string
	if err := json.Unmarshal(text, &line); err != nil {
		j.fault(row, 1, "this is not a line of JSON such as {\"item\":\"e01\",\"emotion\":4}")
		return
	}
	if json.Unmarshal(line["item"], &item) != nil || item == "" {
		j.fault(row, 1, `the line has no "item", which is the item's own id`)
		return
	}
	delete(line, "item")
	for _, field := range slices.Sorted(maps.Keys(line)) {
		if text := string(line[field]); text != "null" {
			j.take(place{row, 1, 1, 1}, item, field, text)
		}
	}
}

// readTable reads a CSV, long or with a column for each field.
func (j *judgements) readTable(r io.Reader) error {
	rows := csv.NewReader(bufio.NewReader(r))
	rows.FieldsPerRecord = -1
	header, err := rows.Read()
	if errors.Is(err, io.EOF) {
		j.fault(1, 1, "the file is empty; the first row must be item,dimension,value, or item and the fields")
		return nil
	}
	if err != nil {
		return j.broken(err)
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	item, dimension, value := slices.Index(header, "item"), slices.Index(header, "dimension"), slices.Index(header, "value")
	if item < 0 || dimension >= 0 && value < 0 {
		j.fault(1, 1, "the first row must be item,dimension,value, or item and the fields")
		return nil
	}
	for {
		record, err := rows.Read()
		if err != nil {
			return j.broken(err)
		}
		row, _ := rows.FieldPos(0)
		switch {
		case len(record) != len(header):
			j.fault(row, min(len(record), len(header)), "the row has %d values and the first row %d", len(record), len(header))
		case dimension >= 0:
			j.take(place{row, item + 1, dimension + 1, value + 1}, record[item], record[dimension], record[value])
		default:
			j.wide(row, item, header, record)
		}
	}
}

func (j *judgements) wide(row, item int, header, record []string) {
	for i, text := range record {
		if i != item && text != "" {
			j.take(place{row, item + 1, i + 1, i + 1}, record[item], header[i], text)
		}
	}
}

// broken turns the end of a file into none, and a stray quotation mark into a
// fault; all else is the reader's own.
func (j *judgements) broken(err error) error {
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		j.fault(wrong.Line, 1, "a quotation mark stands inside a value or is never closed")
		return nil
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
