package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/migrations"
)

// countMiscounted counts the annotators whose counts differ from the rows that they
// stand for.
const countMiscounted = `
	SELECT count(*)
	FROM batch_annotators ba
	WHERE (ba.work, ba.since_rest, ba.since_break) <> (
		(SELECT count(*) FROM assignments a
		 WHERE a.batch_id = ba.batch_id AND a.account_id = ba.account_id AND a.kind = 'work' AND (a.state = 'submitted' OR a.reopened)),
		(SELECT count(*) FROM annotations n
		 WHERE n.batch_id = ba.batch_id AND n.account_id = ba.account_id AND NOT EXISTS (
		     SELECT FROM breaks k WHERE k.batch_id = ba.batch_id AND k.account_id = ba.account_id AND k.started_at >= n.submitted_at)),
		(SELECT count(*) FROM annotations n
		 WHERE n.batch_id = ba.batch_id AND n.account_id = ba.account_id AND NOT EXISTS (
		     SELECT FROM breaks k WHERE k.batch_id = ba.batch_id AND k.account_id = ba.account_id AND k.taken AND k.left_at >= n.submitted_at)))`

// A randomActor does what annotators and leads do, at random.
type randomActor struct {
	testEnv
	rng      *rand.Rand
	project  project.Project
	batch    project.Batch
	accounts []account.Account
}

func TestAnnotatorCounts_RandomActs(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(3)
	p := env.newProject("counted", 400)
	env.updateProject(p, `aside_next = 'later', return_after = 30`)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2, Seed: 7, BreakEvery: 9, BreakMinutes: 5, DuplicateCount: 20})
	actor := randomActor{env, rand.New(rand.NewPCG(1, 2)), p, b, accounts}
	for i := range 2000 {
		actor.act(accounts[i%len(accounts)])
		if i%50 == 0 && env.queryInt(countMiscounted) != 0 {
			t.Fatalf("after %d acts, %d annotators are miscounted", i+1, env.queryInt(countMiscounted))
		}
	}
	for what, sql := range map[string]string{
		"more than one attempt":  `SELECT count(*) FROM annotations WHERE attempt > 1`,
		"a break that was taken": `SELECT count(*) FROM breaks WHERE taken`,
		"a break that was not":   `SELECT count(*) FROM breaks WHERE NOT taken`,
		"much that was labelled": `SELECT count(*) / 500 FROM annotations`,
		"something set aside":    `SELECT count(*) FROM set_aside`,
	} {
		if env.queryInt(sql) == 0 {
			t.Errorf("there was never %s", what)
		}
	}
	actor.checkMigrationRecounts()
}

// checkMigrationRecounts takes the counts away, and has the schema's step fill them in as
// it does where labels were there before it.
func (r randomActor) checkMigrationRecounts() {
	r.t.Helper()
	for _, step := range []string{"0009_behind.down.sql", "0009_behind.up.sql"} {
		sql, err := migrations.FS.ReadFile(step)
		if err != nil {
			r.t.Fatal(err)
		}
		r.execSQL(string(sql))
	}
	if n := r.queryInt(countMiscounted); n != 0 {
		r.t.Errorf("%d annotators are miscounted by the migration", n)
	}
}

// act does one thing at random.
func (r randomActor) act(a account.Account) {
	r.t.Helper()
	switch roll := r.rng.IntN(100); {
	case roll < 2:
		r.abandonItem(a)
	case roll < 4:
		r.execSQL(`UPDATE breaks SET ends_at = clock_timestamp() WHERE account_id = $1 AND left_at IS NULL`, a.ID)
	case roll < 8:
		r.reopenLastItem(a)
	default:
		r.handleItem(a, roll)
	}
}

func (r randomActor) handleItem(a account.Account, roll int) {
	r.t.Helper()
	ctx := context.Background()
	if _, err := r.EndBreak(ctx, a.ID); err != nil {
		r.t.Fatal(err)
	}
	token := r.openItem(a)
	if token == "" {
		return
	}
	var err error
	switch {
	case roll < 12:
		_, err = r.Skip(ctx, a.ID, token, labeling.Skip{Reason: labeling.Unclear, Comment: "why?"})
	case roll < 16:
		err = r.StartBreak(ctx, a.ID, token)
	case roll < 20:
		r.submitConcurrently(a.ID, token, 2)
	default:
		_, err = r.Submit(ctx, a.ID, token, helpfulSubmission)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// abandonItem leaves the open item for so long that it goes back to the pool.
func (r randomActor) abandonItem(a account.Account) {
	r.t.Helper()
	r.execSQL(`UPDATE slots SET claimed_at = claimed_at - interval '1 hour' WHERE account_id = $1`, a.ID)
	if _, err := r.ReleaseAbandoned(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

// reopenLastItem has an annotator flag the last item they sent, and the lead open it
// again.
func (r randomActor) reopenLastItem(a account.Account) {
	r.t.Helper()
	var token string
	err := r.pool.QueryRow(r.t.Context(), `
		SELECT token FROM assignments WHERE account_id = $1 AND state = 'submitted' AND NOT reopened ORDER BY closed_at DESC LIMIT 1`, a.ID).Scan(&token)
	if errors.Is(err, pgx.ErrNoRows) {
		return
	}
	if err == nil {
		err = r.RequestCorrection(r.t.Context(), a.ID, token, "I meant no")
	}
	if err != nil {
		r.t.Fatal(err)
	}
	corrections, err := r.CorrectionRequests(r.t.Context(), r.batch.ID)
	if err == nil {
		err = r.AcceptCorrection(r.t.Context(), r.admin.ID, r.project, r.batch, corrections[0].ID)
	}
	if err != nil && !errors.Is(err, fault.Conflict) {
		r.t.Fatal(err)
	}
}
