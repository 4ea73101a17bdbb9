package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// selectAbandoned locks the open work items in batch $1 (0: all) of any account except $2
// that had no activity for as long as the project allows.
const selectAbandoned = `
	SELECT a.id
	FROM assignments a
	JOIN batches b ON b.id = a.batch_id
	JOIN projects p ON p.id = b.project_id
	JOIN slots s ON s.batch_id = a.batch_id AND s.item_id = a.item_id AND s.account_id = a.account_id
	LEFT JOIN drafts d ON d.assignment_id = a.id
	WHERE a.state = 'open' AND a.kind = 'work' AND NOT a.reopened AND p.release_after_minutes > 0
	  AND greatest(s.claimed_at, d.saved_at) < now() - make_interval(mins => p.release_after_minutes)
	  AND ($1 = 0 OR a.batch_id = $1) AND a.account_id <> $2
	FOR UPDATE OF a SKIP LOCKED`

// releaseAbandoned releases abandoned items and returns their number. Drafts stay.
func releaseAbandoned(ctx context.Context, q querier, batchID project.BatchID, exceptAccountID account.ID) (n int, err error) {
	tag, err := q.Exec(ctx, `
		WITH released AS (
			UPDATE assignments SET state = 'released', closed_at = clock_timestamp()
			WHERE id IN (`+selectAbandoned+`)
			RETURNING batch_id, item_id, account_id
		)
		UPDATE slots s SET account_id = NULL, claimed_at = NULL
		FROM released r
		WHERE s.batch_id = r.batch_id AND s.item_id = r.item_id AND s.account_id = r.account_id`, batchID, exceptAccountID)
	return int(tag.RowsAffected()), err
}

// ReleaseAbandoned releases the abandoned items of all batches and returns their number.
// Concurrent calls are safe.
func (db *DB) ReleaseAbandoned(ctx context.Context) (n int, err error) {
	return releaseAbandoned(ctx, db.pool, 0, 0)
}

// pickReclaimable locks a free slot of the first released item that matches a condition.
func pickReclaimable(condition string) string {
	return `
		SELECT r.assignment_id, r.batch_id, r.item_id, r.slot_no, r.account_id
		FROM reclaimable_slots r
		WHERE ` + condition + `
		ORDER BY r.sequence_no, r.slot_no
		LIMIT 1
		FOR UPDATE SKIP LOCKED`
}

const reclaimPicked = `
	UPDATE slots s SET account_id = pick.account_id, claimed_at = clock_timestamp()
	FROM pick
	WHERE s.batch_id = pick.batch_id AND s.item_id = pick.item_id AND s.slot_no = pick.slot_no`

// reclaimSlot claims a slot of the released assignment a for its annotator. It reports
// false if none is free.
func reclaimSlot(ctx context.Context, tx pgx.Tx, a assignment) (bool, error) {
	tag, err := tx.Exec(ctx, `WITH pick AS (`+pickReclaimable(`r.assignment_id = $1`)+`)`+reclaimPicked, a.ID)
	return tag.RowsAffected() == 1, err
}

// openReleased opens a released item of the annotator again if one of its slots is free.
// The token stays the same, so that a page still open works.
func openReleased(ctx context.Context, tx pgx.Tx, s annotatorState) (token string, err error) {
	err = tx.QueryRow(ctx, `
		WITH pick AS (`+pickReclaimable(`r.batch_id = $1 AND r.account_id = $2`)+`), claimed AS (`+reclaimPicked+`)
		UPDATE assignments a SET state = 'open', closed_at = NULL
		FROM pick
		WHERE a.id = pick.assignment_id
		RETURNING a.token`, s.BatchID, s.AccountID).Scan(&token)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return token, err
}
