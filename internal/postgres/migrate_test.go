package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/migrations"
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
	state, err := MigrationStatus(t.Context(), url)
	if err != nil || state.IsDirty || state.Version < 5 || state.Version != state.Latest {
		t.Fatalf("%+v, %v", state, err)
	}
	want := env.partitionChecks()
	files, err := fs.Glob(migrations.FS, "*.up.sql")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d migrations, %v", len(files), err)
	}
	for steps := 1; steps <= len(files); steps++ {
		if !require.FullSize() && steps > 3 && steps%5 != 0 && steps != len(files) {
			continue
		}
		for range steps {
			if err := MigrateDown(t.Context(), url); err != nil {
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
		if adjudications := env.ownChecks(fmt.Sprintf("adjudications_%d", id)); adjudications != checks[id] ||
			len(adjudications) < 500 {
			env.t.Errorf("version %d: annotations have\n%s\nadjudications have\n%s", id, checks[id], adjudications)
		}
	}
	return checks
}

// ownChecks returns the CHECKs of a partition without those of its table, and the text of
// the function that checks its rules.
func (env testEnv) ownChecks(partition string) string {
	env.t.Helper()
	return query[string](env, `
		SELECT coalesce(string_agg(c.conname || ' ' || pg_get_constraintdef(c.oid) || coalesce(f.prosrc, ''), chr(10)
		ORDER BY c.conname), 'none')
		FROM pg_constraint c
		LEFT JOIN pg_depend d ON d.classid = 'pg_constraint'::regclass AND d.objid = c.oid
		AND d.refclassid = 'pg_proc'::regclass
		LEFT JOIN pg_proc f ON f.oid = d.refobjid
		WHERE c.conrelid = to_regclass($1) AND c.contype = 'c' AND c.coninhcount = 0`, partition)
}

// A migration that fails leaves the schema as it was, and no lock behind.
func TestMigrate_Fails_LeavesNothing(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t)
	before, err := MigrationStatus(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	d := &migrationDriver{ctx: t.Context(), conn: conn}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	if err := errors.Join(d.Lock(), d.SetVersion(99, true)); err != nil {
		t.Fatal(err)
	}
	if err := d.Run(strings.NewReader(`CREATE TABLE half (id int); SELECT 1 / 0`)); err == nil {
		t.Error("the migration did not fail")
	}
	if err := d.Unlock(); err != nil {
		t.Error(err)
	}
	var left int
	err = conn.QueryRow(t.Context(), `
		SELECT count(*) FROM pg_class WHERE relname = 'half'
		UNION ALL
		SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database
		WHERE datname = current_database())
		ORDER BY 1 DESC`).Scan(&left)
	after, statusErr := MigrationStatus(t.Context(), url)
	if err != nil || statusErr != nil || left != 0 || after != before {
		t.Errorf("%d left, status %+v, before %+v, %v, %v", left, after, before, err, statusErr)
	}
}

func TestMigrateUp_Concurrent_Works(t *testing.T) {
	t.Parallel()
	url := pgtest.NewEmpty(t)
	var nodes errgroup.Group
	for range 4 {
		nodes.Go(func() error { return MigrateUp(t.Context(), url) })
	}
	if err := nodes.Wait(); err != nil {
		t.Fatal(err)
	}
	if s, err := MigrationStatus(t.Context(), url); err != nil || s.Check() != nil {
		t.Errorf("%+v, %v", s, err)
	}
}
