package postgres

import "testing"

// Retention counts what the job deletes, and nothing is due after it.
func TestRetention_CountsWhatIsDeleted(t *testing.T) {
	env := newTestEnv(t)
	env.execSQL(`INSERT INTO sign_in_attempts (email_hash, browser_hash, attempted_at)
		SELECT '', '', now() - make_interval(hours => h) FROM unnest(ARRAY[1, 25, 26]) h`)
	due := func() (rows int) {
		t.Helper()
		classes, err := env.Retention(t.Context(), 0)
		if err != nil || len(classes) != len(retentionClasses) {
			t.Fatal(classes, err)
		}
		for _, c := range classes {
			rows += c.Due
		}
		return rows
	}
	if rows := due(); rows != 2 {
		t.Errorf("%d rows are due, want 2", rows)
	}
	if err := env.DeleteExpired(t.Context()); err != nil {
		t.Fatal(err)
	}
	if rows := due(); rows != 0 {
		t.Errorf("%d rows are due after the job", rows)
	}
}
