package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/require"
)

// caseSet is a protocol with cases that all implementations must evaluate equally.
type caseSet struct {
	protocol         protocol.Protocol
	exhaustiveCount  int         // how many of typed are all combinations of some keys
	typed            []typedCase // the first of cases, which Go types can hold
	cases            []rawCase
	malformedAnswers int // how many of the others have malformed answers; the last have malformed facts
}

// newCaseSet adds to exhaustive cases: random valid cases and variants of them, notes at
// the limits, and malformed cases.
func newCaseSet(p protocol.Protocol, exhaustive []typedCase, size int) caseSet {
	rng := rand.New(rand.NewPCG(1, 2))
	typed := slices.Concat(exhaustive, breakEachRule(p, rng))
	var answers, facts []rawCase
	for i := range size {
		s := randomValid(p, rng)
		typed = append(typed, s)
		if i%200 == 0 {
			a, f := malformCase(p, s.toRaw())
			typed = slices.Concat(typed, varyCase(p, s), varyNotes(s))
			answers, facts = append(answers, a...), append(facts, f...)
		}
		for range rng.IntN(4) {
			s = pick(rng, varyCase(p, s))
			typed = append(typed, s)
		}
	}
	cases := make([]rawCase, len(typed))
	for i, s := range typed {
		cases[i] = s.toRaw()
	}
	return caseSet{p, len(exhaustive), typed, slices.Concat(cases, answers, facts), len(answers)}
}

// firstDifference describes the first case that the implementations evaluate differently.
func (set caseSet) firstDifference(server func(i int) evaluation, browser []evaluation, database []violations) (string,
	bool) {
	for i, c := range set.cases {
		if names := violationsFrom(browser[i].Problems); !slices.Equal(names, database[i]) {
			return fmt.Sprintf("%s\nbrowser  %q\ndatabase %q", c.toJSON(), names, database[i]), true
		}
		if i >= len(set.typed) {
			continue
		}
		if result := server(i); !result.equal(browser[i]) {
			return fmt.Sprintf("%s\nserver  %+v\nbrowser %+v", c.toJSON(), result, browser[i]), true
		}
	}
	return "", false
}

// serverFor returns the evaluation in Go under p.
func (set caseSet) serverFor(p protocol.Protocol) func(i int) evaluation {
	return func(i int) evaluation { return evaluate(p, set.typed[i]) }
}

// Protocol.Check, rules.mjs and the rules in the database must give the same result for every
// case.
func TestRules_GoNodePostgres_Agree(t *testing.T) {
	require.Program(t, "node")
	t.Parallel()
	conn := connect(t)
	var sets []caseSet
	var script nodeScript
	script.useModule(t, rulesModule)
	for _, p := range append(protocol.Builtin(), newSampleProtocol()) {
		sets = append(sets, newCaseSet(p, slices.Concat(fillAnswers(p), fillRules(p)), 801))
		script.addCases(sets[len(sets)-1])
	}
	results := script.run(t)
	for i, set := range sets {
		t.Run(set.protocol.Key, func(t *testing.T) { set.run(t, conn, 1000+i, results.takeResults(t, set)) })
	}
	if len(results) > 0 {
		t.Errorf("Node printed %d additional lines", len(results))
	}
}

func (set caseSet) run(t *testing.T, conn *pgx.Conn, versionID int, browser []evaluation) {
	if set.exhaustiveCount == 0 || set.malformedAnswers == 0 {
		t.Fatalf("%d exhaustive cases and %d with malformed answers, want some of both", set.exhaustiveCount,
			set.malformedAnswers)
	}
	cs := constraints(set.protocol)
	table := newCaseTable(t, conn, set.cases)
	database := table.findViolations(t, cs)
	if difference, ok := set.firstDifference(set.serverFor(set.protocol), browser, database); ok {
		t.Fatal(difference)
	}
	if n := table.countUndecided(t, cs); n > 0 {
		t.Errorf("a constraint is null for %d cases", n)
	}
	for i, v := range database[len(set.typed):][:set.malformedAnswers] {
		if len(v) == 0 {
			t.Errorf("accepted: %s", set.cases[len(set.typed)+i].toJSON())
		}
	}
	set.checkEachAlone(t, cs, database)
	inserted, accepted := set.insertSample(t, table, versionID, database)
	t.Logf("%d cases: %d exhaustive, %d malformed; %d inserted, of which %d accepted",
		len(set.cases), set.exhaustiveCount, len(set.cases)-len(set.typed), inserted, accepted)
}

