package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// selectAbandoned locks the open work items and hidden items in open pool batch $1 (0: all)
// of any account except $2 that had no activity for as long as the project allows. In a
// planned batch, a lead decides what happens to them.
const selectAbandoned = `
	SELECT a.id
	FROM batch_annotators ba
	JOIN assignments a ON a.id = ba.open_assignment_id
	JOIN batches b ON b.id = a.batch_id AND b.assignment = 'pool' AND b.closed_at IS NULL
	JOIN projects p ON p.id = b.project_id
	LEFT JOIN slots s ON a.kind = 'work' AND s.batch_id = a.batch_id AND s.item_id = a.item_id
	AND s.account_id = a.account_id
	LEFT JOIN hidden_items h ON h.assignment_id = a.id
	LEFT JOIN drafts d ON d.assignment_id = a.id
	WHERE a.state = 'open' AND a.kind <> 'calibration' AND NOT a.reopened AND p.release_after_minutes > 0
	  AND greatest(s.claimed_at, h.claimed_at, d.saved_at) < now() - make_interval(mins => p.release_after_minutes)
	  AND ($1::bigint = 0 OR a.batch_id = $1) AND a.account_id <> $2
	FOR UPDATE OF a SKIP LOCKED`

func releaseAbandoned(ctx context.Context, q querier, batchID project.BatchID, exceptAccountID account.ID) (n int,
	err error) {
	return releaseItems(ctx, q, selectAbandoned, batchID, exceptAccountID)
}

// returnToPool is what changes when a slot returns to the pool.
const returnToPool = `account_id = NULL, claimed_at = NULL, queue_no = nextval('returned_queue_no')`

// releaseItems releases the open assignments that a query selects, and returns the number of
// slots that became free. Drafts stay. A hidden item gets a stand-in: the work item that its
// annotator would get next, or else the last one they got.
func releaseItems(ctx context.Context, q querier, selectIDs string, args ...any) (n int, err error) {
	tag, err := q.Exec(ctx, `
		WITH released AS (
			UPDATE assignments SET state = 'released', closed_at = clock_timestamp(), deferred = false, set_back = false
			WHERE id IN (`+selectIDs+`)
			RETURNING id, batch_id, item_id, account_id, kind
		), duplicate AS (
			UPDATE hidden_items h
			SET stand_in_item_id = coalesce((
			    SELECT c.item_id
			    FROM claimable_slots c
			    WHERE c.batch_id = r.batch_id AND c.account_id = r.account_id
			    ORDER BY c.queue_no
			    LIMIT 1), (
			    SELECT a.item_id FROM assignments a
			    WHERE a.batch_id = r.batch_id AND a.account_id = r.account_id AND a.kind = 'work'
			    ORDER BY a.sequence_no DESC
			    LIMIT 1))
			FROM released r
			WHERE h.assignment_id = r.id
		)
		UPDATE slots s SET `+returnToPool+`
		FROM released r
		WHERE r.kind = 'work' AND s.batch_id = r.batch_id AND s.item_id = r.item_id AND s.account_id = r.account_id`,
		args...)
	return int(tag.RowsAffected()), err
}

// ReleaseAbandoned releases the abandoned items of all batches and returns the number of
// slots that became free.
// Concurrent calls are safe.
func (db *DB) ReleaseAbandoned(ctx context.Context) (n int, err error) {
	return releaseAbandoned(ctx, db.pool, 0, 0)
}

// reclaim gives a released item back to its annotator: a work item with a free slot, or a
// duplicate whose stand-in has one. It reports false if another annotator has the item.
func reclaim(ctx context.Context, tx querier, assignmentID labeling.AssignmentID) (reclaimed bool, err error) {
	err = tx.QueryRow(ctx, `
		WITH pick AS (
			SELECT r.batch_id, r.item_id, r.slot_no, r.account_id
			FROM reclaimable_slots r
			WHERE r.assignment_id = $1
			ORDER BY r.slot_no
			LIMIT 1
			FOR UPDATE SKIP LOCKED
		), slot AS (
			UPDATE slots s SET account_id = pick.account_id, queue_no = 0, claimed_at = clock_timestamp()
			FROM pick
			WHERE s.batch_id = pick.batch_id AND s.item_id = pick.item_id AND s.slot_no = pick.slot_no
			RETURNING s.item_id
		), duplicate AS (
			UPDATE hidden_items h SET claimed_at = clock_timestamp()
			WHERE h.assignment_id = $1 AND EXISTS (SELECT FROM reclaimable_assignments r WHERE r.assignment_id = $1)
			RETURNING h.assignment_id
		)
		SELECT EXISTS (SELECT FROM slot) OR EXISTS (SELECT FROM duplicate)`, assignmentID).Scan(&reclaimed)
	return reclaimed, err
}

// openReleased opens the first released item of the annotator that can be reclaimed. The
// token stays the same, so that a page still open works.
func openReleased(ctx context.Context, tx querier, s annotatorState) (token string, err error) {
	ids, err := collectColumn[labeling.AssignmentID](tx.Query(ctx, `
		SELECT assignment_id FROM reclaimable_assignments WHERE batch_id = $1 AND account_id = $2
		ORDER BY sequence_no`, s.BatchID, s.AccountID))
	for _, id := range ids {
		var reclaimed bool
		if reclaimed, err = reclaim(ctx, tx, id); err != nil {
			return "", err
		}
		if reclaimed {
			err = tx.QueryRow(ctx, `UPDATE assignments SET state = 'open', closed_at = NULL WHERE id = $1
				RETURNING token`, id).Scan(&token)
			return token, err
		}
	}
	return "", err
}
