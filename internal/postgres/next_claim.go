package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/sequence"
)

// openWaiting opens the next item of the annotator's own queue.
const openWaiting = `
	WITH counted AS (
		UPDATE batch_annotators ba
		SET queue_cursor = next.queue_no, waiting_count = ba.waiting_count - 1,
		    last_sequence_no = ba.last_sequence_no + 1, presented_count = ba.presented_count + 1, last_opened_at = clock_timestamp()
		FROM batch_annotators me, batches b, LATERAL (
			SELECT s.item_id, s.queue_no
			FROM slots s
			WHERE s.batch_id = me.batch_id AND s.account_id = me.account_id AND s.queue_no > me.queue_cursor
			ORDER BY s.queue_no
			LIMIT 1) next
		WHERE ba.batch_id = $1 AND ba.account_id = $2 AND me.batch_id = $1 AND me.account_id = $2
		  AND b.id = $1 AND b.closed_at IS NULL
		RETURNING ba.last_sequence_no, next.item_id, b.protocol_version_id
	), ` + insertClaimed

// claimFromPool claims the first free slot and opens an assignment for it. It ignores
// slots that another transaction has locked; the unique keys of slots keep the overlap
// exact. The cursor moves up to the first slot that the annotator could claim, as far as
// this transaction sees, so that none is passed over if another transaction fails.
// Returned slots are behind the range of the cursor.
const claimFromPool = `
	WITH head AS (
		SELECT c.queue_no FROM claimable_slots c WHERE c.batch_id = $1 AND c.account_id = $2 ORDER BY c.queue_no LIMIT 1
	), pick AS (
		SELECT c.item_id, c.slot_no
		FROM claimable_slots c
		WHERE c.batch_id = $1 AND c.account_id = $2
		ORDER BY c.queue_no
		LIMIT 1
		FOR UPDATE SKIP LOCKED
	), claimed AS (
		UPDATE slots s SET account_id = $2, queue_no = 0, claimed_at = clock_timestamp()
		FROM pick, batches b
		WHERE s.batch_id = $1 AND s.item_id = pick.item_id AND s.slot_no = pick.slot_no AND b.id = $1 AND b.closed_at IS NULL
		RETURNING s.item_id, b.protocol_version_id
	), counted AS (
		UPDATE batch_annotators ba
		SET pool_cursor = greatest(ba.pool_cursor, least(coalesce(head.queue_no, ` + firstReturned + `) - 1, ` + firstReturned + ` - 1)),
		    last_sequence_no = ba.last_sequence_no + n.claimed, presented_count = ba.presented_count + n.claimed,
		    last_opened_at = CASE n.claimed WHEN 1 THEN clock_timestamp() ELSE ba.last_opened_at END
		FROM (SELECT count(*)::int AS claimed FROM claimed) n
		LEFT JOIN head ON true
		LEFT JOIN claimed ON true
		WHERE ba.batch_id = $1 AND ba.account_id = $2
		RETURNING ba.last_sequence_no, claimed.item_id, claimed.protocol_version_id
	), ` + insertClaimed

// firstReturned is the least queue_no of a slot that returned to the pool.
const firstReturned = `1099511627776`

const insertClaimed = `opened AS (
		INSERT INTO assignments (token, batch_id, item_id, account_id, protocol_version_id, sequence_no)
		SELECT $3, $1, counted.item_id, $2, counted.protocol_version_id, counted.last_sequence_no
		FROM counted
		WHERE counted.item_id IS NOT NULL
		RETURNING token
	)
	SELECT token FROM opened`

// openWorkItem opens the next item of the annotator's own queue, or claims one from the
// pool. The token is empty if neither has one.
func openWorkItem(ctx context.Context, tx querier, s annotatorState) (token string, err error) {
	if s.HasWaiting {
		token, err = openByStatement(ctx, tx, openWaiting, s.BatchID, s.AccountID)
	}
	if err != nil || token != "" {
		return token, err
	}
	return openByStatement(ctx, tx, claimFromPool, s.BatchID, s.AccountID)
}

// openByStatement runs a statement that opens an assignment for account $2 in batch $1
// under a new token, $3. It returns the token; empty if the statement opened none.
func openByStatement(ctx context.Context, tx querier, statement string, batchID project.BatchID, accountID account.ID, args ...any) (token string, err error) {
	params := append([]any{batchID, accountID, account.NewToken()}, args...)
	return readToken(tx.QueryRow(ctx, statement, params...))
}

func readToken(row pgx.Row) (token string, err error) {
	if err = row.Scan(&token); errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return token, err
}

// findSlot reports whether the annotator can get a work item.
func findSlot(ctx context.Context, tx querier, s annotatorState) (sequence.SlotAvailability, error) {
	var found bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM claimable_slots WHERE batch_id = $1 AND account_id = $2)`,
		s.BatchID, s.AccountID).Scan(&found)
	if found || s.HasWaiting {
		return sequence.SlotsAvailable, err
	}
	return sequence.SlotsExhausted, err
}
