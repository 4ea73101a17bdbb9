package fromexport

import (
	"fmt"
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
// they have a row for each field; rows with the same item and key belong together.
func (r *reader) readAnswers(table, key string, add func(dataset.Row, project.ItemID, answers) error) error {
	var current group
	for row, err := range r.Rows(table) {
		if err != nil {
			return err
		}
		name := row.Text("item") + "\x00" + row.Text(key)
		if row.Has("dimension") && name == current.name {
			if err := current.addField(row); err != nil {
				return err
			}
			continue
		}
		if err := r.finish(table, current, add); err != nil {
			return err
		}
		if current, err = r.newGroup(row, name); err != nil {
			return err
		}
	}
	return r.finish(table, current, add)
}

// A group is the rows of one set of answers.
type group struct {
	name    string
	first   dataset.Row // a copy
	answers answers
}

func (r *reader) newGroup(row dataset.Row, name string) (group, error) {
	g := group{name: name, first: row.Clone(), answers: answers{values: map[string]int{}, observations: []string{}, submittedAt: row.Time("submitted_at")}}
	if g.answers.submittedAt.IsZero() {
		g.answers.submittedAt = row.Time("submitted_on")
	}
	for _, o := range r.Protocol.Observations {
		if row.Bool("obs." + o.Key) {
			g.answers.observations = append(g.answers.observations, o.Key)
		}
	}
	if row.Has("dimension") {
		return g, g.addField(row)
	}
	for _, f := range r.Protocol.Fields {
		column := f.Key
		if row.Has("answer." + f.Key) {
			column = "answer." + f.Key
		}
		if value, isAnswered := row.Int(column); isAnswered {
			g.answers.values[f.Key] = int(value)
		}
	}
	return g, nil
}

// addField adds the answer of a long row.
func (g group) addField(row dataset.Row) error {
	field := row.Text("dimension")
	if _, isKnown := g.answers.values[field]; isKnown {
		return fmt.Errorf("item %q has two answers to %s", row.Text("item"), field)
	}
	if value, isAnswered := row.Int("value"); isAnswered {
		g.answers.values[field] = int(value)
	}
	return nil
}

// finish passes a complete group to add.
func (r *reader) finish(table string, g group, add func(dataset.Row, project.ItemID, answers) error) error {
	if g.name == "" {
		return nil
	}
	id, err := r.item(g.first)
	if err == nil {
		err = add(g.first, id, g.answers)
	}
	if err != nil {
		return fmt.Errorf("table %s: %w", table, err)
	}
	return nil
}
