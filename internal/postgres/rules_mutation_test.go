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
)

// The comparison is worth what it notices. Each of these slips, made in one host
// alone, must show as a difference.

var browserMutations = []struct{ name, old, new string }{
	{"every field always applies", "!field.onlyWhen || input.facts.get(field.onlyWhen) === true", "true"},
	{"a fact need only be there", "input.facts.get(field.onlyWhen) === true", "input.facts.has(field.onlyWhen)"},
	{"an open question is no problem", "if (!isAnswered && applies(field, input))", "if (false)"},
	{"answers to questions not asked are let through", "if (isAnswered && !applies(field, input))", "if (false)"},
	{"the scale is judged where nothing is given", "if (isAnswered && !field.values.includes", "if (!field.values.includes"},
	{"any answer is on the scale", "!field.values.includes(input.values.get(key))", "false"},
	{"text counts as a number", "!field.values.includes(input.values.get(key))", "!field.values.includes(Number(input.values.get(key)))"},
	{"a key said twice is let through", "!known.includes(key) || keys.indexOf(key) < i", "!known.includes(key)"},
	{"an unknown key is let through", "!known.includes(key) || keys", "keys"},
	{"keys are sorted by UTF-16 unit", ".sort(compareCodePoints)", ".sort()"},
	{"keys are not sorted", ".sort(compareCodePoints)", ""},
	{"a key in a sentence is a pattern", "messages.unknownKey.replace('%s', () => key)", "messages.unknownKey.replace('%s', key)"},
	{"doubt is not asked for, and let through", "allowsBetween ? fieldKeys : []", "fieldKeys"},
	{"doubt is never known", "allowsBetween ? fieldKeys : []", "[]"},
	{"one condition starts a rule", "rule.when.every(c", "rule.when.some(c"},
	{"one consequence keeps a rule", ".filter(c => values.has(c.key) && !conditionHolds(c, values))", ".filter((c, _, then) => values.has(c.key) && !then.some(c => conditionHolds(c, values)))"},
	{"only the first consequence is judged", "rule.then\n", "rule.then.slice(0, 1)\n"},
	{"an absent answer breaks a rule", "values.has(c.key) && !conditionHolds", "!conditionHolds"},
	{"an absent answer starts a rule", "values.has(condition.key) && condition.values", "!values.has(condition.key) || condition.values"},
	{"a fact that is not told is absent", "for (const key of facts) values.set", "for (const key of facts) if (input.facts.has(key)) values.set"},
	{"facts start nothing", "for (const key of facts)", "for (const key of [])"},
	{"a tick that is not set is absent", "for (const key of observations) values.set", "for (const key of observations) if (input.observations.includes(key)) values.set"},
	{"doubt starts nothing", "Number(input.unsure.includes(key))", "0"},
	{"answers stand in an object", "const values = new Map(input.values)", "const o = Object.fromEntries(input.values), values = { get: k => o[k], has: k => k in o, set: (k, v) => ((o[k] = v), values) }"},
	{"blank is what JavaScript trims", "note.some(c => !blankChars.includes(c))", "note.join('').trim() !== ''"},
	{"an empty note alone is blank", "note.some(c => !blankChars.includes(c))", "note.length > 0"},
	{"a blank character makes a note blank", "note.some(", "note.length > 0 && note.every("},
	{"a note has UTF-16 units", "noteLength: note.length", "noteLength: answers.note.length"},
	{"a note may be one shorter", "noteLength <= maxNoteLength", "noteLength < maxNoteLength"},
	{"only the open form is judged", "p.rule !== `${p.key}_given`", "true"},
	{"one condition makes a hint stand", "hint.when.every", "hint.when.some"},
	{"ticks rule answers out", "filter(p => isField.has(p.key))", "filter(p => true)"},
	{"answers are forced where a question is not asked", "applies(f, input) && !input.values.has(f.key)", "!input.values.has(f.key)"},
	{"given answers are forced", "applies(f, input) && !input.values.has(f.key)", "applies(f, input)"},
}

