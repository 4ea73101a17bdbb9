package postgres

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A verdict names the constraints that a case breaks, each once, sorted.
type verdict []string

func namesOf(problems protocol.Problems) verdict {
	names := verdict{}
	for _, p := range problems {
		names = append(names, p.Rule)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// A judgement is all that rules.mjs says of one case.
type judgement struct {
	Problems protocol.Problems `json:"problems"`
	SoFar    []string          `json:"soFar"` // the rules broken by a form that is still open
	Hints    []string          `json:"hints"`
	Forced   []forcedAnswer    `json:"forced"`
}

type forcedAnswer struct {
	Key   string `json:"key"`
	Value int    `json:"value"`
}

func (j judgement) equal(k judgement) bool {
	return slices.Equal(j.Problems, k.Problems) && slices.Equal(j.SoFar, k.SoFar) &&
		slices.Equal(j.Hints, k.Hints) && slices.Equal(j.Forced, k.Forced)
}

// judge says the same in Go, from Check alone.
func judge(p protocol.Protocol, s submission) judgement {
	j := judgement{Problems: p.Check(s.facts, s.answers), Hints: standing(p, s), Forced: forcedIn(p, s)}
	for _, q := range j.Problems {
		if q.Rule != q.Key+"_given" {
			j.SoFar = append(j.SoFar, q.Rule)
		}
	}
	return j
}

// standing returns the hints that stand: as rules that nothing can keep, they
// would be broken.
func standing(p protocol.Protocol, s submission) (ids []string) {
	impossible := []protocol.Cond{{Key: protocol.Note}}
	var rules []protocol.Rule
	for _, h := range p.Hints {
		rules = append(rules, protocol.Rule{ID: h.ID, When: h.When, Then: impossible})
	}
	p.Rules, p.Between = rules, false
	for _, q := range p.Check(s.facts, s.answers) {
		if slices.ContainsFunc(rules, func(r protocol.Rule) bool { return r.ID == q.Rule }) {
			ids = append(ids, q.Rule)
		}
	}
	return ids
}

// forcedIn tries each answer to each open field.
func forcedIn(p protocol.Protocol, s submission) (answers []forcedAnswer) {
	before := len(brokenAtFields(p, s))
	for _, f := range p.Asked(s.facts) {
		if _, given := s.answers.Values[f.Key]; given {
			continue
		}
		var left []int
		for _, value := range f.Scale.Values() {
			tried := s.clone()
			tried.put(p, f.Key, value)
			if len(brokenAtFields(p, tried)) == before {
				left = append(left, value)
			}
		}
		if len(left) == 1 {
			answers = append(answers, forcedAnswer{f.Key, left[0]})
		}
	}
	return answers
}

// brokenAtFields leaves out the problems that fields have by themselves, and
// those at ticks and the note.
func brokenAtFields(p protocol.Protocol, s submission) protocol.Problems {
	return slices.DeleteFunc(p.Check(s.facts, s.answers), func(q protocol.Problem) bool {
		_, isField := p.Field(q.Key)
		own := []string{q.Key + "_given", q.Key + "_applies", q.Key + "_scale", "known_answers", "known_observations", "known_unsure"}
		return !isField || slices.Contains(own, q.Rule)
	})
}

const rulesModule = "../../web/static/rules.mjs"

// requireNode skips a test that needs Node where there is none, except where
// the environment says that there must be.
func requireNode(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("node"); err == nil {
		return
	}
	if slices.Contains(strings.Split(os.Getenv("LABELWRIGHT_REQUIRE"), ","), "node") {
		t.Fatal("LABELWRIGHT_REQUIRE lists node, and there is no node in PATH.")
	}
	t.Skip("rules.mjs cannot be put beside the server and the database: there is no node in PATH.")
}

// A browserScript collects what one Node process is to judge.
type browserScript struct{ lines bytes.Buffer }

// module names the rules.mjs that judges from here on.
func (b *browserScript) module(t *testing.T, path string) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	b.line(mustJSON(map[string]string{"module": absolute}))
}

func (b *browserScript) cases(tr trial) {
	b.line(mustJSON(map[string]any{"rulebook": tr.protocol.Rulebook()}))
	for _, c := range tr.cases {
		b.line(c.line())
	}
}

func (b *browserScript) line(text json.RawMessage) {
	b.lines.Write(text)
	b.lines.WriteByte('\n')
}

func (b *browserScript) run(t *testing.T) (said judgements) {
	t.Helper()
	var stderr strings.Builder
	cmd := exec.CommandContext(t.Context(), "node", "testdata/judge.mjs")
	cmd.Stdin, cmd.Stderr = &b.lines, &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, stderr.String())
	}
	for line := range bytes.Lines(out) {
		var j judgement
		if err := json.Unmarshal(line, &j); err != nil {
			t.Fatalf("node said %q: %v", line, err)
		}
		said = append(said, j)
	}
	return said
}

