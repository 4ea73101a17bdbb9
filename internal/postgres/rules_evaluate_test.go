package postgres

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/protocol"
)

// violations are the sorted names of the constraints that a case violates.
type violations []string

func violationsFrom(problems protocol.Problems) violations {
	names := violations{}
	for _, p := range problems {
		names = append(names, p.Rule)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// evaluation is the result of rules.mjs for a case.
type evaluation struct {
	Problems      protocol.Problems `json:"problems"`
	DraftProblems []string          `json:"unfinished"` // rules violated by an unfinished form
	Hints         []string          `json:"hints"`
	Forced        []forcedAnswer    `json:"forced"`
}

type forcedAnswer struct {
	Key   string `json:"key"`
	Value int    `json:"value"`
}

func (e evaluation) equal(other evaluation) bool {
	return slices.Equal(e.Problems, other.Problems) && slices.Equal(e.DraftProblems, other.DraftProblems) &&
		slices.Equal(e.Hints, other.Hints) && slices.Equal(e.Forced, other.Forced)
}

// evaluate computes the same in Go from Protocol.Check.
func evaluate(p protocol.Protocol, s typedCase) evaluation {
	e := evaluation{Problems: p.Check(s.facts, s.answers), Hints: activeHints(p, s), Forced: findForced(p, s)}
	for _, q := range e.Problems {
		if q.Rule != q.Key+"_given" {
			e.DraftProblems = append(e.DraftProblems, q.Rule)
		}
	}
	return e
}

// activeHints returns the hints that apply to a case. It turns hints into rules that
// every case violates, and checks those.
func activeHints(p protocol.Protocol, s typedCase) (ids []string) {
	impossible := []protocol.Condition{{Key: protocol.NoteKey}}
	var rules []protocol.Rule
	for _, h := range p.Hints {
		rules = append(rules, protocol.Rule{ID: h.ID, When: h.When, Then: impossible})
	}
	p.Rules, p.AllowsBetween = rules, false
	for _, q := range p.Check(s.facts, s.answers) {
		if slices.ContainsFunc(rules, func(r protocol.Rule) bool { return r.ID == q.Rule }) {
			ids = append(ids, q.Rule)
		}
	}
	return ids
}

// findForced returns the fields with a single possible answer.
func findForced(p protocol.Protocol, s typedCase) (answers []forcedAnswer) {
	for _, f := range p.ApplicableFields(s.facts) {
		tried := s.clone()
		tried.set(p, f.Key, unanswered)
		before := len(fieldProblems(p, tried))
		var candidates []int
		for _, value := range f.Scale.Values() {
			tried.set(p, f.Key, value)
			if len(fieldProblems(p, tried)) == before {
				candidates = append(candidates, value)
			}
		}
		if len(candidates) == 1 {
			answers = append(answers, forcedAnswer{f.Key, candidates[0]})
		}
	}
	return answers
}

// fieldProblems returns the problems that rules have with fields. It omits problems of a
// field alone, of observations and of the note.
func fieldProblems(p protocol.Protocol, s typedCase) protocol.Problems {
	return slices.DeleteFunc(p.Check(s.facts, s.answers), func(q protocol.Problem) bool {
		_, isField := p.Field(q.Key)
		fieldRules := []string{q.Key + "_given", q.Key + "_applies", q.Key + "_scale", "known_answers",
			"known_observations", "known_unsure"}
		return !isField || slices.Contains(fieldRules, q.Rule)
	})
}

const rulesModule = "../../web/static/rules.mjs"

// nodeScript is the input of one Node process.
type nodeScript struct{ lines bytes.Buffer }

// useModule selects the rules.mjs for the following cases.
func (s *nodeScript) useModule(t *testing.T, path string) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	s.writeLine(mustJSON(map[string]string{"module": absolute}))
}

// useMutations selects modules that are compared with that of useModule on the following cases.
func (s *nodeScript) useMutations(paths []string) {
	s.writeLine(mustJSON(map[string][]string{"mutations": paths}))
}

func (s *nodeScript) addCases(set caseSet) {
	s.writeLine(mustJSON(map[string]any{"rulebook": set.protocol.Rulebook()}))
	for _, c := range set.cases {
		s.writeLine(c.toJSON())
	}
}

func (s *nodeScript) writeLine(text json.RawMessage) {
	s.lines.Write(text)
	s.lines.WriteByte('\n')
}

// run returns the lines that Node prints.
func (s *nodeScript) run(t *testing.T) (lines nodeOutput) {
	t.Helper()
	var stderr strings.Builder
	cmd := exec.CommandContext(t.Context(), "node", "testdata/evaluate.mjs")
	cmd.Stdin, cmd.Stderr = &s.lines, &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, stderr.String())
	}
	return slices.Collect(bytes.Lines(out))
}