var databaseMutations = []struct{ name, old, new string }{
	{"an answer of null is none", "IS NOT NULL", "<> 'null'"},
	{"every field always applies", "(facts -> 'multi_turn')::text = 'true' IS TRUE", "TRUE"},
	{"a fact need only be there", "(facts -> 'multi_turn')::text = 'true' IS TRUE", "(facts -> 'multi_turn') IS NOT NULL"},
	{"a fact may be text", "(facts -> 'multi_turn')::text", "(facts ->> 'multi_turn')"},
	{"an answer may be text", "(answers -> 'a')::text", "(answers ->> 'a')"},
	{"the scale is judged where nothing is given", "IS NULL OR (answers", "IS NULL AND (answers"},
	{"a value more is on a scale", "'1', '2'", "'1', '2', '99'"},
	{"a value less is on a scale", "'0', '1', '2'", "'0', '1'"},
	{"a minus is lost", "'-1'", "'1'"},
	{"a quote is lost", `it\u0027s`, "its"},
	{"unknown answers are let through", "= '{}'", "IS NOT NULL"},
	{"a list may have a key twice", "public.has_unique_elements(observations)", "TRUE"},
	{"a list of doubts may have a key twice", "public.has_unique_elements(unsure)", "TRUE"},
	{"a list may have any key", "observations <@ ARRAY", "observations IS NOT NULL OR observations <@ ARRAY"},
	{"one condition starts a rule", "IS TRUE) AND NOT (", "IS TRUE) OR NOT ("},
	{"one consequence keeps a rule", "['0']::text[])) AND (", "['0']::text[])) OR ("},
	{"an absent answer starts a rule", "((answers -> 'b')::text IS NOT NULL AND", "((answers -> 'b')::text IS NULL OR"},
	{"an absent answer breaks a rule", "((answers -> 'b')::text IS NULL OR", "((answers -> 'b')::text IS NOT NULL AND"},
	{"ticks start nothing", "= ANY (observations)", "= ANY (ARRAY['never'])"},
	{"doubt starts nothing", "= ANY (unsure)", "= ANY (ARRAY['never'])"},
	{"blank is what PostgreSQL trims", "btrim(note, " + quoteLiteral(protocol.BlankChars) + ")", "btrim(note)"},
	{"an empty note alone is blank", "btrim(note, " + quoteLiteral(protocol.BlankChars) + ")", "note"},
	{"a blank too few", `\u200b`, ""},
	{"a blank too many", `\u200b`, `\u200b\u3164`},
	{"a note has bytes", "char_length(note)", "octet_length(note)"},
	{"a note may be one shorter", "<= 4000", "< 4000"},
	{"a note may be one longer", "<= 4000", "<= 4001"},
}

// mutateProtocol are protocols that the browser and the database know otherwise.
func mutateProtocol(p protocol.Protocol) map[string]protocol.Protocol {
	mutants := map[string]protocol.Protocol{}
	for i, r := range p.Rules {
		q := p
		q.Rules = slices.Delete(slices.Clone(p.Rules), i, i+1)
		mutants[r.ID+" is forgotten"] = q
		for _, key := range conditionKeys(r.When, r.Then) {
			q := p
			q.Rules = slices.Clone(p.Rules)
			q.Rules[i].When, q.Rules[i].Then = withoutValues(r.When, key), withoutValues(r.Then, key)
			mutants[r.ID+" does not mind "+key] = q
		}
	}
	for i, f := range p.Fields {
		q := p
		q.Fields = slices.Clone(p.Fields)
		q.Fields[i].Scale = append(slices.Clone(f.Scale), protocol.Point{Value: offScale})
		mutants[f.Key+" has a point more"] = q
		q.Fields = slices.Clone(p.Fields)
		q.Fields[i].Scale = f.Scale[1:]
		mutants[f.Key+" has a point less"] = q
		q.Fields = slices.Delete(slices.Clone(p.Fields), i, i+1)
		mutants[f.Key+" is not asked"] = q
	}
	q := p
	q.AllowsBetween = !p.AllowsBetween
	mutants["answers between two are the other way"] = q
	q = p
	q.Observations = p.Observations[1:]
	mutants["an observation is forgotten"] = q
	q = p
	q.Facts = p.Facts[:1]
	mutants["a fact is forgotten"] = q
	return mutants
}