// judgements are those that have not been looked at yet.
type judgements []judgement

// next takes the judgements of the cases of one trial.
func (js *judgements) next(tr trial) []judgement {
	n := min(len(tr.cases), len(*js))
	taken := (*js)[:n]
	*js = (*js)[n:]
	return taken
}

// A bench is a database with the cases of one protocol in the table "cases".
type bench struct {
	tx    pgx.Tx
	count int
}

// newBench stores cases, numbered from 0, in a transaction that is rolled back.
func newBench(t *testing.T, conn *pgx.Conn, cases []wire) bench {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	b := bench{tx, len(cases)}
	b.exec(t, "CREATE TEMP TABLE cases (id int, facts jsonb, answers jsonb, observations text[], unsure text[], note text) ON COMMIT DROP")
	rows := pgx.CopyFromSlice(len(cases), func(i int) ([]any, error) {
		c := cases[i]
		return []any{i, c.facts, c.values, c.observations, c.unsure, c.note}, nil
	})
	columns := []string{"id", "facts", "answers", "observations", "unsure", "note"}
	if _, err := tx.CopyFrom(t.Context(), pgx.Identifier{"cases"}, columns, rows); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b bench) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := b.tx.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
}

// verdicts evaluates cs over all cases at once.
func (b bench) verdicts(t *testing.T, cs []constraint) []verdict {
	t.Helper()
	type row struct {
		ID     int
		Broken []string
	}
	rows, err := b.tx.Query(t.Context(), auditQuery(cs, "cases"))
	if err != nil {
		t.Fatal(err)
	}
	judged, err := pgx.CollectRows(rows, pgx.RowToStructByName[row])
	if err != nil {
		t.Fatal(err)
	}
	vs := make([]verdict, b.count)
	for i := range vs {
		vs[i] = verdict{}
	}
	for _, r := range judged {
		slices.Sort(r.Broken)
		vs[r.ID] = r.Broken
	}
	return vs
}

// undecided counts the cases of which an expression is neither true nor false.
func (b bench) undecided(t *testing.T, cs []constraint) (n int) {
	t.Helper()
	expressions := make([]string, len(cs))
	for i, c := range cs {
		expressions[i] = "(" + c.Expression + ")"
	}
	sql := fmt.Sprintf("SELECT count(*) FROM cases WHERE num_nulls(%s) > 0", strings.Join(expressions, ", "))
	if err := b.tx.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// refusals inserts cases into annotations for real and returns the CHECK that
// refused each, "" for none. Foreign keys are off: a case has no item.
func (b bench) refusals(t *testing.T, versionID int, ids []int) map[int]string {
	t.Helper()
	b.exec(t, "SET LOCAL session_replication_role = replica")
	b.exec(t, fmt.Sprintf(`
		CREATE FUNCTION pg_temp.refusal(c cases) RETURNS text LANGUAGE plpgsql AS $$
		DECLARE name text;
		BEGIN
			INSERT INTO annotations (protocol_version_id, revision, assignment_id, batch_id, item_id, account_id,
				facts, answers, observations, unsure, note)
			VALUES (%d, 0, c.id, 0, 0, 0, c.facts, c.answers, c.observations, c.unsure, c.note);
			RETURN '';
		EXCEPTION WHEN check_violation THEN
			GET STACKED DIAGNOSTICS name = CONSTRAINT_NAME;
			RETURN name;
		END $$`, versionID))
	rows, err := b.tx.Query(t.Context(), "SELECT id, pg_temp.refusal(c) FROM cases c WHERE id = ANY ($1)", ids)
	if err != nil {
		t.Fatal(err)
	}
	names := map[int]string{}
	var id int
	var name string
	_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error {
		if _, twice := names[id]; twice {
			return errors.New("a case came back twice")
		}
		names[id] = name
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
