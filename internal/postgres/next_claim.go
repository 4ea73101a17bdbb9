package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/sequence"
)

// openWaiting opens the next item of the annotator's own queue.
var openWaiting = `
	WITH batch AS (
		SELECT protocol_version_id FROM batches WHERE id = $1
	), ` + nextWaiting("batch", "$1", "$2", "$3") + `, counted AS (
		UPDATE batch_annotators ba SET ` + countWaiting + `
		FROM next LEFT JOIN opened ON true
		WHERE ba.batch_id = $1 AND ba.account_id = $2
	)
	SELECT token FROM opened`

// nextWaiting returns the parts of a statement that find the next item of an annotator's own
// queue and open it: after the part named before, which has the protocol_version_id, so that an
// item closed there is closed earlier than this one is opened. The other arguments are SQL: the
// batch, the annotator and the new token.
func nextWaiting(before, batch, account, token string) string {
	return fmt.Sprintf(`next AS (
		SELECT me.last_sequence_no + 1 AS sequence_no, s.item_id, s.queue_no
		FROM batch_annotators me, LATERAL (
			SELECT s.item_id, s.queue_no
			FROM slots s
			WHERE s.batch_id = me.batch_id AND s.account_id = me.account_id AND s.queue_no > me.queue_cursor
			ORDER BY s.queue_no
			LIMIT 1) s
		WHERE me.batch_id = %[2]s AND me.account_id = %[3]s
	), opened AS (
		INSERT INTO assignments (token, batch_id, item_id, account_id, protocol_version_id, sequence_no)
		SELECT %[4]s, %[2]s, next.item_id, %[3]s, before.protocol_version_id, next.sequence_no
		FROM next, %[1]s before
		RETURNING id, token
	)`, before, batch, account, token)
}

// countWaiting sets the counters of annotator ba from next and opened. It sets
// open_assignment_id too, so that set_open_assignment has nothing left to update.
const countWaiting = `queue_cursor = next.queue_no, waiting_count = ba.waiting_count - 1, last_sequence_no = next.sequence_no,
	presented_count = ba.presented_count + 1, last_opened_at = clock_timestamp(), open_assignment_id = opened.id`

// isClaimable is true of the slots s that claimable_slots lists for annotator $2 of batch $1.
// Without the join, and ordered by account_id too, PostgreSQL reads them in the order of the
// index and stops at the first.
const isClaimable = `s.batch_id = $1 AND s.account_id IS NULL
	AND s.queue_no > (SELECT me.pool_cursor FROM batch_annotators me WHERE me.batch_id = $1 AND me.account_id = $2)
	AND (SELECT a.id FROM assignments a WHERE a.batch_id = $1 AND a.item_id = s.item_id AND a.account_id = $2 LIMIT 1) IS NULL
	AND (SELECT own.slot_no FROM slots own WHERE own.batch_id = $1 AND own.item_id = s.item_id AND own.account_id = $2 LIMIT 1) IS NULL
	AND (SELECT w.item_id FROM withheld_items w WHERE w.account_id = $2 AND w.item_id = s.item_id) IS NULL`

// claimFromPool claims the first free slot and opens an assignment for it. It ignores
// slots that another transaction has locked; the unique keys of slots keep the overlap
// exact. The cursor moves up to the first slot that the annotator could claim, as far as
// this transaction sees, so that none is passed over if another transaction fails.
// Returned slots are behind the range of the cursor.
const claimFromPool = `
	WITH head AS (
		SELECT s.queue_no FROM slots s WHERE ` + isClaimable + ` ORDER BY s.account_id, s.queue_no LIMIT 1
	), pick AS (
		SELECT s.item_id, s.slot_no FROM slots s WHERE ` + isClaimable + ` ORDER BY s.account_id, s.queue_no LIMIT 1
		FOR UPDATE OF s SKIP LOCKED
	), claimed AS (
		UPDATE slots s SET account_id = $2, queue_no = 0, claimed_at = clock_timestamp()
		FROM pick, batches b
		WHERE s.batch_id = $1 AND s.item_id = pick.item_id AND s.slot_no = pick.slot_no AND b.id = $1 AND b.closed_at IS NULL
		RETURNING s.item_id, b.protocol_version_id
	), counted AS (
		UPDATE batch_annotators ba
		SET pool_cursor = greatest(ba.pool_cursor, least(coalesce(head.queue_no, ` + firstReturned + `) - 1, ` +
	firstReturned + ` - 1)),
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
	if s.WaitingCount > 0 {
		token, err = openByStatement(ctx, tx, openWaiting, s.BatchID, s.AccountID)
	}
	if err != nil || token != "" {
		return token, err
	}
	return openByStatement(ctx, tx, claimFromPool, s.BatchID, s.AccountID)
}

// openByStatement runs a statement that opens an assignment for account $2 in batch $1
// under a new token, $3. It returns the token; empty if the statement opened none.
func openByStatement(ctx context.Context, tx querier, statement string, batchID project.BatchID, accountID account.ID,
	args ...any) (token string, err error) {
	params := append([]any{batchID, accountID, newItemToken()}, args...)
	return readToken(tx.QueryRow(ctx, statement, params...))
}

// newItemToken returns the token of an assignment that is opened now.
func newItemToken() string { return account.NewOrderedToken(time.Now()) }

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
	if found || s.WaitingCount > 0 {
		return sequence.SlotsAvailable, err
	}
	return sequence.SlotsExhausted, err
}