// nodeOutput holds the lines that are not yet read.
type nodeOutput [][]byte

// takeResults removes and returns the results of the cases of one caseSet.
func (o *nodeOutput) takeResults(t *testing.T, set caseSet) (results []evaluation) {
	t.Helper()
	for range set.cases {
		results = append(results, takeLine[evaluation](t, o))
	}
	return results
}

// A differingCase is a case that a mutation evaluates differently.
type differingCase struct {
	Case int `json:"case"`
	evaluation
}

// takeLine removes and returns the next line.
func takeLine[T any](t *testing.T, o *nodeOutput) (value T) {
	t.Helper()
	if len(*o) == 0 {
		t.Fatal("node printed too few lines")
	}
	if err := json.Unmarshal((*o)[0], &value); err != nil {
		t.Fatalf("node printed %q: %v", (*o)[0], err)
	}
	*o = (*o)[1:]
	return value
}

// caseTable is a database whose table "cases" holds the cases of one protocol.
type caseTable struct {
	tx    pgx.Tx
	count int
}

// newCaseTable stores cases, numbered from 0, in a transaction that the test rolls back.
func newCaseTable(t *testing.T, conn *pgx.Conn, cases []rawCase) caseTable {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	table := caseTable{tx, len(cases)}
	table.exec(t, "CREATE TEMP TABLE cases (id int, facts jsonb, answers jsonb, observations text[], unsure text[], note text) ON COMMIT DROP")
	rows := pgx.CopyFromSlice(len(cases), func(i int) ([]any, error) {
		c := cases[i]
		return []any{i, c.facts, c.values, c.observations, c.unsure, c.note}, nil
	})
	columns := []string{"id", "facts", "answers", "observations", "unsure", "note"}
	if _, err := tx.CopyFrom(t.Context(), pgx.Identifier{"cases"}, columns, rows); err != nil {
		t.Fatal(err)
	}
	return table
}

func (ct caseTable) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := ct.tx.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
}

// findViolations evaluates constraints for all cases.
func (ct caseTable) findViolations(t *testing.T, cs []constraint) []violations {
	t.Helper()
	type row struct {
		ID     int
		Broken []string
	}
	rows, err := ct.tx.Query(t.Context(), selectViolations(cs, "cases"))
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[row])
	if err != nil {
		t.Fatal(err)
	}
	byCase := make([]violations, ct.count)
	for i := range byCase {
		byCase[i] = violations{}
	}
	for _, r := range found {
		slices.Sort(r.Broken)
		byCase[r.ID] = r.Broken
	}
	return byCase
}

// selectViolations returns a query for (id, broken text[]) of the rows of a table
// that violate any of cs. The table has an id and the columns of annotations.
func selectViolations(cs []constraint, table string) string {
	names := make([]string, len(cs))
	for i, c := range cs {
		names[i] = fmt.Sprintf("CASE WHEN (%s) IS NOT TRUE THEN %s END", c.Expression, quoteLiteral(c.Name))
	}
	return fmt.Sprintf(`
		SELECT id, broken
		FROM (SELECT id, array_remove(ARRAY[%s]::text[], NULL) AS broken FROM %s) AS evaluated
		WHERE cardinality(broken) > 0
		ORDER BY id`, strings.Join(names, ",\n\t\t\t"), table)
}

// countUndecided counts the cases for which some expression is null.
func (ct caseTable) countUndecided(t *testing.T, cs []constraint) (n int) {
	t.Helper()
	expressions := make([]string, len(cs))
	for i, c := range cs {
		expressions[i] = "(" + c.Expression + ")"
	}
	sql := fmt.Sprintf("SELECT count(*) FROM cases WHERE num_nulls(%s) > 0", strings.Join(expressions, ", "))
	if err := ct.tx.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// insertErrors inserts cases into annotations and returns the CHECK that rejected each,
// or "". Foreign keys are off, because a case has no item.
func (ct caseTable) insertErrors(t *testing.T, versionID int, ids []int) map[int]string {
	t.Helper()
	ct.exec(t, "SET LOCAL session_replication_role = replica")
	ct.exec(t, fmt.Sprintf(`
		CREATE FUNCTION pg_temp.insert_error(c cases) RETURNS text LANGUAGE plpgsql AS $$
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
	rows, err := ct.tx.Query(t.Context(), "SELECT id, pg_temp.insert_error(c) FROM cases c WHERE id = ANY ($1)", ids)
	if err != nil {
		t.Fatal(err)
	}
	names := map[int]string{}
	var id int
	var name string
	_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error {
		if _, twice := names[id]; twice {
			return errors.New("the same case twice")
		}
		names[id] = name
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
