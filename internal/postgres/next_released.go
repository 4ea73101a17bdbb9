package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"

	"github.com/labelwright/labelwright/internal/project"
)

// selectAbandoned finds the open work items of batch $1, or of all where it is 0, of
// anybody but $2, that were left alone for longer than the project lets them.
const selectAbandoned = `
	SELECT a.id
	FROM assignments a
	JOIN batches b ON b.id = a.batch_id
	JOIN projects p ON p.id = b.project_id
	JOIN slots s ON s.batch_id = a.batch_id AND s.item_id = a.item_id AND s.account_id = a.account_id
	LEFT JOIN drafts d ON d.assignment_id = a.id
	WHERE a.state = 'open' AND a.kind = 'work' AND NOT a.reopened AND p.return_after > 0
	  AND greatest(s.claimed_at, d.saved_at) < now() - make_interval(mins => p.return_after)
	  AND ($1 = 0 OR a.batch_id = $1) AND a.account_id <> $2
	FOR UPDATE OF a SKIP LOCKED`

// releaseAbandoned gives the slots of abandoned items back to the pool, and
// returns how many there were. Their drafts are kept.
func releaseAbandoned(ctx context.Context, q querier, batchID project.BatchID, exceptAccountID account.ID) (n int, err error) {
	tag, err := q.Exec(ctx, `
		WITH gone AS (
			UPDATE assignments SET state = 'returned', closed_at = clock_timestamp()
			WHERE id IN (`+selectAbandoned+`)
			RETURNING batch_id, item_id, account_id
		)
		UPDATE slots s SET account_id = NULL, claimed_at = NULL
		FROM gone
		WHERE s.batch_id = gone.batch_id AND s.item_id = gone.item_id AND s.account_id = gone.account_id`, batchID, exceptAccountID)
	return int(tag.RowsAffected()), err
}

// ReleaseAbandoned gives the slots of all abandoned items back to the pool.
// Done once or by many at a time, it comes to the same.
func (db *DB) ReleaseAbandoned(ctx context.Context) (n int, err error) {
	return releaseAbandoned(ctx, db.pool, 0, 0)
}

const selectFreeSlot = `
	SELECT s.n FROM slots s
	WHERE s.batch_id = a.batch_id AND s.item_id = a.item_id AND s.account_id IS NULL
	LIMIT 1
	FOR UPDATE SKIP LOCKED`

// reclaimSlot takes a slot of a, which went back to the pool, once more. It
// reports false where none is free.
func reclaimSlot(ctx context.Context, tx pgx.Tx, a assignment) (bool, error) {
	tag, err := tx.Exec(ctx, `
		WITH pick AS (
			SELECT a.batch_id, a.item_id, a.account_id, free.n FROM assignments a, LATERAL (`+selectFreeSlot+`) free WHERE a.id = $1
		)
		UPDATE slots s SET account_id = pick.account_id, claimed_at = clock_timestamp()
		FROM pick
		WHERE s.batch_id = pick.batch_id AND s.item_id = pick.item_id AND s.n = pick.n`, a.ID)
	return tag.RowsAffected() == 1, err
}

// openReleased opens an item again that the annotator left for too long, where
// a slot of it is free. It keeps its address, so that the page left open works.
func openReleased(ctx context.Context, tx pgx.Tx, s annotatorState) (token string, err error) {
	err = tx.QueryRow(ctx, `
		WITH pick AS (
			SELECT a.id, a.batch_id, a.item_id, a.account_id, free.n
			FROM assignments a, LATERAL (`+selectFreeSlot+`) free
			WHERE a.batch_id = $1 AND a.account_id = $2 AND a.state = 'returned'
			ORDER BY a.position
			LIMIT 1
		), taken AS (
			UPDATE slots s SET account_id = pick.account_id, claimed_at = clock_timestamp()
			FROM pick
			WHERE s.batch_id = pick.batch_id AND s.item_id = pick.item_id AND s.n = pick.n
		)
		UPDATE assignments a SET state = 'open', closed_at = NULL
		FROM pick
		WHERE a.id = pick.id
		RETURNING a.token`, s.BatchID, s.AccountID).Scan(&token)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return token, err
}

// openDeferred opens an item that the annotator set aside for later.
func openDeferred(ctx context.Context, tx pgx.Tx, s annotatorState) (token string, err error) {
	return openByStatement(ctx, tx, `
		WITH placed AS (
			UPDATE batch_annotators SET placed = placed + 1 WHERE batch_id = $1 AND account_id = $2 RETURNING placed
		)
		UPDATE assignments SET state = 'open', later = false, closed_at = NULL, opened_at = clock_timestamp(), token = $3, position = placed.placed
		FROM placed
		WHERE id = (
			SELECT id FROM assignments
			WHERE batch_id = $1 AND account_id = $2 AND state = 'set_aside' AND later
			ORDER BY position
			LIMIT 1)
		RETURNING token`, s.BatchID, s.AccountID)
}
