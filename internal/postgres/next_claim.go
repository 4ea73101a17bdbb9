package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/sequence"
)

// claimWindow is how many items of a queue one statement searches for a free slot.
const claimWindow = 64

// claimFromQueue claims the first free slot in the annotator's queue and opens an
// assignment for it. It ignores slots that another transaction has locked; the unique
// keys of slots keep the overlap exact. LATERAL keeps the order of the queue and stops at
// the first free slot, whatever the planner estimates.
const claimFromQueue = `
	WITH pick AS (
		SELECT ahead.item_id, free.slot_no, ahead.ord
		FROM batch_annotators me,
		     unnest(me.queue[me.queue_offset + 1 : me.queue_offset + $4]) WITH ORDINALITY AS ahead (item_id, ord),
		     LATERAL (
		         SELECT c.slot_no FROM claimable_slots c
		         WHERE c.batch_id = $1 AND c.account_id = $2 AND c.item_id = ahead.item_id
		         LIMIT 1
		         FOR UPDATE SKIP LOCKED) free
		WHERE me.batch_id = $1 AND me.account_id = $2
		LIMIT 1
	), ` + claimPicked

// claimReleased claims a slot that was released before the offset of the queue.
const claimReleased = `
	WITH pick AS (
		SELECT c.item_id, c.slot_no, 0::bigint AS ord
		FROM batch_annotators me, claimable_slots c
		WHERE me.batch_id = $1 AND me.account_id = $2 AND $4::int > 0
		  AND c.batch_id = $1 AND c.account_id = $2
		ORDER BY array_position(me.queue, c.item_id)
		LIMIT 1
		FOR UPDATE OF c SKIP LOCKED
	), ` + claimPicked

const claimPicked = `claimed AS (
		UPDATE slots s SET account_id = $2, claimed_at = clock_timestamp()
		FROM pick, batches b
		WHERE s.batch_id = $1 AND s.item_id = pick.item_id AND s.slot_no = pick.slot_no AND b.id = $1 AND b.closed_at IS NULL
		RETURNING s.item_id, pick.ord
	), counted AS (
		UPDATE batch_annotators ba SET last_sequence_no = ba.last_sequence_no + 1, presented_count = ba.presented_count + 1, queue_offset = ba.queue_offset + claimed.ord
		FROM claimed
		WHERE ba.batch_id = $1 AND ba.account_id = $2
		RETURNING ba.last_sequence_no, claimed.item_id
	)
	INSERT INTO assignments (token, batch_id, item_id, account_id, protocol_version_id, sequence_no)
	SELECT $3, $1, counted.item_id, $2, p.protocol_version_id, counted.last_sequence_no
	FROM counted, batches b
	JOIN projects p ON p.id = b.project_id
	WHERE b.id = $1
	RETURNING token`

// openWorkItem claims a free slot for an annotator and opens its item. The token is empty
// if no slot is left.
func openWorkItem(ctx context.Context, tx pgx.Tx, s annotatorState) (token string, err error) {
	for {
		token, err = openByStatement(ctx, tx, claimFromQueue, s.BatchID, s.AccountID, claimWindow)
		if err != nil || token != "" {
			return token, err
		}
		hasMore, err := advanceQueue(ctx, tx, s.BatchID, s.AccountID)
		if err != nil {
			return "", err
		}
		if !hasMore {
			return openByStatement(ctx, tx, claimReleased, s.BatchID, s.AccountID, claimWindow)
		}
	}
}

// openByStatement runs a statement that opens an assignment for account $2 in batch $1
// under a new token, $3. It returns the token; empty if the statement opened none.
func openByStatement(ctx context.Context, tx pgx.Tx, statement string, batchID project.BatchID, accountID account.ID, args ...any) (token string, err error) {
	params := append([]any{batchID, accountID, account.NewToken()}, args...)
	err = tx.QueryRow(ctx, statement, params...).Scan(&token)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return token, err
}

// advanceQueue moves the offset past a window without free slots, and reports whether the
// queue has more items.
func advanceQueue(ctx context.Context, tx pgx.Tx, batchID project.BatchID, accountID account.ID) (hasMore bool, err error) {
	err = tx.QueryRow(ctx, `
		UPDATE batch_annotators SET queue_offset = least(queue_offset + $3, cardinality(queue))
		WHERE batch_id = $1 AND account_id = $2 AND queue_offset < cardinality(queue)
		RETURNING queue_offset < cardinality(queue)`, batchID, accountID, claimWindow).Scan(&hasMore)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return hasMore, err
}

// findSlot reports whether the annotator can claim a slot.
func findSlot(ctx context.Context, tx pgx.Tx, s annotatorState) (sequence.SlotAvailability, error) {
	var found bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM claimable_slots WHERE batch_id = $1 AND account_id = $2)`,
		s.BatchID, s.AccountID).Scan(&found)
	if found {
		return sequence.SlotsAvailable, err
	}
	return sequence.SlotsExhausted, err
}
