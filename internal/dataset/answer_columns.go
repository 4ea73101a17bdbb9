package dataset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/protocol"
)

// answerCell returns the answer to a field, or an absent cell.
func answerCell(a protocol.Answers, key string) cell {
	value, isAnswered := a.Values[key]
	if !isAnswered {
		return cell{}
	}
	return numberCell(int64(value))
}

func longAnswerColumns(p protocol.Protocol) []exportColumn {
	columns := []exportColumn{
		textColumn("dimension", "The field's key.", func(r *exportRow) string { return r.field.Key }),
		cellColumn("value", typeInteger, "The answer. Empty: not answered.", func(r *exportRow) cell {
			return answerCell(r.Answers, r.field.Key)
		}),
	}
	if p.AllowsBetween {
		columns = append(columns, bitColumn("unsure", "The annotator was between this value and the next higher one",
			func(r *exportRow) bool { return slices.Contains(r.Answers.Unsure, r.field.Key) }))
	}
	return markPerField(columns)
}

// wideAnswerColumns returns a column for each field and, if the protocol allows values
// in between, a column for being unsure. Names differ from those of previous.
func wideAnswerColumns(p protocol.Protocol, previous []exportColumn) (columns []exportColumn) {
	usedColumns := slices.Concat(previous, observationColumns(p))
	for _, f := range p.Fields {
		name := answerColumnName(f.Key, usedColumns)
		description := fmt.Sprintf("%s: %s Empty: does not apply to this item.", f.Title, f.Question)
		columns = append(columns, cellColumn(name, typeInteger, description, func(r *exportRow) cell {
			return answerCell(r.Answers, f.Key)
		}))
	}
	for _, f := range p.Fields {
		if p.AllowsBetween {
			columns = append(columns, bitColumn("unsure."+f.Key, f.Title+
				": the annotator was between this value and the next higher one",
				func(r *exportRow) bool { return slices.Contains(r.Answers.Unsure, f.Key) }))
		}
	}
	return columns
}

// answerColumnName returns the column name for the answers to a field: its key, unless
// the name is taken.
func answerColumnName(key string, usedColumns []exportColumn) string {
	if slices.ContainsFunc(usedColumns, func(c exportColumn) bool { return c.Name == key }) {
		return "answer." + key
	}
	return key
}

// observationColumns returns the columns of observations, note, verdicts and rules.
func observationColumns(p protocol.Protocol) (columns []exportColumn) {
	for _, o := range p.Observations {
		columns = append(columns, bitColumn("obs."+o.Key, o.Title, func(r *exportRow) bool {
			return slices.Contains(r.Answers.Observations, o.Key)
		}))
	}
	columns = append(columns, textColumn("note", "The annotator's note.", func(r *exportRow) string {
		return r.Answers.Note
	}))
	for _, v := range p.Verdicts {
		columns = append(columns, bitColumn("verdict."+v.Key, v.Title+", derived from the answers",
			func(r *exportRow) bool { return verdictHolds(v, r.Answers) }))
	}
	return append(columns, ruleColumns()...)
}

// ruleColumns returns the columns with the result of checking the rules.
func ruleColumns() []exportColumn {
	return []exportColumn{
		cellColumn("rule_ok", typeBoolean,
			"true if the answers break no rule of the protocol, checked again for this file.",
			func(r *exportRow) cell { return boolCell(len(r.brokenRules) == 0) }),
		textColumn("broken_rules", "Ids of the broken rules, separated by spaces.", func(r *exportRow) string {
			return strings.Join(r.brokenRules, " ")
		}),
	}
}
