package dataset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/protocol"
)

// answerCell returns an answer, or nothing where there is none.
func answerCell(a protocol.Answers, key string) cell {
	value, isAnswered := a.Values[key]
	if !isAnswered {
		return cell{}
	}
	return numberCell(int64(value))
}

func longAnswerColumns(p protocol.Protocol) []exportColumn {
	columns := []exportColumn{
		textColumn("dimension", "The field's key.", func(l exportRow) string { return l.field.Key }),
		cellColumn("value", "integer", "The answer. Empty: the field was not answered.", func(l exportRow) cell { return answerCell(l.Answers, l.field.Key) }),
	}
	if p.AllowsBetween {
		columns = append(columns, bitColumn("unsure", "Answered between this value and the next higher one",
			func(l exportRow) bool { return slices.Contains(l.Answers.Unsure, l.field.Key) }))
	}
	return columns
}

// wideAnswerColumns returns a column for each field, and for doubt about it. No name
// of before is given twice.
func wideAnswerColumns(p protocol.Protocol, previous []exportColumn) (columns []exportColumn) {
	usedColumns := slices.Concat(previous, observationColumns(p))
	for _, f := range p.Fields {
		name := answerColumnName(f.Key, usedColumns)
		description := fmt.Sprintf("%s: %s Empty: not asked of this item.", f.Title, f.Question)
		columns = append(columns, cellColumn(name, "integer", description, func(l exportRow) cell { return answerCell(l.Answers, f.Key) }))
	}
	for _, f := range p.Fields {
		if p.AllowsBetween {
			columns = append(columns, bitColumn("unsure."+f.Key, f.Title+": answered between this value and the next higher one",
				func(l exportRow) bool { return slices.Contains(l.Answers.Unsure, f.Key) }))
		}
	}
	return columns
}

// answerColumnName returns the name of the column that holds a field's answers.
func answerColumnName(key string, usedColumns []exportColumn) string {
	if slices.ContainsFunc(usedColumns, func(c exportColumn) bool { return c.Name == key }) {
		return "answer." + key
	}
	return key
}

// observationColumns returns the columns of what is said of the item as a whole, and of
// what follows from the answers.
func observationColumns(p protocol.Protocol) (columns []exportColumn) {
	for _, o := range p.Observations {
		columns = append(columns, bitColumn("obs."+o.Key, o.Title, func(l exportRow) bool { return slices.Contains(l.Answers.Observations, o.Key) }))
	}
	columns = append(columns, textColumn("note", "The annotator's note.", func(l exportRow) string { return l.Answers.Note }))
	for _, v := range p.Verdicts {
		columns = append(columns, bitColumn("verdict."+v.Key, v.Title+", derived from the answers", func(l exportRow) bool { return verdictHolds(v, l.Answers) }))
	}
	return append(columns, ruleColumns()...)
}

// ruleColumns returns the columns that say what the rules make of the answers.
func ruleColumns() []exportColumn {
	return []exportColumn{
		cellColumn("rule_ok", "boolean", "The answers keep every rule of the protocol, judged anew for this file.",
			func(l exportRow) cell { return boolCell(len(l.brokenRules) == 0) }),
		textColumn("broken", "The rules they break, parted by blanks.", func(l exportRow) string { return strings.Join(l.brokenRules, " ") }),
	}
}

// verdictHolds reports whether v follows from the answers that were given.
func verdictHolds(v protocol.VerdictRule, a protocol.Answers) bool {
	hasAny := v.Any == nil
	for _, value := range a.Values {
		hasAny = hasAny || slices.Contains(v.Any, value)
		if slices.Contains(v.None, value) || v.All != nil && !slices.Contains(v.All, value) {
			return false
		}
	}
	return hasAny
}
