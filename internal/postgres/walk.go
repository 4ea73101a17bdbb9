package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/sequence"
)

// A walk is how far an annotator has come in a batch, and what may be next.
type walk struct {
	BatchID, AccountID int64
	Closed             bool
	BreakEvery         int
	Work, Given        int     // labelled: work items, hidden duplicates
	SinceRest          int     // labelled since the last break, taken or not
	Rested             bool    // there was one
	At, Of             []int32 // of the duplicates not given yet
	Reopened           bool    // a submitted item waits to be answered once more
	Returned           bool    // an own item went back to the pool, and is there still
	Later              bool    // an item set aside comes back
	Run                int     // of calibration, while the work is not open; 0: it is
	RunDone            bool
	DayFull            bool // the day's limit is reached
	SittingFull        bool // the sitting's
}

// selectWalk reads the walk of annotator $1 in the batches ba, in a time that
// does not grow with what lies behind.
const selectWalk = `
	SELECT ba.batch_id, ba.account_id, b.closed_at IS NOT NULL AS closed, b.break_every,
	       ba.work, mine.given, ba.since_rest,
	       EXISTS (SELECT FROM breaks k WHERE k.batch_id = ba.batch_id AND k.account_id = ba.account_id AND k.after > 0) AS rested,
	       waiting.reopened, waiting.returned, waiting.later, mine.at, mine.of,
	       coalesce(run.n, 0) AS run, coalesce(run.done_at IS NOT NULL, false) AS run_done,
	       p.day_items > 0 AND p.day_items <= ` + givenToday + ` AS day_full,
	       p.sitting_minutes > 0 AND coalesce(` + satSince + ` <= now() - make_interval(mins => p.sitting_minutes), false) AS sitting_full
	FROM batch_annotators ba
	JOIN batches b ON b.id = ba.batch_id
	JOIN projects p ON p.id = b.project_id
	JOIN members m ON m.project_id = p.id AND m.account_id = ba.account_id
	LEFT JOIN calibration_runs run ON run.batch_id = ba.batch_id AND run.account_id = ba.account_id AND run.settled_at IS NULL
	CROSS JOIN LATERAL (
		SELECT coalesce(bool_or(a.reopened AND a.state = 'submitted'), false) AS reopened,
		       coalesce(bool_or(a.later AND a.state = 'set_aside'), false) AS later,
		       coalesce(bool_or(a.state = 'returned' AND EXISTS (
		           SELECT FROM slots s WHERE s.batch_id = a.batch_id AND s.item_id = a.item_id AND s.account_id IS NULL)), false) AS returned
		FROM assignments a
		WHERE a.batch_id = ba.batch_id AND a.account_id = ba.account_id AND (a.reopened OR a.later OR a.state = 'returned')) waiting
	CROSS JOIN LATERAL (
		SELECT coalesce(array_agg(r.at ORDER BY r.at) FILTER (WHERE r.assignment_id IS NULL), '{}') AS at,
		       coalesce(array_agg(r.of ORDER BY r.at) FILTER (WHERE r.assignment_id IS NULL), '{}') AS of,
		       count(*) FILTER (WHERE d.kind = 'duplicate' AND (d.state = 'submitted' OR d.reopened)) AS given
		FROM repeats r
		LEFT JOIN assignments d ON d.id = r.assignment_id
		WHERE r.batch_id = ba.batch_id AND r.account_id = ba.account_id) mine
	WHERE ba.account_id = $1 `

// givenToday counts what annotator $1 was given in project p and answered
// today, or has open.
const givenToday = `(
	SELECT count(*)
	FROM (SELECT id, batch_id FROM assignments WHERE account_id = $1 AND state = 'open'
	      UNION
	      SELECT id, batch_id FROM assignments WHERE account_id = $1 AND closed_at >= current_date) t
	JOIN batches tb ON tb.id = t.batch_id
	WHERE tb.project_id = p.id)`

// satSince is when member m sat down; after half an hour of nothing done it is
// null.
const satSince = `(CASE WHEN m.seen_at >= now() - interval '30 minutes' THEN m.sat_down_at END)`

// walkOf returns an annotator's walk in a batch, whose batch_annotators row the
// transaction must have locked.
func walkOf(ctx context.Context, tx pgx.Tx, batchID, accountID int64) (walk, error) {
	return one[walk](tx.Query(ctx, selectWalk+`AND ba.batch_id = $2`, accountID, batchID))
}

// path returns the part of w that decides about duplicates.
func (w walk) path() sequence.Walk {
	path := sequence.Walk{Work: w.Work, Given: w.Given, SinceBreak: w.SinceRest, Rested: w.Rested, BreakEvery: w.BreakEvery}
	for i, at := range w.At {
		path.Repeats = append(path.Repeats, sequence.Repeat{At: int(at), Of: int(w.Of[i])})
	}
	return path
}

