package fromexport

import (
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/project"
)

// The answers of one annotation, judgment, decision or reference.
type answers struct {
	values       map[string]int
	observations []string
	submittedAt  time.Time
}

// readAnswers passes the answers of a table to add, with their first row. In the long shape
// they have a row for each field; rows with the same item and key follow each other.
// An id that is in ids is an error.
func (r *reader) readAnswers(table, key string, ids rowIndex, add func(dataset.Row, project.ItemID,
	answers) error) error {
	var current group
	err := r.rows(table, func(row dataset.Row) error {
		name := row.Text("item") + "\x00" + row.Text(key)
		if isLong(row) && name == current.name {
			return r.addField(current, row)
		}
		if err := r.finish(current, add); err != nil {
			return err
		}
		id, column := row.Text(key), key
		if key == "judge" { // answers to any number of items
			id, column = name, "item"
		}
		if err := ids.add(row, column, id, dataset.Quote(row.Text(column))); err != nil {
			return err
		}
		var err error
		current, err = r.newGroup(row, name)
		return err
	})
	if err != nil {
		return err
	}
	return r.finish(current, add)
}

func isLong(row dataset.Row) bool { return row.File().Shape == dataset.Long }

// A group is the rows of one set of answers.
type group struct {
	name    string
	first   dataset.Row // a copy
	answers answers
}

func (r *reader) newGroup(row dataset.Row, name string) (group, error) {
	g := group{name: name, first: row.Clone(), answers: answers{values: map[string]int{}, observations: []string{},
		submittedAt: row.Time("submitted_at")}}
	if g.answers.submittedAt.IsZero() {
		g.answers.submittedAt = row.Time("submitted_on")
	}
	for _, o := range r.Protocol.Observations {
		if row.Bool("obs." + o.Key) {
			g.answers.observations = append(g.answers.observations, o.Key)
		}
	}
	if isLong(row) {
		return g, r.addField(g, row)
	}
	for _, f := range r.Protocol.Fields {
		if err := r.addValue(g, row, f.Key, answerColumn(row.File(), f.Key)); err != nil {
			return g, err
		}
	}
	return g, nil
}

// longColumns are the columns in which the rows of a group differ.
var longColumns = []string{"dimension", "value", "unsure"}

// addField adds the answer of a long row.
func (r *reader) addField(g group, row dataset.Row) error {
	field := row.Text("dimension")
	if _, isKnown := g.answers.values[field]; isKnown {
		return row.Errorf("dimension", "item %s has two answers to %s. Keep one, or export again.",
			dataset.Quote(row.Text("item")), field)
	}
	for _, c := range row.Columns() {
		if got, want := row.Text(c.Name), g.first.Text(c.Name); got != want && !slices.Contains(longColumns, c.Name) {
			return row.Errorf(c.Name, "%s differs from %s in row %d, which has the same answers. Correct the cell, or export again.", dataset.Quote(got), dataset.Quote(want), g.first.No())
		}
	}
	return r.addValue(g, row, field, "value")
}

// addValue adds the answer to a field from a column. Without an answer the cell is empty.
func (r *reader) addValue(g group, row dataset.Row, field, column string) error {
	f, isField := r.Protocol.Field(field)
	if !isField {
		return row.Errorf("dimension", "%s is not a field of %s. Correct the cell, or export again.",
			dataset.Quote(field), r.Protocol.Name())
	}
	value, isAnswered := row.Int(column)
	if !isAnswered {
		return nil
	}
	if !slices.Contains(f.Scale.Values(), int(value)) {
		return row.Errorf(column, "%d is not on the scale %s of %s. Correct the cell, or export again.", value,
			formatScale(f.Scale.Values()), field)
	}
	g.answers.values[field] = int(value)
	return nil
}

// finish passes a complete group to add.
func (r *reader) finish(g group, add func(dataset.Row, project.ItemID, answers) error) error {
	if g.name == "" {
		return nil
	}
	id, err := r.item(g.first)
	if err != nil {
		return err
	}
	return add(g.first, id, g.answers)
}