// checkEachAlone checks that some case violates each constraint alone. Otherwise the
// other tests would not detect a missing constraint.
func (set caseSet) checkEachAlone(t *testing.T, cs []constraint, database []violations) {
	t.Helper()
	alone := map[string]bool{}
	for _, v := range database {
		if len(v) == 1 {
			alone[v[0]] = true
		}
	}
	for _, c := range cs {
		if !alone[c.Name] {
			t.Errorf("no case violates only %s", c.Name)
		}
	}
}

// insertSample inserts a thousand valid and a thousand invalid cases into a partition that
// is created as in publishing.
func (set caseSet) insertSample(t *testing.T, table caseTable, versionID int, database []violations) (inserted,
	accepted int) {
	t.Helper()
	if err := createPartitions(t.Context(), table.tx, protocol.VersionID(versionID), set.protocol); err != nil {
		t.Fatal(err)
	}
	var valid, invalid []int
	for _, i := range rand.New(rand.NewPCG(3, 4)).Perm(len(database)) {
		if len(database[i]) == 0 {
			valid = append(valid, i)
		} else {
			invalid = append(invalid, i)
		}
	}
	if len(valid) == 0 || len(invalid) == 0 {
		t.Fatalf("%d valid and %d invalid cases, want some of both", len(valid), len(invalid))
	}
	valid, invalid = valid[:min(1000, len(valid))], invalid[:min(1000, len(invalid))]
	for i, name := range table.insertErrors(t, versionID, slices.Concat(valid, invalid)) {
		if name == "" && len(database[i]) > 0 || name != "" && !slices.Contains(database[i], name) {
			t.Errorf("%s\nviolates %q, the insert failed on %q", set.cases[i].toJSON(), database[i], name)
		}
	}
	return len(valid) + len(invalid), len(valid)
}

// connect returns a connection to a new database.
func connect(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), pgtest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// Rows that this program never writes are rejected by name too: no expression raises an
// error or is null.
func TestConstraints_BadRow_Refused(t *testing.T) {
	t.Parallel()
	p := newSampleProtocol()
	table := newCaseTable(t, connect(t), nil)
	table.exec(t, `
		INSERT INTO cases
		SELECT row_number() OVER () - 1, f::jsonb, a::jsonb, o::text[], u::text[], n
		FROM unnest(ARRAY['{}', '{"multi_turn": true}', '[]', '["multi_turn"]', '"multi_turn"', 'null', '1', 'true',
		'{"multi_turn": null}', '[[[]]]']) f,
			unnest(ARRAY['{}', '[]', '["a", "b"]', '[{"a": 1}]', '"a"', '1', 'null', 'true', '{"a": {"a": 1}}',
			'{"a": [1]}', '{"a": null}', '{"": 0}', '""']) a,
			unnest(ARRAY['{}', '{NULL}', '{NULL,NULL}', '{{premature,claims},{framed,framed}}', '{{{premature}}}',
			'[5:6]={premature,premature}', '{""}']) o,
			unnest(ARRAY['{}', '{NULL,a}', '{{a,b}}', '[-1:0]={a,b}', '{a,a}']) u,
			unnest(ARRAY['', 'why']) n`)
	if err := table.tx.QueryRow(t.Context(), "SELECT count(*) FROM cases").Scan(&table.count); err != nil ||
		table.count == 0 {
		t.Fatalf("%d cases: %v", table.count, err)
	}
	cs := constraints(p)
	for i, v := range table.findViolations(t, cs) {
		if len(v) == 0 {
			t.Errorf("malformed row %d is accepted", i)
		}
	}
	if n := table.countUndecided(t, cs); n > 0 {
		t.Errorf("a constraint is null for %d of %d rows", n, table.count)
	}
	t.Logf("%d rows", table.count)
}

// JavaScript reads 1.0 and 1e0 as 1. jsonb does so for 1e0, but distinguishes 1.0, which
// the constraints reject.
func TestConstraints_IntegerSpelling(t *testing.T) {
	t.Parallel()
	p := protocol.Protocol{Fields: []protocol.Field{{Key: "a", Scale: protocol.Scale{{Value: 0}, {Value: 1}}}}}
	values := []string{`{"a": 1}`, `{"a": 1e0}`, `{"a": -0}`, `{"a": 1.0}`, `{"a": 10e-1}`}
	want := []violations{{}, {}, {}, {"a_scale"}, {"a_scale"}}
	var cases []rawCase
	for _, v := range values {
		raw := newTypedCase().toRaw()
		raw.values = []byte(v)
		cases = append(cases, raw)
	}
	got := newCaseTable(t, connect(t), cases).findViolations(t, constraints(p))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