// withoutValues lets the conditions on key admit nothing.
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
	requireNode(t)
	t.Parallel()
	conn := connect(t)
	sample, plain := newSampleProtocol(), newSampleProtocol()
	plain.AllowsBetween, plain.Rules = false, nil
	sets := []caseSet{newCaseSet(sample, fillRules(sample), 100), newCaseSet(plain, nil, 1)}
	var script nodeScript
	modules := append(writeMutatedModules(t), rulesModule)
	for _, set := range sets {
		for _, module := range modules {
			script.useModule(t, module)
			script.addCases(set)
		}
	}
	results := script.run(t)
	detected := map[string]bool{}
	for _, set := range sets {
		t.Run("", func(t *testing.T) { set.checkDetected(t, conn, &results, detected) })
	}
	for mutation, ok := range detected {
		if !ok {
			t.Errorf("not noticed: %s", mutation)
		}
	}
	t.Logf("%d slips noticed", len(detected))
}

// writeMutatedModules writes rules.mjs with each slip and returns where they are.
func writeMutatedModules(t *testing.T) (paths []string) {
	source, err := os.ReadFile(rulesModule)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for i, mutation := range browserMutations {
		mutated := strings.ReplaceAll(string(source), mutation.old, mutation.new)
		if mutated == string(source) {
			t.Fatalf("%q: rules.mjs no longer says %q", mutation.name, mutation.old)
		}
		path := filepath.Join(dir, fmt.Sprintf("rules_%d.mjs", i))
		if err := os.WriteFile(path, []byte(mutated), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// checkDetected puts the slips of every host through the comparison.
func (set caseSet) checkDetected(t *testing.T, conn *pgx.Conn, results *evaluationQueue, detected map[string]bool) {
	var browsers [][]evaluation
	for range len(browserMutations) + 1 {
		browsers = append(browsers, results.take(set))
	}
	browser := browsers[len(browserMutations)]
	cs := constraints(set.protocol)
	table := newCaseTable(t, conn, set.cases)
	database := table.findViolations(t, cs)
	var server []evaluation
	for i := range set.typed {
		server = append(server, set.serverFor(set.protocol)(i))
	}
	unmutated := func(i int) evaluation { return server[i] }
	if difference, ok := set.firstDifference(unmutated, browser, database); ok {
		t.Fatalf("without any slip: %s", difference)
	}
	compare := func(mutation string, server func(int) evaluation, browser []evaluation, database []violations) {
		_, differs := set.firstDifference(server, browser, database)
		detected[mutation] = detected[mutation] || differs
	}
	for i, m := range browserMutations {
		compare("browser: "+m.name, unmutated, browsers[i], database)
	}
	for _, m := range databaseMutations {
		compare("database: "+m.name, unmutated, browser, table.reevaluate(t, cs, m.old, m.new, database))
	}
	for mutation, p := range mutateProtocol(set.protocol) {
		compare("server: "+mutation, set.serverFor(p), browser, database)
	}
}

// reevaluate returns what the database says with a slip in its expressions. Those
// without it need not be evaluated again.
func (ct caseTable) reevaluate(t *testing.T, cs []constraint, oldText, newText string, before []violations) []violations {
	var mutated []constraint
	isMutated := map[string]bool{}
	for _, c := range cs {
		if strings.Contains(c.Expression, oldText) {
			mutated = append(mutated, constraint{c.Name, strings.ReplaceAll(c.Expression, oldText, newText)})
			isMutated[c.Name] = true
		}
	}
	if len(mutated) == 0 {
		return before // and so not noticed
	}
	after := ct.findViolations(t, mutated)
	for i, v := range before {
		unchanged := slices.DeleteFunc(slices.Clone(v), func(name string) bool { return isMutated[name] })
		after[i] = append(after[i], unchanged...)
		slices.Sort(after[i])
	}
	return after
}
