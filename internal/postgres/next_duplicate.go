package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/sequence"
)

// openHidden opens the hidden item that is planned at the next position, like a new item but without a slot.
// The token is empty if none can be shown: then it is dropped.
func openHidden(ctx context.Context, tx querier, s annotatorState) (token string, err error) {
	if s.HiddenDue == sequence.KindGold {
		return openGold(ctx, tx, s)
	}
	return openDuplicate(ctx, tx, s)
}

// isOriginal is true of an assignment a that a duplicate can repeat: a labeled work item that
// was closed before the earliest of the items in between was opened, and is not withheld.
const isOriginal = `a.kind = 'work' AND a.state = 'submitted' AND NOT a.reopened AND a.closed_at < distant.opened_at AND NOT EXISTS (
	SELECT FROM assignments d
	WHERE d.batch_id = $1 AND d.account_id = $2 AND d.item_id = a.item_id AND d.kind = 'duplicate') AND NOT EXISTS (
	SELECT FROM withheld_items w WHERE w.account_id = $2 AND w.item_id = a.item_id)`

// openDuplicate opens a work item a second time. It repeats the planned original. If that was not
// labeled, or was not closed far enough back, it repeats the nearest one that was.
func openDuplicate(ctx context.Context, tx querier, s annotatorState) (token string, err error) {
	return openByStatement(ctx, tx, `
		WITH due AS (
			SELECT h.position, h.original_no + b.calibration_count AS sequence_no -- where the original is if nothing was skipped
			FROM hidden_items h
			JOIN batches b ON b.id = h.batch_id
			JOIN batch_annotators ba ON ba.batch_id = h.batch_id AND ba.account_id = h.account_id
			WHERE h.batch_id = $1 AND h.account_id = $2 AND h.position = ba.presented_count + 1 AND h.assignment_id IS NULL
		), distant AS ( -- an original was closed before this item was opened
			SELECT opened_at FROM assignments
			WHERE batch_id = $1 AND account_id = $2
			ORDER BY sequence_no DESC
			OFFSET $4 - 2 LIMIT 1
		), earlier AS (
			SELECT a.item_id, a.protocol_version_id, a.sequence_no
			FROM due, distant, assignments a
			WHERE a.batch_id = $1 AND a.account_id = $2 AND a.sequence_no <= due.sequence_no AND `+isOriginal+`
			ORDER BY a.sequence_no DESC
			LIMIT 1
		), later AS (
			SELECT a.item_id, a.protocol_version_id, a.sequence_no
			FROM due, distant, assignments a
			WHERE a.batch_id = $1 AND a.account_id = $2 AND a.sequence_no > due.sequence_no AND `+isOriginal+`
			ORDER BY a.sequence_no
			LIMIT 1
		), original AS (
			SELECT near.item_id, near.protocol_version_id, due.position
			FROM due, (SELECT * FROM earlier UNION ALL SELECT * FROM later) near
			ORDER BY abs(near.sequence_no - due.sequence_no), near.sequence_no
			LIMIT 1
		), counted AS (
			UPDATE batch_annotators SET last_sequence_no = last_sequence_no + 1, presented_count = presented_count + 1, last_opened_at = clock_timestamp()
			WHERE batch_id = $1 AND account_id = $2 AND EXISTS (SELECT FROM original)
			RETURNING last_sequence_no
		), opened AS (
			INSERT INTO assignments (token, batch_id, item_id, account_id, protocol_version_id, kind, presentation_no, sequence_no)
			SELECT $3, $1, original.item_id, $2, original.protocol_version_id, 'duplicate', 2, counted.last_sequence_no
			FROM original, counted
			RETURNING id, token
		)
		UPDATE hidden_items h SET assignment_id = opened.id, claimed_at = clock_timestamp()
		FROM opened, original
		WHERE h.batch_id = $1 AND h.account_id = $2 AND h.position = original.position
		RETURNING opened.token`, s.BatchID, s.AccountID, sequence.MinDistance(s.SequenceLength))
}
