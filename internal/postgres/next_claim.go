package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// claimWindow is how far along an annotator's path one statement looks for a free
// slot.
const claimWindow = 64

// claimAhead takes the first free slot along the annotator's path and opens an
// assignment for it. Slots that others hold locked are passed over; the unique
// keys of slots keep overlap exact whatever happens. The LATERAL keeps to the
// path's order and stops at the first hit, whatever the planner believes about
// tables that grew since it last looked.
const claimAhead = `
	WITH pick AS (
		SELECT ahead.item_id, s.n, ahead.ord
		FROM batch_annotators me,
		     unnest(me.path[me.walked + 1 : me.walked + $4]) WITH ORDINALITY AS ahead (item_id, ord),
		     LATERAL (
		         SELECT n FROM slots
		         WHERE batch_id = $1 AND item_id = ahead.item_id AND account_id IS NULL AND ` + notYetAssigned + `
		         LIMIT 1
		         FOR UPDATE SKIP LOCKED) s
		WHERE me.batch_id = $1 AND me.account_id = $2
		LIMIT 1
	), ` + openAssignment

// claimBehind does the same for slots that became free again where the
// annotator's path has passed.
const claimBehind = `
	WITH pick AS (
		SELECT slots.item_id, slots.n, 0::bigint AS ord
		FROM batch_annotators me, slots
		WHERE me.batch_id = $1 AND me.account_id = $2 AND $4::int > 0
		  AND slots.batch_id = $1 AND slots.account_id IS NULL AND ` + notYetAssigned + `
		ORDER BY array_position(me.path, slots.item_id)
		LIMIT 1
		FOR UPDATE OF slots SKIP LOCKED
	), ` + openAssignment

const notYetAssigned = `NOT EXISTS (
			SELECT FROM assignments a WHERE a.batch_id = $1 AND a.item_id = slots.item_id AND a.account_id = $2)`

const openAssignment = `taken AS (
		UPDATE slots s SET account_id = $2, claimed_at = clock_timestamp()
		FROM pick, batches b
		WHERE s.batch_id = $1 AND s.item_id = pick.item_id AND s.n = pick.n AND b.id = $1 AND b.closed_at IS NULL
		RETURNING s.item_id, pick.ord
	), placed AS (
		UPDATE batch_annotators b SET placed = b.placed + 1, walked = b.walked + taken.ord
		FROM taken
		WHERE b.batch_id = $1 AND b.account_id = $2
		RETURNING b.placed, taken.item_id
	)
	INSERT INTO assignments (token, batch_id, item_id, account_id, protocol_version_id, position)
	SELECT $3, $1, placed.item_id, $2, p.protocol_version_id, placed.placed
	FROM placed, batches b
	JOIN projects p ON p.id = b.project_id
	WHERE b.id = $1
	RETURNING token`

// openWorkItem opens the next work item of a batch for an annotator, whose
// batch_annotators row the transaction must have locked. The token is empty
// when there is nothing left to claim.
func openWorkItem(ctx context.Context, tx pgx.Tx, batchID project.BatchID, accountID account.ID) (token string, err error) {
	for {
		token, err = claimByStatement(ctx, tx, claimAhead, batchID, accountID)
		if err != nil || token != "" {
			return token, err
		}
		hasMore, err := advanceQueue(ctx, tx, batchID, accountID)
		if err != nil {
			return "", err
		}
		if !hasMore {
			return claimByStatement(ctx, tx, claimBehind, batchID, accountID)
		}
	}
}

func claimByStatement(ctx context.Context, tx pgx.Tx, statement string, batchID project.BatchID, accountID account.ID) (token string, err error) {
	return openByStatement(ctx, tx, statement, batchID, accountID, claimWindow)
}

// openByStatement runs a statement that opens an assignment under a new token, its $3,
// and returns the token; empty where there was none to open.
func openByStatement(ctx context.Context, tx pgx.Tx, statement string, batchID project.BatchID, accountID account.ID, args ...any) (token string, err error) {
	params := append([]any{batchID, accountID, account.NewToken()}, args...)
	err = tx.QueryRow(ctx, statement, params...).Scan(&token)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return token, err
}

// advanceQueue passes a window that holds nothing to claim, and reports whether the
// path goes on.
func advanceQueue(ctx context.Context, tx pgx.Tx, batchID project.BatchID, accountID account.ID) (hasMore bool, err error) {
	err = tx.QueryRow(ctx, `
		UPDATE batch_annotators SET walked = least(walked + $3, cardinality(path))
		WHERE batch_id = $1 AND account_id = $2 AND walked < cardinality(path)
		RETURNING walked < cardinality(path)`, batchID, accountID, claimWindow).Scan(&hasMore)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return hasMore, err
}
