package postgres

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	selectTables = `
		SELECT relname::text AS table FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
		WHERE nspname IN ('public', 'identity') AND relkind IN ('r', 'p', 'v') AND NOT relispartition
		AND relname <> 'schema_migrations'`
	selectColumns = `
		SELECT table_name::text AS table, column_name::text AS name, data_type::text AS type
		FROM information_schema.columns
		WHERE table_schema IN ('public', 'identity') AND table_name IN (` + selectTables + `)`
	// The constraints of partitions are named after the rules of their protocol.
	selectRules = `
		SELECT relname::text AS table, conname::text AS name, '' AS type FROM pg_constraint o
		JOIN pg_class c ON c.oid = o.conrelid
		WHERE relname IN (` + selectTables + `)
		UNION
		SELECT tablename::text, indexname::text, '' FROM pg_indexes WHERE tablename IN (` + selectTables + `)`
)

// schemaName is the name of a column, constraint or index of a table.
type schemaName struct{ Table, Name, Type string }

var snakeCase = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// unclearNames are not clear alone, only as a part of a name: created_at, but not at.
var unclearNames = []string{"at", "by", "of", "on", "n", "no", "num", "says", "said", "word", "words", "why", "who",
	"what", "when", "text", "info", "value"}

// columnProblem returns what style.md forbids about the name of a column, or "".
func columnProblem(c schemaName) string {
	isNumber := c.Type == "integer" || c.Type == "smallint" || c.Type == "bigint"
	switch {
	case !snakeCase.MatchString(c.Table) || !snakeCase.MatchString(c.Name):
		return "not snake case"
	case slices.Contains(unclearNames, c.Name):
		return "not clear alone"
	case strings.HasSuffix(c.Name, "_at") != (c.Type == "timestamp with time zone"):
		return "times, and only times, end in _at"
	case strings.HasSuffix(c.Name, "_by") && c.Type != "bigint":
		return "a name in _by is an account id"
	case strings.HasSuffix(c.Name, "_no") && !isNumber:
		return "a name in _no is a number"
	}
	return ""
}

// ruleProblem returns what style.md forbids about the name of a constraint or index, or "".
func ruleProblem(r schemaName) string {
	if rule, ok := strings.CutPrefix(r.Name, r.Table+"_"); !ok || !snakeCase.MatchString(rule) {
		return "not named after its table and rule"
	}
	return ""
}

func TestSchema_Names_FollowStyle(t *testing.T) {
	env := newTestEnv(t)
	for query, problem := range map[string]func(schemaName) string{selectColumns: columnProblem,
		selectRules: ruleProblem} {
		names, err := collectAll[schemaName](env.pool.Query(t.Context(), query))
		if err != nil || len(names) < 100 {
			t.Fatalf("%d names, %v; want at least 100", len(names), err)
		}
		for _, n := range names {
			if message := problem(n); message != "" {
				t.Errorf("%s.%s: %s", n.Table, n.Name, message)
			}
		}
	}
}

func TestSchema_BadNames_AreDetected(t *testing.T) {
	t.Parallel()
	for name, want := range map[schemaName]string{
		{"users", "passwordHash", "text"}:                  "not snake case",
		{"annotations_", "id", "bigint"}:                   "not snake case",
		{"breaks", "at", "timestamp with time zone"}:       "not clear alone",
		{"skips", "word", "text"}:                          "not clear alone",
		{"breaks", "ended", "timestamp with time zone"}:    "times, and only times, end in _at",
		{"breaks", "ended_at", "boolean"}:                  "times, and only times, end in _at",
		{"imports", "created_by", "text"}:                  "a name in _by is an account id",
		{"slots", "slot_no", "text"}:                       "a name in _no is a number",
		{"slots", "slot_no", "smallint"}:                   "",
		{"breaks", "ended_at", "timestamp with time zone"}: "",
	} {
		if got := columnProblem(name); got != want {
			t.Errorf("%v: %q, want %q", name, got, want)
		}
	}
	for name, want := range map[schemaName]string{
		{"batches", "overlap_positive", ""}:         "not named after its table and rule",
		{"batches", "batches_", ""}:                 "not named after its table and rule",
		{"batches", "batches_overlap positive", ""}: "not named after its table and rule",
		{"batches", "batches_overlap_positive", ""}: "",
	} {
		if got := ruleProblem(name); got != want {
			t.Errorf("%v: %q, want %q", name, got, want)
		}
	}
}

// A person who has never seen the program understands the catalog from \d+ and \df+. The
// functions of partitions say themselves what they check.
func TestSchema_EveryObject_HasComment(t *testing.T) {
	env := newTestEnv(t)
	without, err := collectColumn[string](env.pool.Query(t.Context(), `
		SELECT c.oid::regclass::text
		FROM pg_class c
		WHERE c.relnamespace IN ('public'::regnamespace, 'identity'::regnamespace) AND c.relkind IN ('r', 'p', 'v')
		  AND NOT c.relispartition AND obj_description(c.oid, 'pg_class') IS NULL
		UNION ALL
		SELECT p.oid::regprocedure::text
		FROM pg_proc p
		WHERE p.pronamespace = 'public'::regnamespace AND p.proname NOT LIKE 'check\_rules\_%'
		  AND obj_description(p.oid, 'pg_proc') IS NULL
		  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid
		  AND d.deptype = 'e')
		ORDER BY 1`))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range without {
		t.Errorf("%s has no COMMENT ON", name)
	}
}

// A foreign key has an index on its columns, so that deleting the row it refers to is quick, or
// refers to a table that never loses a row.
func TestSchema_ForeignKeys_HaveIndexOrKeptRows(t *testing.T) {
	env := newTestEnv(t)
	without, err := collectColumn[string](env.pool.Query(t.Context(), `
		SELECT format('%s: %s', k.conrelid::regclass, pg_get_constraintdef(k.oid))
		FROM pg_constraint k
		WHERE k.contype = 'f' AND k.conparentid = 0
		  AND k.connamespace IN ('public'::regnamespace, 'identity'::regnamespace)
		  AND NOT EXISTS (
		      SELECT FROM pg_index i
		      WHERE i.indrelid = k.conrelid AND i.indpred IS NULL
		        AND (i.indkey::int2[])[0:cardinality(k.conkey) - 1] @> k.conkey)
		  AND NOT EXISTS (
		      SELECT FROM pg_trigger g
		      WHERE g.tgrelid = k.confrelid AND g.tgname IN ('append_only', 'keep_rows'))
		ORDER BY 1`))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range without {
		t.Errorf("no index, and the row it refers to can be deleted: %s", key)
	}
}

// No index has the columns and the condition of another one.
func TestSchema_Indexes_AreDifferent(t *testing.T) {
	env := newTestEnv(t)
	twice, err := collectColumn[string](env.pool.Query(t.Context(), `
		SELECT format('%s and %s', min(i.indexrelid::regclass::text), max(i.indexrelid::regclass::text))
		FROM pg_index i
		JOIN pg_class c ON c.oid = i.indrelid
		WHERE c.relnamespace IN ('public'::regnamespace, 'identity'::regnamespace)
		GROUP BY i.indrelid, i.indkey::text, i.indclass::text, i.indoption::text, pg_get_expr(i.indpred, i.indrelid),
		pg_get_expr(i.indexprs, i.indrelid)
		HAVING count(*) > 1`))
	if err != nil || len(twice) > 0 {
		t.Errorf("indexed twice: %v, %v", twice, err)
	}
}
