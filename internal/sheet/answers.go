package sheet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/protocol"
)

// valueCell returns an answer, or nothing where there is none.
func valueCell(a protocol.Answers, key string) cell {
	value, given := a.Values[key]
	if !given {
		return cell{}
	}
	return numberCell(int64(value))
}

func longAnswer(p protocol.Protocol) []filled {
	columns := []filled{
		text("dimension", "The field's key.", func(l line) string { return l.field.Key }),
		exact("value", "integer", "The answer. Empty: the field was not answered.", func(l line) cell { return valueCell(l.Answers, l.field.Key) }),
	}
	if p.Between {
		columns = append(columns, bit("unsure", "Answered between this value and the next higher one",
			func(l line) bool { return slices.Contains(l.Answers.Unsure, l.field.Key) }))
	}
	return columns
}

// wideAnswers returns a column for each field, and for doubt about it. No name
// of before is given twice.
func wideAnswers(p protocol.Protocol, before []filled) (columns []filled) {
	taken := slices.Concat(before, observed(p))
	for _, f := range p.Fields {
		name := free(f.Key, taken)
		means := fmt.Sprintf("%s: %s Empty: not asked of this item.", f.Title, f.Ask)
		columns = append(columns, exact(name, "integer", means, func(l line) cell { return valueCell(l.Answers, f.Key) }))
	}
	for _, f := range p.Fields {
		if p.Between {
			columns = append(columns, bit("unsure."+f.Key, f.Title+": answered between this value and the next higher one",
				func(l line) bool { return slices.Contains(l.Answers.Unsure, f.Key) }))
		}
	}
	return columns
}

// free returns the name of the column that holds a field's answers.
func free(key string, taken []filled) string {
	if slices.ContainsFunc(taken, func(c filled) bool { return c.Name == key }) {
		return "answer." + key
	}
	return key
}

// observed returns the columns of what is said of the item as a whole, and of
// what follows from the answers.
func observed(p protocol.Protocol) (columns []filled) {
	for _, o := range p.Observations {
		columns = append(columns, bit("obs."+o.Key, o.Title, func(l line) bool { return slices.Contains(l.Answers.Observations, o.Key) }))
	}
	columns = append(columns, text("note", "The annotator's note.", func(l line) string { return l.Answers.Note }))
	for _, v := range p.Verdicts {
		columns = append(columns, bit("verdict."+v.Key, v.Title+", derived from the answers", func(l line) bool { return holds(v, l.Answers) }))
	}
	return append(columns, judged()...)
}

// judged returns the columns that say what the rules make of the answers.
func judged() []filled {
	return []filled{
		exact("rule_ok", "boolean", "The answers keep every rule of the protocol, judged anew for this file.",
			func(l line) cell { return boolCell(len(l.broken) == 0) }),
		text("broken", "The rules they break, parted by blanks.", func(l line) string { return strings.Join(l.broken, " ") }),
	}
}

// holds reports whether v follows from the answers that were given.
func holds(v protocol.Verdict, a protocol.Answers) bool {
	anyMet := v.Any == nil
	for _, value := range a.Values {
		anyMet = anyMet || slices.Contains(v.Any, value)
		if slices.Contains(v.None, value) || v.All != nil && !slices.Contains(v.All, value) {
			return false
		}
	}
	return anyMet
}
