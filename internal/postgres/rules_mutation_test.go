package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/require"
)

// TestRules_Mutation_IsDetected changes one implementation at a time and requires that
// the comparison with the others finds a difference.

var browserMutations = []struct{ name, old, new string }{
	{"fields always apply", "!field.onlyWhen || input.facts.get(field.onlyWhen) === true", "true"},
	{"any value of a fact counts as true", "input.facts.get(field.onlyWhen) === true",
		"input.facts.has(field.onlyWhen)"},
	{"open field accepted", "if (!isAnswered && applies(field, input))", "if (false)"},
	{"answer to an inapplicable field accepted", "if (isAnswered && !applies(field, input))", "if (false)"},
	{"scale checked for an open field", "if (isAnswered && !field.values.includes", "if (!field.values.includes"},
	{"value off the scale accepted", "!field.values.includes(input.values.get(key))", "false"},
	{"text converted to a number", "!field.values.includes(input.values.get(key))",
		"!field.values.includes(Number(input.values.get(key)))"},
	{"duplicate key accepted", "!known.includes(key) || keys.indexOf(key) < i", "!known.includes(key)"},
	{"unknown key accepted", "!known.includes(key) || keys", "keys"},
	{"keys sorted by UTF-16 unit", ".sort(compareCodePoints)", ".sort()"},
	{"keys not sorted", ".sort(compareCodePoints)", ""},
	{"key in a message used as a pattern", "messages.unknownKey.replace('%s', () => key)",
		"messages.unknownKey.replace('%s', key)"},
	{"unsure accepted if not allowed", "allowsBetween ? fieldKeys : []", "fieldKeys"},
	{"unsure never accepted", "allowsBetween ? fieldKeys : []", "[]"},
	{"one condition triggers a rule", "rule.when.every(c", "rule.when.some(c"},
	{"one consequence satisfies a rule", ".filter(c => values.has(c.key) && !conditionHolds(c, values))",
		".filter((c, _, then) => values.has(c.key) && !then.some(c => conditionHolds(c, values)))"},
	{"only the first consequence checked", "rule.then\n", "rule.then.slice(0, 1)\n"},
	{"open field violates a rule", "values.has(c.key) && !conditionHolds", "!conditionHolds"},
	{"open field triggers a rule", "values.has(condition.key) && condition.values",
		"!values.has(condition.key) || condition.values"},
	{"missing fact not treated as false", "for (const key of facts) values.set",
		"for (const key of facts) if (input.facts.has(key)) values.set"},
	{"facts trigger no rule", "for (const key of facts)", "for (const key of [])"},
	{"unselected observation not treated as 0", "for (const key of observations) values.set",
		"for (const key of observations) if (input.observations.includes(key)) values.set"},
	{"unsure triggers no rule", "Number(input.unsure.includes(key))", "0"},
	{"answers in an object with a prototype", "const values = new Map(input.values)",
		"const o = Object.fromEntries(input.values), values = { get: k => o[k], has: k => k in o, set: (k, v) => ((o[k] = v), values) }"},
	{"blank characters of JavaScript", "[...ownNote].some(c => !blankChars.includes(c))", "ownNote.trim() !== ''"},
	{"only an empty note is blank", "[...ownNote].some(c => !blankChars.includes(c))", "ownNote.length > 0"},
	{"one blank character makes a note blank", "[...ownNote].some(", "ownNote.length > 0 && [...ownNote].every("},
	{"filled note counts as written", "note.replaceAll(hint.note, '')", "note"},
	{"note filled in without its condition", "hint.when.every(c => conditionHolds(c, values)))\n    .reduce",
		"true)\n    .reduce"},
	{"one condition of a filled note", "hint.when.every(c => conditionHolds(c, values)))\n    .reduce",
		"hint.when.some(c => conditionHolds(c, values)))\n    .reduce"},
	{"filled note removed once", "replaceAll(hint.note, '')", "replace(hint.note, '')"},
	{"filled note as a pattern", "replaceAll(hint.note, '')", "replaceAll(new RegExp(hint.note, 'g'), '')"},
	{"note length in UTF-16 units", "noteLength: [...note].length", "noteLength: note.length"},
	{"note limit one shorter", "noteLength <= maxNoteLength", "noteLength < maxNoteLength"},
	{"unfinished form checked like a complete one", "p.rule !== `${p.key}_given`", "true"},
	{"one condition activates a hint", "hint.when.every", "hint.when.some"},
	{"observations exclude answers", "filter(p => isField.has(p.key))", "filter(p => true)"},
	{"answer forced for an inapplicable field", ".filter(f => applies(f, input))", ""},
	{"no answer forced for an answered field", "others.delete(field.key)", ""},
}

