package postgres

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A constraint is one reason to refuse an annotation, named as the
// protocol.Problem that it is.
type constraint struct {
	Name       string
	Expression string // true or false of any row, never NULL and never an error
}

// constraints returns protocol.Check as SQL: what must hold of answers,
// observations, unsure, note and facts in every annotation made under p.
//
// JSON is compared as text with the text of a whole number, so that "1", 1.0,
// null and nested values are refused and no cast can fail.
func constraints(p protocol.Protocol) []constraint {
	var cs []constraint
	for _, f := range p.Fields {
		cs = append(cs, fieldConstraints(f)...)
	}
	cs = append(cs, knownConstraints(p)...)
	for _, r := range p.AllRules() {
		cs = append(cs, constraint{r.ID, ruleExpression(p, r)})
	}
	return append(cs, constraint{"note_length", fmt.Sprintf("char_length(note) <= %d", protocol.NoteLimit)})
}

func fieldConstraints(f protocol.Field) []constraint {
	answer := answerTo(f.Key)
	given, absent := answer+" IS NOT NULL", answer+" IS NULL"
	scale := absent + " OR " + among(answer, f.Scale.Values())
	if f.OnlyWhen == "" {
		return []constraint{{f.Key + "_given", given}, {f.Key + "_scale", scale}}
	}
	applies := factHolds(f.OnlyWhen)
	return []constraint{
		{f.Key + "_given", "NOT " + applies + " OR " + given},
		{f.Key + "_applies", applies + " OR " + absent},
		{f.Key + "_scale", "NOT " + applies + " OR " + scale},
	}
}

// knownConstraints refuse keys that p does not have, and keys said twice.
func knownConstraints(p protocol.Protocol) []constraint {
	fields, observations := make([]string, len(p.Fields)), make([]string, len(p.Observations))
	for i, f := range p.Fields {
		fields[i] = f.Key
	}
	for i, o := range p.Observations {
		observations[i] = o.Key
	}
	var unsure []string
	if p.Between {
		unsure = fields
	}
	// CASE, since AND promises no order: a scalar, or a nested list below, would
	// raise an error.
	answers := "CASE WHEN jsonb_typeof(answers) = 'object' THEN answers - " + textArray(fields) + " = '{}' ELSE FALSE END"
	return []constraint{
		{"known_answers", answers},
		{"known_observations", setOf("observations", observations)},
		{"known_unsure", setOf("unsure", unsure)},
	}
}

// setOf says that a column is a plain list of some of keys, each once.
func setOf(column string, keys []string) string {
	return fmt.Sprintf("CASE WHEN coalesce(array_ndims(%[1]s), 1) = 1 THEN %[1]s <@ %[2]s AND public.is_set(%[1]s) ELSE FALSE END",
		column, textArray(keys))
}

// ruleExpression is true unless r starts and a key breaks it. What is absent
// does neither.
func ruleExpression(p protocol.Protocol, r protocol.Rule) string {
	var starts, kept []string
	for _, c := range r.When {
		starts = append(starts, "("+among(valueOf(p, c.Key), c.In)+") IS TRUE")
	}
	for _, c := range r.Then {
		value := valueOf(p, c.Key)
		kept = append(kept, "("+value+" IS NULL OR "+among(value, c.In)+")")
	}
	return "NOT (" + all(starts) + ") OR (" + all(kept) + ")"
}

func all(expressions []string) string {
	if len(expressions) == 0 {
		return "TRUE"
	}
	return strings.Join(expressions, " AND ")
}

// valueOf returns what stands under a key that rules may speak of, as text;
// NULL where it is absent, which only a field can be.
func valueOf(p protocol.Protocol, key string) string {
	isKey := func(f protocol.Field) bool { return protocol.UnsureOf(f.Key) == key }
	if key == protocol.Note {
		return bit("btrim(note, " + literal(protocol.Blank) + ") <> ''")
	}
	if i := slices.IndexFunc(p.Fields, isKey); i >= 0 {
		return bit(literal(p.Fields[i].Key) + " = ANY (unsure)")
	}
	if _, ok := p.Observation(key); ok {
		return bit(literal(key) + " = ANY (observations)")
	}
	if slices.ContainsFunc(p.Facts, func(f protocol.Fact) bool { return f.Key == key }) {
		return bit(factHolds(key))
	}
	return answerTo(key)
}

func bit(condition string) string { return "((" + condition + ") IS TRUE)::int::text" }

func answerTo(field string) string { return "(answers -> " + literal(field) + ")::text" }

func factHolds(key string) string { return "((facts -> " + literal(key) + ")::text = 'true' IS TRUE)" }

func among(value string, in []int) string {
	texts := make([]string, len(in))
	for i, v := range in {
		texts[i] = strconv.Itoa(v)
	}
	return value + " = ANY (" + textArray(texts) + ")"
}

func textArray(texts []string) string {
	literals := make([]string, len(texts))
	for i, text := range texts {
		literals[i] = literal(text)
	}
	return "ARRAY[" + strings.Join(literals, ", ") + "]::text[]"
}

// literal quotes text as an SQL string that means the same under any setting
// of the server.
func literal(text string) string {
	var quoted strings.Builder
	prefix := ""
	for _, r := range text {
		if r >= ' ' && r <= '~' && r != '\'' && r != '\\' {
			quoted.WriteRune(r)
			continue
		}
		prefix = "E"
		fmt.Fprintf(&quoted, `\U%08x`, r)
	}
	return prefix + "'" + quoted.String() + "'"
}

// partition returns the statements that make the table of all annotations
// under version versionID of p. It is built apart and then attached, so that
// nobody who reads or writes annotations has to wait. Its foreign keys keep
// writers of the tables they point to waiting until the transaction ends.
func partition(name string, p protocol.Protocol, versionID int) []string {
	table := pgx.Identifier{name}.Sanitize()
	lines := []string{
		"LIKE annotations INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED",
		// No rule can have an id with spaces.
		fmt.Sprintf(`CONSTRAINT "this version only" CHECK (protocol_version_id = %d)`, versionID),
	}
	for _, c := range constraints(p) {
		lines = append(lines, fmt.Sprintf("CONSTRAINT %s CHECK (%s)", pgx.Identifier{c.Name}.Sanitize(), c.Expression))
	}
	return []string{
		"CREATE TABLE " + table + " (\n\t" + strings.Join(lines, ",\n\t") + "\n)",
		fmt.Sprintf("ALTER TABLE annotations ATTACH PARTITION %s FOR VALUES IN (%d)", table, versionID),
	}
}

// auditQuery judges rows once more: a query for (id, broken text[]) of those in
// from, a table or subquery with an id and the columns of annotations, that
// break any of cs.
func auditQuery(cs []constraint, from string) string {
	names := make([]string, len(cs))
	for i, c := range cs {
		names[i] = fmt.Sprintf("CASE WHEN (%s) IS NOT TRUE THEN %s END", c.Expression, literal(c.Name))
	}
	return fmt.Sprintf(`
		SELECT id, broken
		FROM (SELECT id, array_remove(ARRAY[%s]::text[], NULL) AS broken FROM %s) AS judged
		WHERE cardinality(broken) > 0
		ORDER BY id`, strings.Join(names, ",\n\t\t\t"), from)
}
