package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/sequence"
)

// openDuplicate opens a work item a second time, like a new item but without a slot. It
// repeats the planned original. If that was not labeled, or was not closed far enough back,
// it repeats the nearest one that was. The token is empty if there is none: then the
// duplicate is dropped.
func openDuplicate(ctx context.Context, tx querier, s annotatorState) (token string, err error) {
	return openByStatement(ctx, tx, `
		WITH due AS (
			SELECT h.position, h.original_no
			FROM hidden_duplicates h
			JOIN batch_annotators ba ON ba.batch_id = h.batch_id AND ba.account_id = h.account_id
			WHERE h.batch_id = $1 AND h.account_id = $2 AND h.position = ba.presented_count + 1 AND h.assignment_id IS NULL
		), distant AS ( -- an original was closed before this item was opened
			SELECT opened_at FROM assignments
			WHERE batch_id = $1 AND account_id = $2
			ORDER BY sequence_no DESC
			OFFSET $4 - 2 LIMIT 1
		), labeled AS (
			SELECT a.item_id, a.protocol_version_id, a.closed_at, a.state = 'submitted' AND NOT a.reopened AS is_final,
			       row_number() OVER (ORDER BY n.id) AS original_no
			FROM assignments a
			JOIN annotations n ON n.protocol_version_id = a.protocol_version_id AND n.assignment_id = a.id AND n.attempt_no = 1
			WHERE a.batch_id = $1 AND a.account_id = $2 AND a.kind = 'work'
		), original AS (
			SELECT labeled.item_id, labeled.protocol_version_id, due.position
			FROM due, distant, labeled
			WHERE labeled.is_final AND labeled.closed_at < distant.opened_at AND NOT EXISTS (
			    SELECT FROM assignments d
			    WHERE d.batch_id = $1 AND d.account_id = $2 AND d.item_id = labeled.item_id AND d.kind = 'duplicate')
			ORDER BY abs(labeled.original_no - due.original_no), labeled.original_no
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
		UPDATE hidden_duplicates h SET assignment_id = opened.id, claimed_at = clock_timestamp()
		FROM opened, original
		WHERE h.batch_id = $1 AND h.account_id = $2 AND h.position = original.position
		RETURNING opened.token`, s.BatchID, s.AccountID, sequence.MinDistance(s.SequenceLength))
}
