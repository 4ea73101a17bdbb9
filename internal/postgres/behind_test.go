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

// miscounted counts the annotators whose counts differ from the rows that they
// stand for.
const miscounted = `
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

// A wanderer does what annotators and leads do, at random.
type wanderer struct {
	world
	chance   *rand.Rand
	p        project.Project
	b        project.Batch
	everyone []account.Account
}

func TestWhatIsCountedOfEachAnnotatorIsWhatLiesBehindThem(t *testing.T) {
	w := newWorld(t)
	emails, everyone := w.annotators(3)
	p := w.project("counted", 400)
	w.set(p, `aside_next = 'later', return_after = 30`)
	b := w.open(p, project.Handout{Name: "one", Annotators: emails, Overlap: 2, Seed: 7, BreakEvery: 9, BreakMinutes: 5, Duplicates: 20})
	one := wanderer{w, rand.New(rand.NewPCG(1, 2)), p, b, everyone}
	for i := range 2000 {
		one.act(everyone[i%len(everyone)])
		if i%50 == 0 && w.count(miscounted) != 0 {
			t.Fatalf("after %d acts, %d annotators are miscounted", i+1, w.count(miscounted))
		}
	}
	for what, sql := range map[string]string{
		"more than one attempt":  `SELECT count(*) FROM annotations WHERE attempt > 1`,
		"a break that was taken": `SELECT count(*) FROM breaks WHERE taken`,
		"a break that was not":   `SELECT count(*) FROM breaks WHERE NOT taken`,
		"much that was labelled": `SELECT count(*) / 500 FROM annotations`,
		"something set aside":    `SELECT count(*) FROM set_aside`,
	} {
		if w.count(sql) == 0 {
			t.Errorf("there was never %s", what)
		}
	}
	one.countedAnew()
}

// countedAnew takes the counts away, and has the schema's step fill them in as
// it does where labels were there before it.
func (w wanderer) countedAnew() {
	w.t.Helper()
	for _, step := range []string{"0009_behind.down.sql", "0009_behind.up.sql"} {
		sql, err := migrations.FS.ReadFile(step)
		if err != nil {
			w.t.Fatal(err)
		}
		w.exec(string(sql))
	}
	if n := w.count(miscounted); n != 0 {
		w.t.Errorf("%d annotators are miscounted by the migration", n)
	}
}

// act does one thing at random.
func (w wanderer) act(a account.Account) {
	w.t.Helper()
	switch n := w.chance.IntN(100); {
	case n < 2:
		w.forget(a)
	case n < 4:
		w.exec(`UPDATE breaks SET ends_at = clock_timestamp() WHERE account_id = $1 AND left_at IS NULL`, a.ID)
	case n < 8:
		w.flags(a)
	default:
		w.labels(a, n)
	}
}

func (w wanderer) labels(a account.Account, n int) {
	w.t.Helper()
	ctx := context.Background()
	if _, err := w.GoOn(ctx, a.ID); err != nil {
		w.t.Fatal(err)
	}
	token := w.begin(a)
	if token == "" {
		return
	}
	var err error
	switch {
	case n < 12:
		_, err = w.SetAside(ctx, a.ID, token, labeling.Aside{Reason: labeling.Unclear, Word: "why?"})
	case n < 16:
		err = w.TakeBreak(ctx, a.ID, token)
	case n < 20:
		w.submitAtOnce(a.ID, token, 2)
	default:
		_, err = w.Submit(ctx, a.ID, token, good)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// forget leaves the open item for so long that it goes back to the pool.
func (w wanderer) forget(a account.Account) {
	w.t.Helper()
	w.exec(`UPDATE slots SET claimed_at = claimed_at - interval '1 hour' WHERE account_id = $1`, a.ID)
	if _, err := w.ReturnAbandoned(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// flags has an annotator flag the last item they sent, and the lead open it
// again.
func (w wanderer) flags(a account.Account) {
	w.t.Helper()
	var token string
	err := w.pool.QueryRow(w.t.Context(), `
		SELECT token FROM assignments WHERE account_id = $1 AND state = 'submitted' AND NOT reopened ORDER BY closed_at DESC LIMIT 1`, a.ID).Scan(&token)
	if errors.Is(err, pgx.ErrNoRows) {
		return
	}
	if err == nil {
		err = w.Flag(w.t.Context(), a.ID, token, "I meant no")
	}
	if err != nil {
		w.t.Fatal(err)
	}
	flags, err := w.Flags(w.t.Context(), w.b.ID)
	if err == nil {
		err = w.Reopen(w.t.Context(), w.admin.ID, w.p, w.b, flags[0].ID)
	}
	if err != nil && !errors.Is(err, fault.Conflict) {
		w.t.Fatal(err)
	}
}
