package postgres

import (
	"log/slog"
	"testing"
	"time"
)

// waitUntil fails the test unless isTrue within a minute.
func (env testEnv) waitUntil(what string, isTrue func() bool) {
	env.t.Helper()
	for deadline := time.Now().Add(time.Minute); !isTrue(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			env.t.Fatal("not in time: " + what)
		}
	}
}

// startJobs runs jobs until the test ends.
func (env testEnv) startJobs() {
	env.t.Helper()
	stop, err := env.StartJobs(env.t.Context(), Work{Log: slog.New(slog.DiscardHandler),
		Explain: func(_ string, err error) string { return err.Error() }})
	if err != nil {
		env.t.Fatal(err)
	}
	env.t.Cleanup(stop)
}

// loseJob leaves the jobs of a kind as a server does that was killed at work, a while ago.
func (env testEnv) loseJob(kind string) {
	env.t.Helper()
	tag, err := env.pool.Exec(env.t.Context(), `UPDATE river.river_job SET state = 'running', attempt = 1,
		attempted_at = now() - interval '2 minutes', attempted_by = '{lost}' WHERE kind = $1`, kind)
	if err != nil || tag.RowsAffected() == 0 {
		env.t.Fatalf("%d jobs lost, %v", tag.RowsAffected(), err)
	}
}

// Each task runs at the start of the first server, and a server that joins does not run it again at once.
func TestStartJobs_Upkeep_RunsOnOneServer(t *testing.T) {
	env := newTestEnv(t)
	env.execSQL(`INSERT INTO sessions (token_hash, data, expires_at) VALUES ('old', '', now() - interval '1 day')`)
	env.startJobs()
	env.waitUntil("the expired session is deleted", func() bool {
		return query[int](env, `SELECT count(*) FROM sessions`) == 0
	})
	env.waitUntil("each task is done", func() bool {
		return query[int](env, `SELECT count(DISTINCT args ->> 'task') FROM river.river_job
			WHERE state = 'completed'`) == len(upkeepTasks)
	})
	env.startJobs()
	time.Sleep(2 * time.Second)
	if n := query[int](env, `SELECT count(*) FROM river.river_job WHERE args ->> 'task' = 'delete_expired'`); n != 1 {
		t.Errorf("an hourly task ran %d times", n)
	}
}
