package postgres

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/project"
)

// errRollBack ends a transaction of a test.
var errRollBack = errors.New("roll back")

// TestCheckDuplicateIDs_TableThatGrew_IsNotReadWhole checks that a plan of the time when the project was small is
// not kept: a connection that looked ids up in ten items reads no other items of 20,000.
func TestCheckDuplicateIDs_TableThatGrew_IsNotReadWhole(t *testing.T) {
	env := newTestEnv(t)
	p := env.newProject("grows", 10)
	items := make([]project.Item, 1000)
	for i := range items {
		items[i].SourceID = fmt.Sprintf("other-%d", i)
	}
	items[0].SourceID = "item-3"
	err := env.inTx(t.Context(), func(tx pgx.Tx) error {
		check := func() error {
			err := checkDuplicateIDs(t.Context(), tx, p.ID, "a.csv", items)
			if found, ok := errors.AsType[DuplicateIDsError](err); !ok || found.Count != 1 {
				return fmt.Errorf("got %w, want one known id", err)
			}
			return nil
		}
		countRead := func() (n int, err error) {
			err = tx.QueryRow(t.Context(), `SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables
				WHERE relname = 'items'`).Scan(&n)
			return n, err
		}
		for range 10 { // after five, PostgreSQL keeps the plan of a prepared statement
			if err := check(); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(t.Context(), `INSERT INTO items (project_id, import_id, source_id, content, facts, word_count)
			SELECT $1, min(import_id), 'new-' || n, '{}', '{}', 1
			FROM items, generate_series(1, 20000) AS n WHERE project_id = $1 GROUP BY n`, p.ID); err != nil {
			return err
		}
		before, err := countRead()
		if err != nil {
			return err
		}
		if err := check(); err != nil {
			return err
		}
		after, err := countRead()
		if read := after - before; read > 5000 {
			t.Errorf("looking 1,000 ids up read %d rows", read)
		}
		return errors.Join(err, errRollBack)
	})
	if !errors.Is(err, errRollBack) {
		t.Fatal(err)
	}
}

// TestTakeUnmeasured_PlanOfEmptyQueue_TakesTheFirst checks that as many entries of the queue are taken as are wanted
// by a plan that was made when the queue was empty.
func TestTakeUnmeasured_PlanOfEmptyQueue_TakesTheFirst(t *testing.T) {
	env := newTestEnv(t)
	p := env.newProject("queue", 1)
	if _, err := env.connectAsLogin().Exec(t.Context(), "VACUUM ANALYZE unmeasured_items"); err != nil {
		t.Fatal(err)
	}
	err := env.inTx(t.Context(), func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), "SET LOCAL plan_cache_mode = force_generic_plan"); err != nil {
			return err
		}
		for entries, want := range []int{0, measuredTogether} {
			if _, err := tx.Exec(t.Context(), `INSERT INTO unmeasured_items (item_id, protocol_version_id)
				SELECT $1, $2 FROM generate_series(1, $3)`, env.firstItem(p), p.ProtocolVersionID,
				2000*entries); err != nil {
				return err
			}
			taken, err := takeUnmeasured(t.Context(), tx)
			if err != nil {
				return err
			}
			if len(taken) != want {
				t.Errorf("took %d entries, want %d", len(taken), want)
			}
		}
		return errRollBack
	})
	if !errors.Is(err, errRollBack) {
		t.Fatal(err)
	}
}
