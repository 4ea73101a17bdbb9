package postgres

import (
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// queryInt returns the number that a query of one number gives.
func (env testEnv) queryInt(sql string, args ...any) (n int) {
	env.t.Helper()
	if err := env.pool.QueryRow(env.t.Context(), sql, args...).Scan(&n); err != nil {
		env.t.Fatal(err)
	}
	return n
}

func (env testEnv) execSQL(sql string, args ...any) {
	env.t.Helper()
	if _, err := env.pool.Exec(env.t.Context(), sql, args...); err != nil {
		env.t.Fatal(err)
	}
}

// advanceClock moves everything that sessions remember so many minutes back.
func (env testEnv) advanceClock(minutes int) {
	env.t.Helper()
	for _, statement := range []string{
		`UPDATE members SET sat_down_at = sat_down_at - make_interval(mins => $1), seen_at = seen_at - make_interval(mins => least($1, 29))`,
		`UPDATE assignments SET opened_at = opened_at - make_interval(mins => $1), closed_at = closed_at - make_interval(mins => $1)`,
		`UPDATE drafts SET saved_at = saved_at - make_interval(mins => $1)`,
	} {
		if _, err := env.pool.Exec(env.t.Context(), statement, minutes); err != nil {
			env.t.Fatal(err)
		}
	}
}

// expireBreaks lets the time of every break under way pass.
func (env testEnv) expireBreaks() {
	env.t.Helper()
	if _, err := env.pool.Exec(env.t.Context(), `UPDATE breaks SET ends_at = clock_timestamp() WHERE left_at IS NULL`); err != nil {
		env.t.Fatal(err)
	}
}

// updateProject changes what a project decides about sessions.
func (env testEnv) updateProject(p project.Project, assignments string) {
	env.t.Helper()
	if _, err := env.pool.Exec(env.t.Context(), `UPDATE projects SET `+assignments+` WHERE id = $1`, p.ID); err != nil {
		env.t.Fatal(err)
	}
}

func (env testEnv) setMissPolicy(p project.Project, policy labeling.MissPolicy) {
	env.t.Helper()
	if _, err := env.pool.Exec(env.t.Context(), `UPDATE projects SET after_miss = $2 WHERE id = $1`, p.ID, policy); err != nil {
		env.t.Fatal(err)
	}
}

// releaseOpenItem gives an item of a batch that is open to somebody else, as it were; and
// offer gives it back.
func (env testEnv) releaseOpenItem(b project.Batch) {
	env.t.Helper()
	env.execSQL(`UPDATE assignments SET state = 'returned' WHERE batch_id = $1 AND state = 'open'`, b.ID)
}

func (env testEnv) freeReleasedSlot(b project.Batch) {
	env.t.Helper()
	env.execSQL(`
		UPDATE slots s SET account_id = NULL FROM assignments a
		WHERE a.batch_id = $1 AND a.state = 'returned' AND s.batch_id = a.batch_id AND s.item_id = a.item_id AND s.account_id = a.account_id`, b.ID)
}

// runWhileLocked does one thing in a transaction that stays open until another waits for
// it, and returns what the other came to.
func (env testEnv) runWhileLocked(holder func(pgx.Tx) error, waiter func() error) error {
	env.t.Helper()
	done := make(chan error, 1)
	err := env.inTx(env.t.Context(), func(tx pgx.Tx) error {
		if err := holder(tx); err != nil {
			return err
		}
		go func() { done <- waiter() }()
		for range 500 {
			if env.queryInt(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 0 {
				return nil
			}
			time.Sleep(10 * time.Millisecond)
		}
		return errors.New("nothing waits")
	})
	if err != nil {
		env.t.Fatal(err)
	}
	return <-done
}
