package postgres

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/require"
)

// selectMiscounted counts the annotators whose counters differ from the rows they count.
const selectMiscounted = `
	SELECT count(*)
	FROM batch_annotators ba
	WHERE (ba.waiting_count, ba.label_count, ba.open_assignment_id, ba.presented_count, ba.completed_count,
	ba.items_since_break, ba.items_since_completed_break) IS DISTINCT FROM (
		(SELECT count(*) FROM slots s WHERE s.batch_id = ba.batch_id AND s.account_id = ba.account_id
		AND s.queue_no > ba.queue_cursor),
		(SELECT count(*) FROM assignments a
		 WHERE a.batch_id = ba.batch_id AND a.account_id = ba.account_id AND a.kind = 'work' AND (a.state = 'submitted'
		 OR a.reopened)),
		(SELECT a.id FROM assignments a WHERE a.batch_id = ba.batch_id AND a.account_id = ba.account_id
		AND a.state = 'open'),
		(SELECT count(*) FROM assignments a
		 WHERE a.batch_id = ba.batch_id AND a.account_id = ba.account_id AND a.kind <> 'calibration'),
		(SELECT count(*) FROM assignments a
		 WHERE a.batch_id = ba.batch_id AND a.account_id = ba.account_id AND a.kind <> 'calibration'
		 AND (a.state = 'submitted' OR a.reopened)),
		(SELECT count(*) FROM annotations n
		 WHERE n.batch_id = ba.batch_id AND n.account_id = ba.account_id AND NOT EXISTS (
		     SELECT FROM breaks k WHERE k.batch_id = ba.batch_id AND k.account_id = ba.account_id
		     AND k.started_at >= n.submitted_at)),
		(SELECT count(*) FROM annotations n
		 WHERE n.batch_id = ba.batch_id AND n.account_id = ba.account_id AND NOT EXISTS (
		     SELECT FROM breaks k WHERE k.batch_id = ba.batch_id AND k.account_id = ba.account_id AND k.completed
		     AND k.ended_at >= n.submitted_at)))`

// randomActor performs random actions of annotators and leads.
type randomActor struct {
	testEnv
	rng     *rand.Rand
	project project.Project
	batch   project.Batch
}

func TestAnnotatorCounts_RandomActions(t *testing.T) {
	for _, mode := range []project.AssignmentMode{project.Planned, project.Pool} {
		t.Run(string(mode), func(t *testing.T) { testAnnotatorCounts(t, mode) })
	}
}

func testAnnotatorCounts(t *testing.T, mode project.AssignmentMode) {
	env := newTestEnv(t)
	p, b, annotators := env.newBatchFor(3, 300, project.BatchSpec{Overlap: 2, Assignment: mode, Seed: 7, BreakEvery: 9,
		BreakMinutes: 5, DuplicateCount: 20})
	env.updateProject(p, `skip_policy = 'return_later', release_after_minutes = 30`)
	actor := randomActor{env, rand.New(rand.NewPCG(1, 2)), p, b}
	actions := 480
	if require.FullSize() {
		actions = 1200
	}
	for i := range actions {
		actor.act(annotators[i%len(annotators)])
		if i%50 == 0 {
			if n := env.queryInt(selectMiscounted); n != 0 {
				t.Fatalf("after %d actions, %d annotators are miscounted", i+1, n)
			}
		}
	}
	for what, sql := range map[string]string{
		"second attempt":                     `SELECT count(*) FROM annotations WHERE attempt_no > 1`,
		"completed break":                    `SELECT count(*) FROM breaks WHERE completed`,
		"shortened break":                    `SELECT count(*) FROM breaks WHERE NOT completed`,
		"annotation for two actions in five": fmt.Sprintf(`SELECT count(*) / %d FROM annotations`, actions*2/5),
		"skip":                               `SELECT count(*) FROM skips`,
		"released item": `SELECT count(*) FROM assignments WHERE state = 'released'
			OR resubmit_count > 0`,
		"hidden duplicate": `SELECT count(*) FROM assignments WHERE kind = 'duplicate'`,
	} {
		if env.queryInt(sql) == 0 {
			t.Errorf("no %s after all actions", what)
		}
	}
}

func (r randomActor) act(a account.Account) {
	r.t.Helper()
	switch roll := r.rng.IntN(100); {
	case roll < 2:
		r.abandonItem(a)
	case roll < 4:
		r.expireBreaks()
	case roll < 8:
		r.reopenLastItem(a)
	default:
		r.handleItem(a, roll)
	}
}

func (r randomActor) handleItem(a account.Account, roll int) {
	r.t.Helper()
	r.endBreak(a)
	token := r.openItem(a)
	switch {
	case token == "":
	case roll < 12:
		r.skipItem(a, token, labeling.Skip{Reason: labeling.Unclear, Comment: "why?"})
	case roll < 16:
		if err := r.StartBreak(r.t.Context(), a.ID, token); err != nil {
			r.t.Fatal(err)
		}
	case roll < 20:
		r.submitConcurrently(a, token, 2)
	default:
		r.mustSubmit(a, token, helpfulSubmission)
	}
}

// abandonItem releases the open item of an annotator after an hour without activity.
func (r randomActor) abandonItem(a account.Account) {
	r.t.Helper()
	r.execSQL(`UPDATE slots SET claimed_at = claimed_at - interval '1 hour' WHERE account_id = $1`, a.ID)
	r.execSQL(`UPDATE hidden_items SET claimed_at = claimed_at - interval '1 hour' WHERE account_id = $1`, a.ID)
	if _, err := r.ReleaseAbandoned(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

// reopenLastItem has an annotator request a correction of their last item, and the admin
// reopen it unless a correction is under way.
func (r randomActor) reopenLastItem(a account.Account) {
	r.t.Helper()
	var token string
	err := r.pool.QueryRow(r.t.Context(), `
		SELECT token FROM assignments WHERE account_id = $1 AND state = 'submitted' AND NOT reopened
		ORDER BY closed_at DESC LIMIT 1`, a.ID).Scan(&token)
	if errors.Is(err, pgx.ErrNoRows) {
		return
	}
	if err == nil {
		err = r.RequestCorrection(r.t.Context(), a.ID, token, "I meant no")
	}
	if err != nil {
		r.t.Fatal(err)
	}
	requests, err := r.CorrectionRequests(r.t.Context(), r.admin.ID, r.batch.ID)
	if err == nil {
		err = r.AcceptCorrection(r.t.Context(), r.admin.ID, r.project, r.batch, requests[0].ID)
	}
	if err != nil && !errors.Is(err, fault.Conflict) {
		r.t.Fatal(err)
	}
}
