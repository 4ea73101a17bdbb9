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
)

// A trial is one protocol and the cases that all hosts are to agree on.
type trial struct {
	protocol   protocol.Protocol
	exhaustive int          // how many of held come from filling keys in every way
	held       []submission // the first cases: those that Go can hold
	cases      []wire
	answers    int // how many of the rest have foreign answers; the last have foreign facts
}

// newTrial adds to exhaustive cases: random submissions and some slips from
// them, the notes on each border, and what only JSON can say.
func newTrial(p protocol.Protocol, exhaustive []submission, size int) trial {
	rng := rand.New(rand.NewPCG(1, 2))
	held := slices.Concat(exhaustive, eachRuleAlone(p, rng))
	var answers, facts []wire
	for i := range size {
		s := sound(p, rng)
		held = append(held, s)
		if i%200 == 0 {
			a, f := foreign(p, s.wire())
			held = slices.Concat(held, slips(p, s), notes(s))
			answers, facts = append(answers, a...), append(facts, f...)
		}
		for range rng.IntN(4) {
			s = pick(rng, slips(p, s))
			held = append(held, s)
		}
	}
	cases := make([]wire, len(held))
	for i, s := range held {
		cases[i] = s.wire()
	}
	return trial{p, len(exhaustive), held, slices.Concat(cases, answers, facts), len(answers)}
}

// differ returns the first case on which the hosts do not agree, and how.
func (tr trial) differ(server func(i int) judgement, browser []judgement, database []verdict) (string, bool) {
	for i, c := range tr.cases {
		if names := namesOf(browser[i].Problems); !slices.Equal(names, database[i]) {
			return fmt.Sprintf("%s\nbrowser  %q\ndatabase %q", c.line(), names, database[i]), true
		}
		if i >= len(tr.held) {
			continue
		}
		if said := server(i); !said.equal(browser[i]) {
			return fmt.Sprintf("%s\nserver  %+v\nbrowser %+v", c.line(), said, browser[i]), true
		}
	}
	return "", false
}

// judgedBy is the server that has p.
func (tr trial) judgedBy(p protocol.Protocol) func(i int) judgement {
	return func(i int) judgement { return judge(p, tr.held[i]) }
}

// The law is Protocol.Check. rules.mjs and the CHECK constraints are put through
// the same cases and may not differ from it, or from each other, once.
func TestServerBrowserAndDatabaseJudgeAlike(t *testing.T) {
	requireNode(t)
	t.Parallel()
	conn := connect(t)
	var trials []trial
	var script browserScript
	script.module(t, rulesModule)
	for _, p := range append(protocol.Builtin(), sampleProtocol()) {
		trials = append(trials, newTrial(p, slices.Concat(everyAnswer(p), everyRule(p)), 801))
		script.cases(trials[len(trials)-1])
	}
	said := script.run(t)
	for i, tr := range trials {
		t.Run(tr.protocol.Key, func(t *testing.T) { tr.run(t, conn, 1000+i, said.next(tr)) })
	}
	if len(said) > 0 {
		t.Errorf("Node gave %d verdicts too many", len(said))
	}
}

func (tr trial) run(t *testing.T, conn *pgx.Conn, versionID int, browser []judgement) {
	if tr.exhaustive == 0 || tr.answers == 0 {
		t.Fatalf("%d exhaustive cases and %d with foreign answers prove nothing", tr.exhaustive, tr.answers)
	}
	cs := constraints(tr.protocol)
	b := newBench(t, conn, tr.cases)
	database := b.verdicts(t, cs)
	if difference, ok := tr.differ(tr.judgedBy(tr.protocol), browser, database); ok {
		t.Fatal(difference)
	}
	if n := b.undecided(t, cs); n > 0 {
		t.Errorf("%d cases leave a constraint without a verdict", n)
	}
	for i, v := range database[len(tr.held):][:tr.answers] {
		if len(v) == 0 {
			t.Errorf("accepted: %s", tr.cases[len(tr.held)+i].line())
		}
	}
	tr.wantEachAlone(t, cs, database)
	inserted, accepted := tr.insert(t, b, versionID, database)
	t.Logf("%d cases: %d exhaustive, %d with what only JSON can say; of %d inserted, %d accepted",
		len(tr.cases), tr.exhaustive, len(tr.cases)-len(tr.held), inserted, accepted)
}

