package fromexport

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A tableRule is what a table must have for a report, apart from the types of its cells.
type tableRule struct {
	columns []string            // that it needs
	filled  []string            // of these, that have a value in each row; "a|b": one of the two columns
	atLeast map[string]int64    // smallest number of a column
	oneOf   map[string][]string // values of a column
}

// tableRules returns the rules of the tables that a report reads.
func tableRules(in *dataset.Reader) map[string]tableRule {
	p, states := in.Protocol, []string{}
	for _, s := range project.ItemStates {
		states = append(states, string(s))
	}
	items := tableRule{columns: []string{"record", "match_key", "rank", "text_length"}, filled: []string{"item",
		"calibration", "state"},
		atLeast: map[string]int64{"rank": 1, "text_length": 0, "words": 0}, oneOf: map[string][]string{"state": states}}
	for _, f := range p.Facts {
		items.filled = append(items.filled, "fact."+f.Key)
	}
	rules := map[string]tableRule{
		"items":     items,
		"judgments": {filled: []string{"item", "judge"}},
		"adjudications": withObservations(p, tableRule{filled: []string{"decision", "item", "current", "decision_no"},
			atLeast: map[string]int64{"decision_no": 1, "revision": 0}}),
		"references": withObservations(p, tableRule{filled: []string{"item"}}),
	}
	var batches []string
	for _, b := range in.Manifest.Batches {
		batches = append(batches, b.Name)
	}
	for table, kind := range map[string]string{"annotations": "work", "duplicates": "duplicate",
		"calibration": "calibration", "gold": "gold", "not_blind": "not_blind", "rounds": "round"} {
		rules[table] = withObservations(p, tableRule{
			filled: []string{"project", "protocol", "version", "revision", "batch", "annotation", "kind", "attempt_no",
				"current", "item", "annotator", "submitted_at|submitted_on", "active_ms|active_s",
				"items_since_completed_break"},
			atLeast: map[string]int64{"revision": 0, "annotation": 1, "replaces_id": 1, "attempt_no": 1, "active_ms": 0,
				"active_s": 0, "sequence_no": 0, "items_since_completed_break": 0, "session_minutes": 0},
			oneOf: map[string][]string{"project": {in.Manifest.Project}, "protocol": {p.Key},
				"version": {strconv.Itoa(p.Version)}, "batch": batches, "kind": {kind}}})
	}
	for table, rule := range rules {
		if table == "items" {
			continue
		}
		rules[table] = rule.withAnswers(in, table)
	}
	return rules
}

func withObservations(p protocol.Protocol, rule tableRule) tableRule {
	for _, o := range p.Observations {
		rule.filled = append(rule.filled, "obs."+o.Key)
	}
	return rule
}

// withAnswers adds the columns of answers in the shape of a table. Any of them may be empty.
func (t tableRule) withAnswers(in *dataset.Reader, table string) tableRule {
	file, _ := in.Table(table)
	if file.Shape == dataset.Long {
		t.filled, t.columns = append(t.filled, "dimension"), append(t.columns, "value")
		return t
	}
	for _, f := range in.Protocol.Fields {
		t.columns = append(t.columns, answerColumn(file, f.Key))
	}
	return t
}

// answerColumn returns the column with the answers to a field in the wide shape.
func answerColumn(file dataset.ManifestFile, field string) string {
	if hasColumn(file, "answer."+field) {
		return "answer." + field
	}
	return field
}

func hasColumn(file dataset.ManifestFile, name string) bool {
	return slices.ContainsFunc(file.Columns, func(c dataset.Column) bool { return c.Name == name })
}

// checkColumns returns an error for a table without a column that it needs.
func (t tableRule) checkColumns(file dataset.ManifestFile) error {
	for _, name := range slices.Concat(t.columns, t.filled) {
		if !slices.ContainsFunc(strings.Split(name, "|"), func(one string) bool { return hasColumn(file, one) }) {
			return fmt.Errorf("%s has no column %s. Export again", file.Name, strings.ReplaceAll(name, "|", " or "))
		}
	}
	return nil
}

// checkRow returns an error for the first cell of a row that breaks the rule.
func (t tableRule) checkRow(row dataset.Row) error {
	for _, name := range t.filled {
		column := presentColumn(row, name)
		if row.Text(column) == "" {
			return row.Errorf(column, "The cell is empty. Fill it in, or export again.")
		}
	}
	for _, c := range row.Columns() {
		text := row.Text(c.Name)
		if least, isLimited := t.atLeast[c.Name]; isLimited && text != "" {
			if n, isNumber := row.Int(c.Name); !isNumber || n < least {
				return row.Errorf(c.Name, "%s is not a whole number of at least %d. Correct the cell, or export again.",
					dataset.Quote(text), least)
			}
		}
		if values, isLimited := t.oneOf[c.Name]; isLimited && !slices.Contains(values, text) {
			return row.Errorf(c.Name, "%s is not %s. Correct the cell, or export again.", dataset.Quote(text),
				joinValues(values))
		}
	}
	return nil
}

// presentColumn returns the first column of "a|b" that a row has.
func presentColumn(row dataset.Row, names string) string {
	for name := range strings.SplitSeq(names, "|") {
		if row.Has(name) {
			return name
		}
	}
	return names
}

// joinValues lists what a cell can be. The list of batches can be long.
func joinValues(values []string) string {
	const most = 10
	switch {
	case len(values) == 0:
		return "in the manifest"
	case len(values) == 1:
		return dataset.Quote(values[0])
	}
	quoted := make([]string, 0, most)
	for _, v := range values[:min(len(values), most)] {
		quoted = append(quoted, dataset.Quote(v))
	}
	if more := len(values) - most; more > 0 {
		return fmt.Sprintf("%s or one of %d more", strings.Join(quoted, ", "), more)
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " or " + quoted[len(quoted)-1]
}

// rows calls add for each row of a table that follows its rules, and stops at the first error.
func (r *reader) rows(table string, add func(dataset.Row) error) error {
	file, exists := r.Table(table)
	if !exists {
		return nil
	}
	rule := r.rules[table]
	if err := rule.checkColumns(file); err != nil {
		return err
	}
	for row, err := range r.Rows(table) {
		if err == nil {
			err = rule.checkRow(row)
		}
		if err == nil {
			err = add(row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A rowIndex remembers where each id was read.
type rowIndex map[string]rowPlace

type rowPlace struct {
	file string
	row  int
}

// add returns an error if an id was read before. name is that of the id in the message.
func (x rowIndex) add(row dataset.Row, column, id, name string) error {
	if first, isRead := x[id]; isRead {
		return row.Errorf(column, "%s is in %s, row %d, too. Keep one, or export again.", name, first.file, first.row)
	}
	x[strings.Clone(id)] = rowPlace{row.File().Name, row.No()}
	return nil
}
