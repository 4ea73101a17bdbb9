package postgres

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/postgres/pgtest"
)

// Migrations can be reverted and applied again. Afterwards the partitions of published
// protocols have the same constraints as before.
func TestMigrate_DownAndUp_RestoresConstraints(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	db, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	env := testEnv{t: t, DB: db}
	version, isDirty, err := MigrationStatus(url)
	if err != nil || isDirty || version < 5 {
		t.Fatalf("version %d, dirty %v, %v", version, isDirty, err)
	}
	want := env.partitionChecks()
	for steps := 1; steps <= int(version); steps++ {
		for range steps {
			if err := MigrateDown(url); err != nil {
				t.Fatal(err)
			}
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