// wantEachAlone asks for a case of each constraint that breaks it and nothing
// else: without one, nobody would notice if the constraint were gone.
func (tr trial) wantEachAlone(t *testing.T, cs []constraint, database []verdict) {
	t.Helper()
	alone := map[string]bool{}
	for _, v := range database {
		if len(v) == 1 {
			alone[v[0]] = true
		}
	}
	for _, c := range cs {
		if !alone[c.Name] {
			t.Errorf("no case breaks %s alone", c.Name)
		}
	}
}

// insert puts a thousand cases that are accepted and a thousand that are refused
// into a partition made as publishing makes it.
func (tr trial) insert(t *testing.T, b bench, versionID int, database []verdict) (inserted, accepted int) {
	t.Helper()
	for _, statement := range partition(fmt.Sprintf("annotations_%d", versionID), tr.protocol, versionID) {
		b.exec(t, statement)
	}
	var sound, unsound []int
	for _, i := range rand.New(rand.NewPCG(3, 4)).Perm(len(database)) {
		if len(database[i]) == 0 {
			sound = append(sound, i)
		} else {
			unsound = append(unsound, i)
		}
	}
	if len(sound) == 0 || len(unsound) == 0 {
		t.Fatalf("%d cases to accept and %d to refuse prove nothing", len(sound), len(unsound))
	}
	sound, unsound = sound[:min(1000, len(sound))], unsound[:min(1000, len(unsound))]
	for i, name := range b.refusals(t, versionID, slices.Concat(sound, unsound)) {
		if name == "" && len(database[i]) > 0 || name != "" && !slices.Contains(database[i], name) {
			t.Errorf("%s\nbreaks %q; the table's refusal is %q", tr.cases[i].line(), database[i], name)
		}
	}
	return len(sound) + len(unsound), len(sound)
}

// connect returns a connection to a database of the test's own.
func connect(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), pgtest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// Rows of a shape that no program of ours writes are refused by name as well:
// no expression raises an error or is undecided.
func TestTheDatabaseRefusesEveryMalformedRow(t *testing.T) {
	t.Parallel()
	p := sampleProtocol()
	b := newBench(t, connect(t), nil)
	b.exec(t, `
		INSERT INTO cases
		SELECT row_number() OVER () - 1, f::jsonb, a::jsonb, o::text[], u::text[], n
		FROM unnest(ARRAY['{}', '{"multi_turn": true}', '[]', '["multi_turn"]', '"multi_turn"', 'null', '1', 'true', '{"multi_turn": null}', '[[[]]]']) f,
			unnest(ARRAY['{}', '[]', '["a", "b"]', '[{"a": 1}]', '"a"', '1', 'null', 'true', '{"a": {"a": 1}}', '{"a": [1]}', '{"a": null}', '{"": 0}', '""']) a,
			unnest(ARRAY['{}', '{NULL}', '{NULL,NULL}', '{{premature,claims},{framed,framed}}', '{{{premature}}}', '[5:6]={premature,premature}', '{""}']) o,
			unnest(ARRAY['{}', '{NULL,a}', '{{a,b}}', '[-1:0]={a,b}', '{a,a}']) u,
			unnest(ARRAY['', 'why']) n`)
	if err := b.tx.QueryRow(t.Context(), "SELECT count(*) FROM cases").Scan(&b.count); err != nil || b.count == 0 {
		t.Fatalf("%d cases: %v", b.count, err)
	}
	cs := constraints(p)
	for i, v := range b.verdicts(t, cs) {
		if len(v) == 0 {
			t.Errorf("malformed row %d is accepted", i)
		}
	}
	if n := b.undecided(t, cs); n > 0 {
		t.Errorf("%d of %d rows leave a constraint without a verdict", n, b.count)
	}
	t.Logf("%d rows", b.count)
}

// JavaScript reads 1.0 and 1e0 as 1. So does jsonb with 1e0; it keeps 1.0 apart,
// and an annotation with it is refused.
func TestAWholeNumberIsStoredInOneWay(t *testing.T) {
	t.Parallel()
	p := protocol.Protocol{Fields: []protocol.Field{{Key: "a", Scale: protocol.Scale{{Value: 0}, {Value: 1}}}}}
	values := []string{`{"a": 1}`, `{"a": 1e0}`, `{"a": -0}`, `{"a": 1.0}`, `{"a": 10e-1}`}
	want := []verdict{{}, {}, {}, {"a_scale"}, {"a_scale"}}
	var cases []wire
	for _, v := range values {
		w := emptySubmission().wire()
		w.values = []byte(v)
		cases = append(cases, w)
	}
	got := newBench(t, connect(t), cases).verdicts(t, constraints(p))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
