package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/sequence"
)

// A annotatorState is how far an annotator has come in a batch, and what may be next.
type annotatorState struct {
	BatchID                                project.BatchID
	AccountID                              account.ID
	BatchClosed                            bool
	BreakEvery                             int
	WorkCount, DuplicateCount              int     // labelled: work items, hidden duplicates
	ItemsSinceBreak                        int     // labelled since the last break, taken or not
	HadBreak                               bool    // there was one
	DuplicatePositions, DuplicateOriginals []int32 // of the duplicates not given yet
	HasReopened                            bool    // a submitted item waits to be answered once more
	HasReleased                            bool    // an own item went back to the pool, and is there still
	HasDeferred                            bool    // an item set aside comes back
	CalibrationAttemptNo                   int     // of calibration, while the work is not open; 0: it is
	CalibrationCompleted                   bool
	DailyLimitReached                      bool // the day's limit is reached
	SessionLimitReached                    bool // the sitting's
}

// selectAnnotatorState reads the walk of annotator $1 in the batches ba, in a time that
// does not grow with what lies behind.
const selectAnnotatorState = `
	SELECT ba.batch_id, ba.account_id, b.closed_at IS NOT NULL AS closed, b.break_every,
	       ba.work, mine.given, ba.since_rest,
	       EXISTS (SELECT FROM breaks k WHERE k.batch_id = ba.batch_id AND k.account_id = ba.account_id AND k.after > 0) AS rested,
	       waiting.reopened, waiting.returned, waiting.later, mine.at, mine.of,
	       coalesce(run.n, 0) AS run, coalesce(run.done_at IS NOT NULL, false) AS run_done,
	       p.day_items > 0 AND p.day_items <= ` + countItemsToday + ` AS day_full,
	       p.sitting_minutes > 0 AND coalesce(` + sessionStartedAt + ` <= now() - make_interval(mins => p.sitting_minutes), false) AS sitting_full
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

// countItemsToday counts what annotator $1 was given in project p and answered
// today, or has open.
const countItemsToday = `(
	SELECT count(*)
	FROM (SELECT id, batch_id FROM assignments WHERE account_id = $1 AND state = 'open'
	      UNION
	      SELECT id, batch_id FROM assignments WHERE account_id = $1 AND closed_at >= current_date) t
	JOIN batches tb ON tb.id = t.batch_id
	WHERE tb.project_id = p.id)`

// sessionStartedAt is when member m sat down; after half an hour of nothing done it is
// null.
const sessionStartedAt = `(CASE WHEN m.seen_at >= now() - interval '30 minutes' THEN m.sat_down_at END)`

// loadAnnotatorState returns an annotator's walk in a batch, whose batch_annotators row the
// transaction must have locked.
func loadAnnotatorState(ctx context.Context, tx pgx.Tx, batchID project.BatchID, accountID account.ID) (annotatorState, error) {
	return collectOne[annotatorState](tx.Query(ctx, selectAnnotatorState+`AND ba.batch_id = $2`, accountID, batchID))
}

// toProgress returns the part of w that decides about duplicates.
func (s annotatorState) toProgress() sequence.Progress {
	progress := sequence.Progress{WorkLabeled: s.WorkCount, DuplicatesLabeled: s.DuplicateCount, ItemsSinceBreak: s.ItemsSinceBreak, HadBreak: s.HadBreak, BreakEvery: s.BreakEvery}
	for i, position := range s.DuplicatePositions {
		progress.Pending = append(progress.Pending, sequence.Duplicate{Position: int(position), OriginalNo: int(s.DuplicateOriginals[i])})
	}
	return progress
}

// limit says why nothing more is given now, where it is so.
func (s annotatorState) limit() labeling.Limit {
	switch {
	case s.DailyLimitReached:
		return labeling.DailyLimit
	case s.SessionLimitReached:
		return labeling.SessionLimit
	}
	return labeling.NoLimit
}

// openNext opens what comes next for an annotator in a batch, whose
// batch_annotators row the transaction must have locked. The token is empty
// when nothing can be given now.
func openNext(ctx context.Context, tx pgx.Tx, batchID project.BatchID, accountID account.ID) (token string, err error) {
	s, err := loadAnnotatorState(ctx, tx, batchID, accountID)
	if err != nil {
		return "", err
	}
	switch {
	case s.HasReopened:
		return openReopened(ctx, tx, s)
	case s.limit() != labeling.NoLimit || s.BatchClosed || s.CalibrationAttemptNo > 0 && s.CalibrationCompleted:
		return "", nil
	case s.CalibrationAttemptNo > 0:
		return openCalibrationItem(ctx, tx, s)
	}
	if duplicate, isDue := s.toProgress().NextDuplicate(); isDue {
		return openDuplicate(ctx, tx, s, duplicate)
	}
	if s.HasReleased {
		if token, err = openReleased(ctx, tx, s); err != nil || token != "" {
			return token, err
		}
	}
	if token, err = openWorkItem(ctx, tx, batchID, accountID); err != nil || token != "" {
		return token, err
	}
	return openRemaining(ctx, tx, s)
}

// openRemaining opens what is left once an annotator has been through all items:
// what others abandoned, what the annotator set aside for later, and the
// duplicates still to come.
func openRemaining(ctx context.Context, tx pgx.Tx, s annotatorState) (token string, err error) {
	released, err := releaseAbandoned(ctx, tx, s.BatchID, s.AccountID)
	if err != nil {
		return "", err
	}
	if released > 0 {
		if token, err = claimByStatement(ctx, tx, claimBehind, s.BatchID, s.AccountID); err != nil || token != "" {
			return token, err
		}
	}
	if s.HasDeferred {
		return openDeferred(ctx, tx, s)
	}
	if duplicate, ok := s.toProgress().RemainingDuplicate(); ok {
		return openDuplicate(ctx, tx, s, duplicate)
	}
	return "", nil
}

// openDuplicate opens an item once more, as if it were new. It takes no slot. Work
// items count in the order in which they were first submitted, which nothing
// changes later.
func openDuplicate(ctx context.Context, tx pgx.Tx, s annotatorState, duplicate sequence.Duplicate) (token string, err error) {
	return openByStatement(ctx, tx, `
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
		RETURNING given.token`, s.BatchID, s.AccountID, duplicate.OriginalNo, duplicate.Position)
}

// hasNext reports whether give would find something, now or after a break.
func hasNext(ctx context.Context, tx pgx.Tx, batchID project.BatchID, accountID account.ID) (bool, error) {
	s, err := loadAnnotatorState(ctx, tx, batchID, accountID)
	if err != nil || s.BatchClosed {
		return false, err
	}
	if s.hasOwnItems() {
		return true, nil
	}
	var hasFreeSlot bool
	err = tx.QueryRow(ctx, `SELECT `+freeSlotExists, accountID, batchID).Scan(&hasFreeSlot)
	return hasFreeSlot, err
}

// hasOwnItems reports whether something of the annotator's own is left.
func (s annotatorState) hasOwnItems() bool {
	_, hasDuplicate := s.toProgress().RemainingDuplicate()
	return hasDuplicate || s.CalibrationAttemptNo > 0 || s.HasReopened || s.HasReleased || s.HasDeferred
}

// freeSlotExists is true where annotator $1 can claim a slot of batch $2.
const freeSlotExists = `EXISTS (
	SELECT FROM slots
	WHERE slots.batch_id = $2 AND slots.account_id IS NULL AND NOT EXISTS (
	    SELECT FROM assignments a
	    WHERE a.batch_id = $2 AND a.item_id = slots.item_id AND a.account_id = $1))`