var databaseMutations = []struct{ name, old, new string }{
	{"null counts as no answer", "IS NOT NULL", "<> 'null'"},
	{"fields always apply", "(facts -> 'multi_turn')::pg_catalog.text = 'true' IS TRUE", "TRUE"},
	{"any value of a fact counts as true", "(facts -> 'multi_turn')::pg_catalog.text = 'true' IS TRUE",
		"(facts -> 'multi_turn') IS NOT NULL"},
	{"fact compared as text", "(facts -> 'multi_turn')::pg_catalog.text", "(facts ->> 'multi_turn')"},
	{"answer compared as text", "(answers -> 'a')::pg_catalog.text", "(answers ->> 'a')"},
	{"scale checked for an open field", "IS NULL OR (answers", "IS NULL AND (answers"},
	{"scale has another value", "'1', '2'", "'1', '2', '99'"},
	{"scale lacks a value", "'0', '1', '2'", "'0', '1'"},
	{"minus sign lost", "'-1'", "'1'"},
	{"quotation mark lost", `it\u0027s`, "its"},
	{"unknown field accepted", "= '{}'", "IS NOT NULL"},
	{"duplicate observation accepted", "public.has_unique_elements(observations)", "TRUE"},
	{"duplicate unsure field accepted", "public.has_unique_elements(unsure)", "TRUE"},
	{"unknown observation accepted", "observations <@ ARRAY", "observations IS NOT NULL OR observations <@ ARRAY"},
	{"one condition triggers a rule", "IS TRUE) AND NOT (", "IS TRUE) OR NOT ("},
	{"one consequence satisfies a rule", "['0']::pg_catalog.text[])) AND (", "['0']::pg_catalog.text[])) OR ("},
	{"open field triggers a rule", "((answers -> 'b')::pg_catalog.text IS NOT NULL AND",
		"((answers -> 'b')::pg_catalog.text IS NULL OR"},
	{"open field violates a rule", "((answers -> 'b')::pg_catalog.text IS NULL OR",
		"((answers -> 'b')::pg_catalog.text IS NOT NULL AND"},
	{"observations trigger no rule", "= ANY (observations)", "= ANY (ARRAY['never'])"},
	{"unsure triggers no rule", "= ANY (unsure)", "= ANY (ARRAY['never'])"},
	{"blank characters of PostgreSQL", ", " + quoteLiteral(protocol.NoteBlankChars) + ")", ")"},
	{"only an empty note is blank", ", " + quoteLiteral(protocol.NoteBlankChars) + ")", ", '')"},
	{"filled note counts as written", "THEN 'two'", "THEN 'no'"},
	{"filled note removed without its tick", "('framed' = ANY (observations) IS TRUE) THEN", "TRUE THEN"},
	{"blank character missing", `\u200b`, ""},
	{"additional blank character", `\u200b`, `\u200b\u3164`},
	{"note length in bytes", "char_length(note)", "octet_length(note)"},
	{"note limit one shorter", "<= 4000", "< 4000"},
	{"note limit one longer", "<= 4000", "<= 4001"},
}

// mutateProtocol returns variants of a protocol that differ in one rule, field or list.
func mutateProtocol(p protocol.Protocol) map[string]protocol.Protocol {
	mutants := map[string]protocol.Protocol{}
	for i, r := range p.Rules {
		q := p
		q.Rules = slices.Delete(slices.Clone(p.Rules), i, i+1)
		mutants[r.ID+" missing"] = q
		for _, key := range conditionKeys(r.When, r.Then) {
			q := p
			q.Rules = slices.Clone(p.Rules)
			q.Rules[i].When, q.Rules[i].Then = withoutValues(r.When, key), withoutValues(r.Then, key)
			mutants[r.ID+" without "+key] = q
		}
	}
	for i, f := range p.Fields {
		q := p
		q.Fields = slices.Clone(p.Fields)
		q.Fields[i].Scale = append(slices.Clone(f.Scale), protocol.Point{Value: offScale})
		mutants[f.Key+" has another point"] = q
		q.Fields = slices.Clone(p.Fields)
		q.Fields[i].Scale = f.Scale[1:]
		mutants[f.Key+" lacks a point"] = q
		q.Fields = slices.Delete(slices.Clone(p.Fields), i, i+1)
		mutants[f.Key+" missing"] = q
	}
	for i, h := range p.Hints {
		if h.Note != "" && h.ID != "quiet" { // its note depends on the note and counts either way
			q := p
			q.Hints = slices.Clone(p.Hints)
			q.Hints[i].Explains = !h.Explains
			mutants[h.ID+" explains inverted"] = q
		}
	}
	q := p
	q.AllowsBetween = !p.AllowsBetween
	mutants["allows_between inverted"] = q
	q = p
	q.Observations = p.Observations[1:]
	mutants["observation missing"] = q
	q = p
	q.Facts = p.Facts[:1]
	mutants["fact missing"] = q
	return mutants
}

