package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

func (env testEnv) execSQL(sql string, args ...any) {
	env.t.Helper()
	if _, err := env.pool.Exec(env.t.Context(), sql, args...); err != nil {
		env.t.Fatal(err)
	}
}

// connectAsLogin connects as the login of the test database, which may do everything.
// The application's role may not.
func (env testEnv) connectAsLogin() *pgx.Conn {
	env.t.Helper()
	conn, err := pgx.Connect(env.t.Context(), env.pool.Config().ConnString())
	if err != nil {
		env.t.Fatal(err)
	}
	env.t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// changeItems changes what never changes of items.
func (env testEnv) changeItems(sql string) {
	env.t.Helper()
	mustExec(env.t, env.connectAsLogin(), `ALTER TABLE items DISABLE TRIGGER keep_content; `+sql)
}

// query returns the single value that a query returns.
func query[T any](env testEnv, sql string, args ...any) (value T) {
	env.t.Helper()
	if err := env.pool.QueryRow(env.t.Context(), sql, args...).Scan(&value); err != nil {
		env.t.Fatal(err)
	}
	return value
}

func (env testEnv) queryInt(sql string, args ...any) int {
	env.t.Helper()
	return query[int](env, sql, args...)
}

// checkCount checks the number of rows. from is a table with an optional WHERE.
func (env testEnv) checkCount(want int, from string, args ...any) {
	env.t.Helper()
	if n := env.queryInt(`SELECT count(*) FROM `+from, args...); n != want {
		env.t.Errorf("%d rows, want %d: %s", n, want, from)
	}
}

func (env testEnv) checkRejected(statement string) {
	env.t.Helper()
	if _, err := env.pool.Exec(env.t.Context(), statement); err == nil {
		env.t.Errorf("accepted: %s", statement)
	}
}

func (env testEnv) firstItem(p project.Project) project.ItemID {
	env.t.Helper()
	return query[project.ItemID](env, `SELECT min(id) FROM items WHERE project_id = $1`, p.ID)
}

func (env testEnv) itemOf(token string) project.ItemID {
	env.t.Helper()
	return query[project.ItemID](env, `SELECT item_id FROM assignments WHERE token = $1`, token)
}

func (env testEnv) isDuplicate(token string) bool {
	env.t.Helper()
	return query[bool](env, `SELECT kind = 'duplicate' FROM assignments WHERE token = $1`, token)
}

// advanceClock moves the stored times of sessions, assignments and drafts back.
func (env testEnv) advanceClock(minutes int) {
	env.t.Helper()
	for _, statement := range []string{
		`UPDATE members SET session_started_at = session_started_at - make_interval(mins => $1),
			last_active_at = last_active_at - make_interval(mins => least($1, 29))`,
		`UPDATE assignments SET opened_at = opened_at - make_interval(mins => $1),
			closed_at = closed_at - make_interval(mins => $1)`,
		`UPDATE drafts SET saved_at = saved_at - make_interval(mins => $1)`,
		`WITH moved AS (DELETE FROM annotator_days WHERE day = current_date
			AND (now() - make_interval(mins => $1))::date < day RETURNING *)
		 INSERT INTO annotator_days AS d SELECT project_id, account_id, (now() - make_interval(mins => $1))::date,
		 item_count, active_ms FROM moved
		 ON CONFLICT (project_id, account_id, day) DO UPDATE SET item_count = d.item_count + excluded.item_count,
		 active_ms = d.active_ms + excluded.active_ms`,
	} {
		env.execSQL(statement, minutes)
	}
}

// expireBreaks moves the scheduled end of current breaks to now.
func (env testEnv) expireBreaks() {
	env.t.Helper()
	env.execSQL(`UPDATE breaks SET scheduled_end_at = clock_timestamp() WHERE ended_at IS NULL`)
}

// ageClaims moves the time of all claims back.
func (env testEnv) ageClaims(minutes int) {
	env.t.Helper()
	env.execSQL(`UPDATE slots SET claimed_at = claimed_at - make_interval(mins => $1)`, minutes)
	env.execSQL(`UPDATE hidden_items SET claimed_at = claimed_at - make_interval(mins => $1)`, minutes)
}

// updateProject changes columns of a project.
func (env testEnv) updateProject(p project.Project, assignments string) {
	env.t.Helper()
	env.execSQL(`UPDATE projects SET `+assignments+` WHERE id = $1`, p.ID)
}

func (env testEnv) setMissPolicy(p project.Project, policy labeling.MissPolicy) {
	env.t.Helper()
	env.execSQL(`UPDATE projects SET miss_policy = $2 WHERE id = $1`, p.ID, policy)
}

// resolveCalibration starts the work of an annotator who has completed a calibration set.
func (env testEnv) resolveCalibration(a account.Account) {
	env.t.Helper()
	env.execSQL(`
		UPDATE calibration_attempts SET resolved_at = clock_timestamp()
		WHERE account_id = $1 AND completed_at IS NOT NULL AND resolved_at IS NULL`, a.ID)
}

// releaseOpenItem releases the open item of a batch as if another annotator held its slot.
func (env testEnv) releaseOpenItem(b project.Batch) {
	env.t.Helper()
	env.execSQL(`UPDATE assignments SET state = 'released' WHERE batch_id = $1 AND state = 'open'`, b.ID)
}

// freeReleasedSlot frees the slot of the item that releaseOpenItem released.
func (env testEnv) freeReleasedSlot(b project.Batch) {
	env.t.Helper()
	env.execSQL(`
		UPDATE slots s SET account_id = NULL FROM assignments a
		WHERE a.batch_id = $1 AND a.state = 'released' AND s.batch_id = a.batch_id AND s.item_id = a.item_id
		AND s.account_id = a.account_id`, b.ID)
}

// runWhileLocked runs first in a transaction that stays open until second waits for a
// lock. It returns the error of second.
func (env testEnv) runWhileLocked(first func(pgx.Tx) error, second func() error) error {
	env.t.Helper()
	done := make(chan error, 1)
	login := env.connectAsLogin()
	err := env.inTx(env.t.Context(), func(tx pgx.Tx) error {
		if err := first(tx); err != nil {
			return err
		}
		go func() { done <- second() }()
		for range 500 {
			var isWaiting bool
			err := login.QueryRow(env.t.Context(), `
				SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
				AND wait_event_type = 'Lock')`).Scan(&isWaiting)
			if err != nil || isWaiting {
				return err
			}
			time.Sleep(10 * time.Millisecond)
		}
		return errors.New("no transaction waits for a lock")
	})
	if err != nil {
		env.t.Fatal(err)
	}
	return <-done
}