// limit says why nothing more is given now, where it is so.
func (w walk) limit() labeling.Limit {
	switch {
	case w.DayFull:
		return labeling.DayIsFull
	case w.SittingFull:
		return labeling.SittingIsFull
	}
	return labeling.NoLimit
}

// give opens what comes next for an annotator in a batch, whose
// batch_annotators row the transaction must have locked. The token is empty
// when nothing can be given now.
func give(ctx context.Context, tx pgx.Tx, batchID, accountID int64) (token string, err error) {
	w, err := walkOf(ctx, tx, batchID, accountID)
	if err != nil {
		return "", err
	}
	switch {
	case w.Reopened:
		return giveReopened(ctx, tx, w)
	case w.limit() != labeling.NoLimit || w.Closed || w.Run > 0 && w.RunDone:
		return "", nil
	case w.Run > 0:
		return giveCalibration(ctx, tx, w)
	}
	if r, due := w.path().Due(); due {
		return giveRepeat(ctx, tx, w, r)
	}
	if w.Returned {
		if token, err = giveReturned(ctx, tx, w); err != nil || token != "" {
			return token, err
		}
	}
	if token, err = claim(ctx, tx, batchID, accountID); err != nil || token != "" {
		return token, err
	}
	return giveLast(ctx, tx, w)
}

// giveLast opens what is left once an annotator has been through all items:
// what others abandoned, what the annotator set aside for later, and the
// duplicates still to come.
func giveLast(ctx context.Context, tx pgx.Tx, w walk) (token string, err error) {
	n, err := returnAbandoned(ctx, tx, w.BatchID, w.AccountID)
	if err != nil {
		return "", err
	}
	if n > 0 {
		if token, err = claimBy(ctx, tx, claimBehind, w.BatchID, w.AccountID); err != nil || token != "" {
			return token, err
		}
	}
	if w.Later {
		return giveLater(ctx, tx, w)
	}
	if r, ok := w.path().Last(); ok {
		return giveRepeat(ctx, tx, w, r)
	}
	return "", nil
}

// giveRepeat opens an item once more, as if it were new. It takes no slot. Work
// items count in the order in which they were first submitted, which nothing
// changes later.
func giveRepeat(ctx context.Context, tx pgx.Tx, w walk, r sequence.Repeat) (token string, err error) {
	return giveBy(ctx, tx, `
		WITH original AS (
			SELECT a.item_id, a.protocol_version_id
			FROM assignments a
			JOIN annotations n ON n.protocol_version_id = a.protocol_version_id AND n.assignment_id = a.id AND n.attempt = 1
			WHERE a.batch_id = $1 AND a.account_id = $2 AND a.kind = 'work'
			ORDER BY n.id
			OFFSET $4 - 1 LIMIT 1
		), placed AS (
			UPDATE batch_annotators SET placed = placed + 1 WHERE batch_id = $1 AND account_id = $2
			RETURNING placed
		), given AS (
			INSERT INTO assignments (token, batch_id, item_id, account_id, protocol_version_id, kind, presentation, position)
			SELECT $3, $1, original.item_id, $2, original.protocol_version_id, 'duplicate', 2, placed.placed
			FROM original, placed
			RETURNING id, token
		)
		UPDATE repeats SET assignment_id = given.id FROM given
		WHERE repeats.batch_id = $1 AND repeats.account_id = $2 AND repeats.at = $5
		RETURNING given.token`, w.BatchID, w.AccountID, r.Of, r.At)
}

// left reports whether give would find something, now or after a break.
func left(ctx context.Context, tx pgx.Tx, batchID, accountID int64) (bool, error) {
	w, err := walkOf(ctx, tx, batchID, accountID)
	if err != nil || w.Closed {
		return false, err
	}
	if w.more() {
		return true, nil
	}
	var free bool
	err = tx.QueryRow(ctx, `SELECT `+anyFree, accountID, batchID).Scan(&free)
	return free, err
}

// more reports whether something of the annotator's own is left.
func (w walk) more() bool {
	_, last := w.path().Last()
	return last || w.Run > 0 || w.Reopened || w.Returned || w.Later
}

// anyFree is true where annotator $1 can claim a slot of batch $2.
const anyFree = `EXISTS (
	SELECT FROM slots
	WHERE slots.batch_id = $2 AND slots.account_id IS NULL AND NOT EXISTS (
	    SELECT FROM assignments a
	    WHERE a.batch_id = $2 AND a.item_id = slots.item_id AND a.account_id = $1))`