// withoutValues makes the conditions on key impossible.
func withoutValues(conds []protocol.Condition, key string) []protocol.Condition {
	conds = slices.Clone(conds)
	for i, c := range conds {
		if c.Key == key {
			conds[i].Values = nil
		}
	}
	return conds
}

func TestRules_Mutation_IsDetected(t *testing.T) {
	require.Program(t, "node")
	t.Parallel()
	conn := connect(t)
	sample, plain := newSampleProtocol(), newSampleProtocol()
	plain.AllowsBetween, plain.Rules = false, nil
	sets := []caseSet{newCaseSet(sample, fillRules(sample), 100), newCaseSet(plain, nil, 1)}
	var script nodeScript
	script.useModule(t, rulesModule)
	script.useMutations(writeMutatedModules(t))
	for _, set := range sets {
		script.addCases(set)
	}
	results := script.run(t)
	detected := map[string]bool{}
	for _, set := range sets {
		t.Run("", func(t *testing.T) { set.checkDetected(t, conn, &results, detected) })
	}
	for mutation, ok := range detected {
		if !ok {
			t.Errorf("not detected: %s", mutation)
		}
	}
	t.Logf("%d mutations detected", len(detected))
}

// writeMutatedModules writes rules.mjs with each mutation and returns the paths.
func writeMutatedModules(t *testing.T) (paths []string) {
	source, err := os.ReadFile(rulesModule)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for i, mutation := range browserMutations {
		mutated := strings.ReplaceAll(string(source), mutation.old, mutation.new)
		if mutated == string(source) {
			t.Fatalf("%s: rules.mjs does not contain %q", mutation.name, mutation.old)
		}
		path := filepath.Join(dir, fmt.Sprintf("rules_%d.mjs", i))
		if err := os.WriteFile(path, []byte(mutated), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// checkDetected compares each mutation of each implementation with the others.
func (set caseSet) checkDetected(t *testing.T, conn *pgx.Conn, results *nodeOutput, detected map[string]bool) {
	browser := results.takeResults(t, set)
	cs := constraints(set.protocol)
	table := newCaseTable(t, conn, set.cases)
	database := table.findViolations(t, cs)
	var server []evaluation
	for i := range set.typed {
		server = append(server, set.serverFor(set.protocol)(i))
	}
	unmutated := func(i int) evaluation { return server[i] }
	if difference, ok := set.firstDifference(unmutated, browser, database); ok {
		t.Fatalf("without mutation: %s", difference)
	}
	compare := func(mutation string, server func(int) evaluation, browser []evaluation, database []violations) {
		_, differs := set.firstDifference(server, browser, database)
		detected[mutation] = detected[mutation] || differs
	}
	for _, m := range browserMutations {
		mutated := slices.Clone(browser)
		for _, d := range takeLine[[]differingCase](t, results) {
			mutated[d.Case] = d.evaluation
		}
		compare("browser: "+m.name, unmutated, mutated, database)
	}
	for _, m := range databaseMutations {
		compare("database: "+m.name, unmutated, browser, table.reevaluate(t, cs, m.old, m.new, database))
	}
	for mutation, p := range mutateProtocol(set.protocol) {
		compare("server: "+mutation, set.serverFor(p), browser, database)
	}
}

// reevaluate returns the violations with a mutation of the expressions. It only evaluates
// the expressions that change.
func (ct caseTable) reevaluate(t *testing.T, cs []constraint, oldText, newText string,
	before []violations) []violations {
	var mutated []constraint
	isMutated := map[string]bool{}
	for _, c := range cs {
		if strings.Contains(c.Expression, oldText) {
			mutated = append(mutated, constraint{c.Name, strings.ReplaceAll(c.Expression, oldText, newText)})
			isMutated[c.Name] = true
		}
	}
	if len(mutated) == 0 {
		return before
	}
	after := ct.findViolations(t, mutated)
	for i, v := range before {
		unchanged := slices.DeleteFunc(slices.Clone(v), func(name string) bool { return isMutated[name] })
		after[i] = append(after[i], unchanged...)
		slices.Sort(after[i])
	}
	return after
}
