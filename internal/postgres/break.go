package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/sequence"
)

// touchSession notes that the annotator of assignment $1 did something, and returns the
// minutes since they sat down: half an hour of nothing ends a sitting.
const touchSession = `
	UPDATE members m
	SET sat_down_at = CASE WHEN m.seen_at >= now() - interval '30 minutes' THEN m.sat_down_at ELSE now() END, seen_at = now()
	FROM batches sb JOIN assignments sa ON sa.batch_id = sb.id
	WHERE sa.id = $1 AND m.project_id = sb.project_id AND m.account_id = sa.account_id
	RETURNING (extract(epoch FROM now() - m.sat_down_at) / 60)::int AS minutes`

// isBreakDue reports whether a break comes after a: as many items since the last
// as the batch says, or as many minutes as the project says. Time alone never
// puts one right after a hidden duplicate.
func isBreakDue(ctx context.Context, tx pgx.Tx, a assignment) (due bool, err error) {
	if a.BreakEvery > 0 && a.ItemsSinceBreak+1 >= a.BreakEvery {
		return true, nil
	}
	if a.BreakAfterMinutes == 0 || a.Kind == sequence.KindDuplicate {
		return false, nil
	}
	err = tx.QueryRow(ctx, `
		SELECT coalesce(greatest(m.sat_down_at, (SELECT max(left_at) FROM breaks WHERE account_id = $2)) <= now() - make_interval(mins => $3), false)
		FROM batches b
		JOIN members m ON m.project_id = b.project_id AND m.account_id = $2
		WHERE b.id = $1`, a.BatchID, a.AccountID, a.BreakAfterMinutes).Scan(&due)
	return due, err
}

// ensureAssigned reports why nothing can be sent for a now, beside its state: a
// break is under way, or it went to somebody else meanwhile. What went back to
// the pool and is there still is taken again.
func (a *assignment) ensureAssigned(ctx context.Context, tx pgx.Tx, actorID account.ID) error {
	if a.AccountID != actorID {
		return nil // Takes tells them that there is nothing here
	}
	if a.OnBreak && (a.State == labeling.Open || a.State == labeling.Released) {
		return labeling.ErrOnBreak
	}
	if a.State != labeling.Released {
		return nil
	}
	reclaimed, err := reclaimSlot(ctx, tx, *a)
	if err != nil {
		return err
	}
	if !reclaimed {
		return labeling.ErrReassigned
	}
	a.State = labeling.Open
	return nil
}

// isOnBreak reports whether an annotator has a break under way.
func isOnBreak(ctx context.Context, q querier, accountID account.ID) (onBreak bool, err error) {
	err = q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM breaks WHERE account_id = $1 AND left_at IS NULL)`, accountID).Scan(&onBreak)
	return onBreak, err
}

// StartBreak begins a rest in the batch of an open assignment, before it.
func (db *DB) StartBreak(ctx context.Context, accountID account.ID, token string) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		a, err := lockAssignment(ctx, tx, token)
		if err != nil {
			return err
		}
		if err := a.CheckOpen(accountID); err != nil {
			return err
		}
		return startBreakBefore(ctx, tx, a)
	})
}

// StartBreakInBatch begins a rest in a batch that an annotator has nothing open in,
// or before what is.
func (db *DB) StartBreakInBatch(ctx context.Context, accountID account.ID, batchID project.BatchID) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT FROM batch_annotators WHERE batch_id = $1 AND account_id = $2 FOR UPDATE`, batchID, accountID); err != nil {
			return err
		}
		a := assignment{Assignment: labeling.Assignment{BatchID: batchID, AccountID: accountID}}
		err := tx.QueryRow(ctx, `
			SELECT b.break_minutes, coalesce((
			    SELECT id FROM assignments WHERE batch_id = b.id AND account_id = $2 AND state = 'open'), 0)
			FROM batch_annotators ba
			JOIN batches b ON b.id = ba.batch_id
			WHERE ba.batch_id = $1 AND ba.account_id = $2`, batchID, accountID).Scan(&a.BreakMinutes, &a.ID)
		if err != nil {
			return notFound(err)
		}
		return startBreakBefore(ctx, tx, a)
	})
}

// startBreakBefore begins a rest after all that was shown before a.
func startBreakBefore(ctx context.Context, tx pgx.Tx, a assignment) error {
	var afterSequenceNo int
	err := tx.QueryRow(ctx, `
		SELECT coalesce(max(position), 0) FROM assignments WHERE batch_id = $1 AND account_id = $2 AND id <> $3`,
		a.BatchID, a.AccountID, a.ID).Scan(&afterSequenceNo)
	if err != nil {
		return err
	}
	return startBreak(ctx, tx, a, afterSequenceNo, false)
}

// startBreak begins a rest, unless one is under way. No duplicate that counts
// stands beside it.
func startBreak(ctx context.Context, tx pgx.Tx, a assignment, afterSequenceNo int, planned bool) error {
	tag, err := tx.Exec(ctx, `
		WITH begun AS (
			INSERT INTO breaks (batch_id, account_id, after, due, ends_at)
			VALUES ($1, $2, $3, $4, clock_timestamp() + make_interval(mins => $5))
			ON CONFLICT (batch_id, account_id) WHERE left_at IS NULL DO NOTHING
			RETURNING batch_id, account_id
		)
		UPDATE batch_annotators ba SET since_rest = 0
		FROM begun
		WHERE ba.batch_id = begun.batch_id AND ba.account_id = begun.account_id`,
		a.BatchID, a.AccountID, afterSequenceNo, planned, a.BreakMinutes)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	return invalidateDuplicate(ctx, tx, a.BatchID, a.AccountID, afterSequenceNo)
}

// CurrentBreak returns the rest that an annotator takes now, or fault.NotFound.
func (db *DB) CurrentBreak(ctx context.Context, accountID account.ID) (labeling.Break, error) {
	return collectOne[labeling.Break](db.pool.Query(ctx, `
		SELECT r.batch_id, r.due, r.started_at, r.ends_at, p.title, p.support_url
		FROM breaks r
		JOIN batches b ON b.id = r.batch_id
		JOIN projects p ON p.id = b.project_id
		WHERE r.account_id = $1 AND r.left_at IS NULL
		ORDER BY r.started_at
		LIMIT 1`, accountID))
}

// EndBreak ends the annotator's break and returns the batch it was in, 0 without
// one. Ended before its time, it is recorded so, and does not count as taken.
// Like a submit, it locks the annotator's path before anything else.
func (db *DB) EndBreak(ctx context.Context, accountID account.ID) (batchID project.BatchID, err error) {
	err = db.pool.QueryRow(ctx, `
		WITH under_way AS (
			SELECT k.id
			FROM breaks k
			JOIN batch_annotators ba ON ba.batch_id = k.batch_id AND ba.account_id = k.account_id
			WHERE k.account_id = $1 AND k.left_at IS NULL
			ORDER BY k.started_at
			LIMIT 1
			FOR UPDATE OF ba
		), ended AS (
			UPDATE breaks k SET left_at = clock_timestamp()
			FROM under_way
			WHERE k.id = under_way.id AND k.left_at IS NULL
			RETURNING k.batch_id, k.account_id, k.taken
		)
		UPDATE batch_annotators ba SET since_break = CASE WHEN ended.taken THEN 0 ELSE ba.since_break END
		FROM ended
		WHERE ba.batch_id = ended.batch_id AND ba.account_id = ended.account_id
		RETURNING ba.batch_id`, accountID).Scan(&batchID)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return batchID, err
}
