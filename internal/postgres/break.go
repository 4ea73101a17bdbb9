package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// ensureAssigned reports a break of the annotator. If a was released, it reclaims it,
// or returns labeling.ErrReassigned.
func (a *assignment) ensureAssigned(ctx context.Context, tx querier, actorID account.ID) error {
	if a.AccountID != actorID {
		return nil // CheckOpen reports it
	}
	if a.Removed {
		return labeling.ErrRemoved
	}
	if a.OnBreak && (a.State == labeling.Open || a.State == labeling.Released) {
		return labeling.ErrOnBreak
	}
	if a.State != labeling.Released {
		return nil
	}
	reclaimed, err := reclaim(ctx, tx, a.ID)
	if err != nil {
		return err
	}
	if !reclaimed {
		return labeling.ErrReassigned
	}
	a.State = labeling.Open
	return nil
}

// selectIsOnBreak reads whether account $1 is on a break.
const selectIsOnBreak = `SELECT EXISTS (SELECT FROM breaks WHERE account_id = $1 AND ended_at IS NULL)`

// StartBreak starts a break before an open assignment.
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

// StartBreakInBatch starts a break in a batch, before the open assignment if there is one.
func (db *DB) StartBreakInBatch(ctx context.Context, accountID account.ID, batchID project.BatchID) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT FROM batch_annotators WHERE batch_id = $1
			AND account_id = $2 FOR UPDATE`, batchID, accountID); err != nil {
			return err
		}
		a := assignment{Assignment: labeling.Assignment{BatchID: batchID, AccountID: accountID}}
		err := tx.QueryRow(ctx, `
			SELECT b.break_minutes, coalesce(ba.open_assignment_id, 0)
			FROM active_annotators v
			JOIN batch_annotators ba ON ba.batch_id = v.batch_id AND ba.account_id = v.account_id
			JOIN batches b ON b.id = ba.batch_id
			WHERE ba.batch_id = $1 AND ba.account_id = $2`, batchID, accountID).Scan(&a.BreakMinutes, &a.ID)
		if err != nil {
			return notFound(err)
		}
		return startBreakBefore(ctx, tx, a)
	})
}

// startBreakBefore starts a break after the last item that was opened before a.
func startBreakBefore(ctx context.Context, tx querier, a assignment) error {
	var afterSequenceNo int
	err := tx.QueryRow(ctx, `
		SELECT coalesce(max(sequence_no), 0) FROM assignments WHERE batch_id = $1 AND account_id = $2 AND id <> $3`,
		a.BatchID, a.AccountID, a.ID).Scan(&afterSequenceNo)
	if err != nil {
		return err
	}
	return startBreak(ctx, tx, a, afterSequenceNo, false)
}

// startBreak starts a break unless there is one. Hidden duplicates next to it still count,
// and none is moved: a duplicate that depended on breaks could be found by taking them.
func startBreak(ctx context.Context, tx querier, a assignment, afterSequenceNo int, planned bool) error {
	_, err := tx.Exec(ctx, `
		WITH started AS (
			INSERT INTO breaks (batch_id, account_id, after_sequence_no, planned, scheduled_end_at)
			VALUES ($1, $2, $3, $4, clock_timestamp() + make_interval(mins => $5))
			ON CONFLICT (batch_id, account_id) WHERE ended_at IS NULL DO NOTHING
			RETURNING batch_id, account_id
		)
		UPDATE batch_annotators ba SET items_since_break = 0
		FROM started
		WHERE ba.batch_id = started.batch_id AND ba.account_id = started.account_id`,
		a.BatchID, a.AccountID, afterSequenceNo, planned, a.BreakMinutes)
	return err
}

// CurrentBreak returns the break that an annotator is on, or fault.NotFound.
func (db *DB) CurrentBreak(ctx context.Context, accountID account.ID) (labeling.Break, error) {
	type breakRow struct {
		labeling.Break
		paceRow
	}
	row, err := collectOne[breakRow](db.pool.Query(ctx, `
		SELECT k.batch_id, k.planned, k.started_at, k.scheduled_end_at, p.title AS project_title, p.support_url,
		       `+recentPace+`
		FROM breaks k
		JOIN batches b ON b.id = k.batch_id
		JOIN batch_annotators ba ON ba.batch_id = b.id AND ba.account_id = k.account_id
		JOIN projects p ON p.id = b.project_id
		WHERE k.account_id = $1 AND k.ended_at IS NULL
		ORDER BY k.started_at
		LIMIT 1`, accountID))
	if err != nil {
		return row.Break, err
	}
	row.Pace, err = db.paceOf(ctx, row.paceRow)
	return row.Break, err
}

// EndBreak ends the annotator's break and returns its batch, 0 if there is none. A break
// that ends early does not count as completed. Like a submit, it first locks the
// annotator's row of the batch.
func (db *DB) EndBreak(ctx context.Context, accountID account.ID) (batchID project.BatchID, err error) {
	err = db.pool.QueryRow(ctx, `
		WITH current AS (
			SELECT k.id
			FROM breaks k
			JOIN batch_annotators ba ON ba.batch_id = k.batch_id AND ba.account_id = k.account_id
			WHERE k.account_id = $1 AND k.ended_at IS NULL
			ORDER BY k.started_at
			LIMIT 1
			FOR UPDATE OF ba
		), ended AS (
			UPDATE breaks k SET ended_at = clock_timestamp()
			FROM current
			WHERE k.id = current.id AND k.ended_at IS NULL
			RETURNING k.batch_id, k.account_id, k.completed
		)
		UPDATE batch_annotators ba
		SET items_since_completed_break = CASE WHEN ended.completed THEN 0 ELSE ba.items_since_completed_break END
		FROM ended
		WHERE ba.batch_id = ended.batch_id AND ba.account_id = ended.account_id
		RETURNING ba.batch_id`, accountID).Scan(&batchID)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return batchID, err
}
