package postgres

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A constraint is a condition that every row of annotations and adjudications meets. Its
// name is the rule of the protocol.Problem that it reports.
type constraint struct {
	Name       string
	Expression string // true or false for any row, never NULL and never an error
}

// constraints returns protocol.Check as SQL conditions on the columns answers,
// observations, unsure, note and facts.
//
// They compare JSON values as text with the text of a whole number. So they reject
// "1", 1.0, null and nested values, and no cast can fail.
func constraints(p protocol.Protocol) []constraint {
	var cs []constraint
	for _, f := range p.Fields {
		cs = append(cs, fieldConstraints(f)...)
	}
	cs = append(cs, knownKeyConstraints(p)...)
	for _, r := range p.AllRules() {
		cs = append(cs, constraint{r.ID, ruleExpression(p, r)})
	}
	return append(cs, constraint{"note_length", fmt.Sprintf("char_length(note) <= %d", protocol.MaxNoteLength)})
}

func fieldConstraints(f protocol.Field) []constraint {
	answer := answerExpression(f.Key)
	hasAnswer, hasNoAnswer := answer+" IS NOT NULL", answer+" IS NULL"
	scale := hasNoAnswer + " OR " + inExpression(answer, f.Scale.Values())
	if f.OnlyWhen == "" {
		return []constraint{{f.Key + "_given", hasAnswer}, {f.Key + "_scale", scale}}
	}
	applies := factExpression(f.OnlyWhen)
	return []constraint{
		{f.Key + "_given", "NOT " + applies + " OR " + hasAnswer},
		{f.Key + "_applies", applies + " OR " + hasNoAnswer},
		{f.Key + "_scale", "NOT " + applies + " OR " + scale},
	}
}

// knownKeyConstraints reject keys that p does not have, and duplicate keys.
func knownKeyConstraints(p protocol.Protocol) []constraint {
	fields, observations := make([]string, len(p.Fields)), make([]string, len(p.Observations))
	for i, f := range p.Fields {
		fields[i] = f.Key
	}
	for i, o := range p.Observations {
		observations[i] = o.Key
	}
	var unsure []string
	if p.AllowsBetween {
		unsure = fields
	}
	// CASE fixes the order of evaluation, unlike AND. A scalar here, or a nested array
	// in subsetExpression, would raise an error.
	answers := "CASE WHEN jsonb_typeof(answers) = 'object' THEN answers - " + textArrayLiteral(fields) +
		" = '{}' ELSE FALSE END"
	return []constraint{
		{"known_answers", answers},
		{"known_observations", subsetExpression("observations", observations)},
		{"known_unsure", subsetExpression("unsure", unsure)},
	}
}

// subsetExpression is true if a column is a one-dimensional array of different keys.
func subsetExpression(column string, keys []string) string {
	return fmt.Sprintf("CASE WHEN %[1]s = '{}' THEN TRUE WHEN array_ndims(%[1]s) = 1 THEN %[1]s <@ %[2]s AND public.has_unique_elements(%[1]s) ELSE FALSE END",
		column, textArrayLiteral(keys))
}

// ruleExpression is true unless the conditions of r hold and an answer breaks it. An
// absent answer does neither.
func ruleExpression(p protocol.Protocol, r protocol.Rule) string {
	var whenConditions, thenConditions []string
	for _, c := range r.When {
		whenConditions = append(whenConditions, conditionExpression(p, c, "IS NOT NULL AND"))
	}
	for _, c := range r.Then {
		thenConditions = append(thenConditions, conditionExpression(p, c, "IS NULL OR"))
	}
	return "NOT (" + joinAnd(whenConditions) + ") OR (" + joinAnd(thenConditions) + ")"
}

func joinAnd(expressions []string) string {
	if len(expressions) == 0 {
		return "TRUE"
	}
	return strings.Join(expressions, " AND ")
}

// conditionExpression returns c as SQL. The operator whenAbsent decides how an absent
// answer counts; other keys are never absent.
func conditionExpression(p protocol.Protocol, c protocol.Condition, whenAbsent string) string {
	isOne, ok := binaryExpression(p, c.Key)
	if !ok {
		answer := answerExpression(c.Key)
		return "(" + answer + " " + whenAbsent + " " + inExpression(answer, c.Values) + ")"
	}
	switch {
	case slices.Contains(c.Values, 0) && slices.Contains(c.Values, 1):
		return "TRUE"
	case slices.Contains(c.Values, 1):
		return isOne
	case slices.Contains(c.Values, 0):
		return "NOT " + isOne
	}
	return "FALSE"
}

// binaryExpression returns a condition that is true if a key other than a field is 1. It
// looks keys up in the same order as protocol.Check.
func binaryExpression(p protocol.Protocol, key string) (expression string, ok bool) {
	if key == protocol.NoteKey {
		return noteExpression(p), true
	}
	for _, f := range p.Fields {
		if protocol.UnsureKey(f.Key) == key {
			return "(" + quoteLiteral(f.Key) + " = ANY (unsure) IS TRUE)", true
		}
	}
	if _, ok := p.Observation(key); ok {
		return "(" + quoteLiteral(key) + " = ANY (observations) IS TRUE)", true
	}
	isFact := slices.ContainsFunc(p.Facts, func(f protocol.Fact) bool { return f.Key == key })
	return factExpression(key), isFact
}

// noteExpression is true if the note has text apart from what hints fill in.
func noteExpression(p protocol.Protocol) string {
	own := "note"
	for _, h := range p.FilledNotes() {
		var conditions []string
		for _, c := range h.When {
			conditions = append(conditions, conditionExpression(p, c, "IS NOT NULL AND"))
		}
		own = "replace(" + own + ", CASE WHEN " + joinAnd(conditions) + " THEN " + quoteLiteral(h.Note) +
			" ELSE '' END, '')"
	}
	return "(btrim(" + own + ", " + quoteLiteral(protocol.NoteBlankChars) + ") <> '')"
}

func answerExpression(field string) string {
	return "(answers -> " + quoteLiteral(field) + ")::pg_catalog.text"
}

func factExpression(key string) string {
	return "((facts -> " + quoteLiteral(key) + ")::pg_catalog.text = 'true' IS TRUE)"
}

func inExpression(value string, in []int) string {
	texts := make([]string, len(in))
	for i, v := range in {
		texts[i] = strconv.Itoa(v)
	}
	return value + " = ANY (" + textArrayLiteral(texts) + ")"
}

func textArrayLiteral(texts []string) string {
	literals := make([]string, len(texts))
	for i, text := range texts {
		literals[i] = quoteLiteral(text)
	}
	return "ARRAY[" + strings.Join(literals, ", ") + "]::pg_catalog.text[]"
}

// quoteLiteral quotes text as an SQL string that is valid under any server setting.
func quoteLiteral(text string) string {
	var quoted strings.Builder
	prefix := ""
	for _, r := range text {
		if r >= ' ' && r <= '~' && r != '\'' && r != '\\' {
			quoted.WriteRune(r)
			continue
		}
		prefix = "E"
		if r > 0xffff {
			fmt.Fprintf(&quoted, `\U%08x`, r)
			continue
		}
		fmt.Fprintf(&quoted, `\u%04x`, r)
	}
	return prefix + "'" + quoted.String() + "'"
}
