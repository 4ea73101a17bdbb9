package importer

import (
	"cmp"
	"context"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// An ItemRef identifies an item that a file names by its source id.
type ItemRef struct {
	ID            project.ItemID
	Facts         protocol.Facts
	IsCalibration bool // judges do not answer it
}

// Judgments are the answers of a model judge, and what of the file was left out.
type Judgments struct {
	Answers []ItemAnswers
	LeftOut JudgmentOmission
}

// A JudgmentOmission names what of a file with judgments is not stored.
type JudgmentOmission struct {
	Columns          []string `json:"columns"`           // that are no field
	CalibrationItems []string `json:"calibration_items"` // which judges do not answer
}

// rationaleColumns are the names of the column with the judge's reason.
var rationaleColumns = []string{"rationale", "note", "reason"}

// maxRationale is the number of characters of a judge's reason.
const maxRationale = 20_000

// A ItemAnswers holds the answers of a model judge to one item, by field.
type ItemAnswers struct {
	ItemID    project.ItemID
	Values    map[string]int
	Rationale string // of the judge; empty: none
}

// ReadJudgments reads the answers of a model judge from CSV or JSONL, by source id:
// either a column for each field, or the columns item, dimension and value; next to them one of rationaleColumns.
// Answers
// are checked like those of annotators, but fields may be absent and no note is
// required.
func ReadJudgments(p protocol.Protocol, items map[string]ItemRef, name string, r io.Reader) (Judgments, error) {
	b := newBuilder(p, name)
	b.knownNames, b.requiredColumns = slices.Concat(fieldKeys(p), []string{"item", "dimension", "value"},
		rationaleColumns), []string{"item"}
	b.rowLimit = itemLimit * max(1, len(p.Fields))
	j := judgmentReader{builder: b, items: items, values: map[string]map[string]int{},
		locations:  map[answerKey]answerLocation{},
		rationales: map[string]string{}, leftOut: map[string]bool{}, calibration: map[string]bool{}}
	b.handleRow = j.readRow
	if err := b.readFile(context.Background(), r); err != nil {
		return Judgments{}, err
	}
	switch {
	case len(j.values) == 0 && len(j.leftOut) > 0:
		return Judgments{}, FileErrors{{File: name,
			Message: describeUnknownField(slices.Min(slices.Collect(maps.Keys(j.leftOut))), p)}}
	case len(j.values) == 0:
		return Judgments{}, FileErrors{{File: name, Message: "The file has no answers. Write one row for each item."}}
	}
	if err := j.checkRules(); err != nil {
		return Judgments{}, err
	}
	judgments := Judgments{LeftOut: JudgmentOmission{append([]string{}, slices.Sorted(maps.Keys(j.leftOut))...),
		append([]string{}, slices.Sorted(maps.Keys(j.calibration))...)}}
	for _, item := range slices.Sorted(maps.Keys(j.values)) {
		judgments.Answers = append(judgments.Answers, ItemAnswers{items[item].ID, j.values[item], j.rationales[item]})
	}
	return judgments, nil
}

// A judgmentReader collects the answers in a file.
type judgmentReader struct {
	*builder
	items     map[string]ItemRef
	values    map[string]map[string]int // by item and field
	locations map[answerKey]answerLocation

	rationales           map[string]string // by item
	leftOut, calibration map[string]bool
}

type answerKey struct{ item, field string }

// An answerLocation is the row and column that an answer was read from.
type answerLocation struct {
	row    int
	column string
}

// readRow reads one row: one answer in the long shape, all answers to an item in the
// wide shape.
func (j *judgmentReader) readRow() {
	item, ok := j.readItemID()
	ref, exists := j.items[item]
	switch {
	case !ok:
	case !exists:
		j.addError(topLocation("item"), "%s", describeUnknownItem(item))
	case ref.IsCalibration:
		j.calibration[item] = true
	default:
		if j.isLong() {
			j.readLongAnswer(item)
		} else {
			j.readWideAnswers(item)
		}
		j.readOthers(item)
	}
}

// readOthers reads the judge's reason, and names the columns that are left out.
func (j *judgmentReader) readOthers(item string) {
	for _, m := range j.row.members {
		_, isField := j.protocol.Field(m.key)
		switch {
		case m.key == "item" || j.isLong() && (m.key == "dimension" || m.key == "value") || !j.isLong() && isField:
		case slices.Contains(rationaleColumns, m.key) && !isField:
			j.addRationale(item, m)
		default:
			j.leftOut[m.key] = true
		}
	}
}

// addRationale adds the reason in a column; the rows of an item in the long shape can have several.
func (j *judgmentReader) addRationale(item string, m member) {
	known := j.rationales[item]
	text, err := plaintext.ReadText(m.text, 0, maxRationale-utf8.RuneCountInString(known), fault.Invalid.Errorf(
		"This is longer than 20,000 characters. Shorten it."))
	switch {
	case m.is('n') || text == "":
	case !j.isCSV && !m.is('"'):
		j.addError(topLocation(m.key), "This is not a text.")
	case err != nil:
		j.addError(topLocation(m.key), "%s", fault.Message(err))
	case known == "":
		j.rationales[item] = text
	case !slices.Contains(strings.Split(known, "\n"), text):
		j.rationales[item] = known + "\n" + text
	}
}

func (j *judgmentReader) isLong() bool {
	_, hasDimension := j.row.get("dimension")
	_, isField := j.protocol.Field("dimension")
	return hasDimension && !isField
}

func (j *judgmentReader) readLongAnswer(item string) {
	dimension, _ := j.row.get("dimension")
	v, hasValue := j.row.get("value")
	_, isField := j.protocol.Field(dimension.text)
	switch {
	case !hasValue:
		j.addColumnError("value", nil, "This column is missing. It is needed with the column dimension.")
	case !isField:
		j.addError(topLocation("dimension"), "%s", describeUnknownField(dimension.text, j.protocol))
	default:
		j.readValue(item, dimension.text, member{"value", v})
	}
}

func (j *judgmentReader) readWideAnswers(item string) {
	for _, m := range j.row.members {
		_, isField := j.protocol.Field(m.key)
		switch {
		case !isField || m.is('n') || j.isCSV && m.text == "":
		default:
			j.readValue(item, m.key, m)
		}
	}
}

// readValue reads the answer to a field from a column.
func (j *judgmentReader) readValue(item, field string, m member) {
	text := m.text
	if !j.isCSV {
		text = string(m.raw)
	}
	f, _ := j.protocol.Field(field)
	switch v, err := strconv.Atoi(text); {
	case m.reported:
	case !f.AppliesTo(j.items[item].Facts):
		j.addError(topLocation(m.key), "%s does not apply to this item. Leave it out.", field)
	case text == "":
		j.addError(topLocation(m.key), "This is empty. Leave the row out if there is no answer.")
	case err == nil && strconv.Itoa(v) != text:
		j.addError(topLocation(m.key), "“%s” is a number in another notation. Write it like 3, -1 or 2.5.",
			plaintext.Shorten(text))
	case err != nil || !slices.Contains(f.Scale.Values(), v):
		j.addError(topLocation(m.key), "%s", describeOffScale(text, f.Scale))
	default:
		j.addValue(item, field, m.key, v)
	}
}

func (j *judgmentReader) addValue(item, field, column string, value int) {
	key := answerKey{item, field}
	if first, exists := j.locations[key]; exists {
		j.addError(topLocation(column), "Line %d has an answer to this field of the item. Keep one of the two.",
			first.row)
		return
	}
	if j.values[item] == nil {
		j.values[item] = map[string]int{}
	}
	j.values[item][field] = value
	j.locations[key] = answerLocation{j.row.line, column}
}

// checkRules checks the answers to each item against the rules between fields.
// Problems at fields without an answer are ignored.
func (j *judgmentReader) checkRules() error {
	for item, values := range j.values {
		for _, problem := range j.protocol.Check(j.items[item].Facts, protocol.Answers{Values: values}) {
			if loc, isAnswered := j.locations[answerKey{item, problem.Key}]; isAnswered {
				j.errs.add(loc.row, loc.column, "%s", problem.Message)
			}
		}
	}
	slices.SortFunc(j.errs.errs, func(a, b FileError) int {
		return cmp.Or(a.Row-b.Row, cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
	})
	return j.errs.err()
}
