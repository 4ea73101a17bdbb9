package postgres

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/postgres/pgtest"
)

// schemaName is a table, column, constraint or index of the schema.
type schemaName struct{ Table, Name string }

const (
	selectTables = `
		SELECT relname AS table, relname AS name FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
		WHERE nspname IN ('public', 'identity') AND relkind IN ('r', 'p', 'v') AND NOT relispartition AND relname <> 'schema_migrations'`
	selectColumns = `
		SELECT table_name AS table, column_name AS name FROM information_schema.columns
		WHERE table_name IN (SELECT t.name FROM (` + selectTables + `) t)
		AND table_schema IN ('public', 'identity')`
	// The constraints of a protocol's partitions are named after its rules.
	selectConstraints = `
		SELECT relname AS table, conname AS name FROM pg_constraint o JOIN pg_class c ON c.oid = o.conrelid
		WHERE relname IN (SELECT t.name FROM (` + selectTables + `) t)`
	selectIndexes = `
		SELECT tablename AS table, indexname AS name FROM pg_indexes
		WHERE tablename IN (SELECT t.name FROM (` + selectTables + `) t)`
)

func (env testEnv) loadNames(sql string) []schemaName {
	env.t.Helper()
	names, err := collectAll[schemaName](env.pool.Query(env.t.Context(), sql))
	if err != nil || len(names) < 20 {
		env.t.Fatalf("%d names, %v", len(names), err)
	}
	return names
}

// A vague name can be part of a longer one: created_at, but not at.
var (
	snakeCase  = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	vagueNames = []string{"at", "by", "of", "on", "n", "no", "num", "says", "said", "word", "words", "why", "who", "what", "when", "text", "data", "info", "value"}
)

// wordExceptions are columns that may be called by a word of vagueNames.
var wordExceptions = []schemaName{{"sessions", "data"}}

func TestSchema_Names_FollowStyle(t *testing.T) {
	env := newTestEnv(t)
	for _, n := range slices.Concat(env.loadNames(selectTables), env.loadNames(selectColumns)) {
		if !snakeCase.MatchString(n.Name) {
			t.Errorf("%s.%s is not in snake case", n.Table, n.Name)
		}
		if slices.Contains(vagueNames, n.Name) && !slices.Contains(wordExceptions, n) {
			t.Errorf("%s.%s is not clear alone", n.Table, n.Name)
		}
	}
}

func TestSchema_Columns_NamedByType(t *testing.T) {
	env := newTestEnv(t)
	type column struct{ Table, Name, Type string }
	columns, err := collectAll[column](env.pool.Query(t.Context(), strings.Replace(selectColumns, "column_name AS name", "column_name AS name, data_type AS type", 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range columns {
		if isTime := c.Type == "timestamp with time zone"; isTime != strings.HasSuffix(c.Name, "_at") {
			t.Errorf("%s.%s is a %s: times, and only times, end in _at", c.Table, c.Name, c.Type)
		}
		if strings.HasSuffix(c.Name, "_by") && c.Type != "bigint" {
			t.Errorf("%s.%s is a %s: a name in _by is an account", c.Table, c.Name, c.Type)
		}
		if strings.HasSuffix(c.Name, "_no") && c.Type != "integer" && c.Type != "smallint" {
			t.Errorf("%s.%s is a %s: a name in _no is a number", c.Table, c.Name, c.Type)
		}
	}
}

func TestSchema_Constraints_StartWithTable(t *testing.T) {
	env := newTestEnv(t)
	for _, n := range slices.Concat(env.loadNames(selectConstraints), env.loadNames(selectIndexes)) {
		if rule, ok := strings.CutPrefix(n.Name, n.Table+"_"); !ok || !snakeCase.MatchString(rule) {
			t.Errorf("%s of %s is not named after its table and rule", n.Name, n.Table)
		}
	}
}

// Each migration can be taken back and applied again. A database with published
// protocols then has the same constraints as a new one.
func TestMigrate_DownAndUp_RestoresConstraints(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	db, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	env := testEnv{t: t, DB: db}
	want := env.partitionChecks()
	for steps := 1; env.queryInt(`SELECT count(*) FROM pg_class WHERE relname = 'protocol_versions'`) > 0; steps++ {
		for range steps {
			if err := MigrateDown(url); err != nil {
				t.Fatal(err)
			}
		}
		if env.queryInt(`SELECT count(*) FROM pg_class WHERE relname = 'protocol_versions'`) == 0 {
			break
		}
		if err := MigrateUp(t.Context(), url); err != nil {
			t.Fatal(err)
		}
		checkEqual(t, env.partitionChecks(), want)
	}
}

// partitionChecks returns the CHECKs of each protocol version. It checks that annotations
// and adjudications have the same ones.
func (env testEnv) partitionChecks() map[int]string {
	env.t.Helper()
	rows, err := env.pool.Query(env.t.Context(), `SELECT id FROM protocol_versions`)
	if err != nil {
		env.t.Fatal(err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil || len(ids) < 5 {
		env.t.Fatalf("%d protocol versions, %v", len(ids), err)
	}
	checks := map[int]string{}
	for _, id := range ids {
		checks[id] = env.ownChecks(fmt.Sprintf("annotations_%d", id))
		if adjudications := env.ownChecks(fmt.Sprintf("adjudications_%d", id)); adjudications != checks[id] || len(adjudications) < 500 {
			env.t.Errorf("version %d: annotations have\n%s\nadjudications have\n%s", id, checks[id], adjudications)
		}
	}
	return checks
}

// ownChecks returns the CHECKs of a partition without those of its table.
func (env testEnv) ownChecks(partition string) string {
	env.t.Helper()
	return query[string](env, `
		SELECT coalesce(string_agg(conname || ' ' || pg_get_constraintdef(oid), chr(10) ORDER BY conname), 'none')
		FROM pg_constraint
		WHERE conrelid = to_regclass($1) AND contype = 'c' AND coninhcount = 0`, partition)
}
