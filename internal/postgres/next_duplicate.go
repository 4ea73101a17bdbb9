package postgres

import (
	"context"
	"math/rand/v2"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/sequence"
)

// openDuplicate opens a work item a second time, like a new item but without a slot. The
// original is counted in the order of first submission, which never changes.
func openDuplicate(ctx context.Context, tx pgx.Tx, s annotatorState, duplicate sequence.Duplicate) (token string, err error) {
	return openByStatement(ctx, tx, `
		WITH original AS (
			SELECT a.item_id, a.protocol_version_id
			FROM assignments a
			JOIN annotations n ON n.protocol_version_id = a.protocol_version_id AND n.assignment_id = a.id AND n.attempt_no = 1
			WHERE a.batch_id = $1 AND a.account_id = $2 AND a.kind = 'work'
			ORDER BY n.id
			OFFSET $4 - 1 LIMIT 1
		), counted AS (`+nextSequenceNo+`
		), opened AS (
			INSERT INTO assignments (token, batch_id, item_id, account_id, protocol_version_id, kind, presentation_no, sequence_no)
			SELECT $3, $1, original.item_id, $2, original.protocol_version_id, 'duplicate', 2, counted.last_sequence_no
			FROM original, counted
			RETURNING id, token
		)
		UPDATE hidden_duplicates h SET assignment_id = opened.id
		FROM opened
		WHERE h.batch_id = $1 AND h.account_id = $2 AND h.position = $5
		RETURNING opened.token`, s.BatchID, s.AccountID, duplicate.OriginalNo, duplicate.Position)
}

// invalidateDuplicate invalidates the duplicates just before and just after a break, and
// schedules replacements if positions are left. The annotator sees no difference.
func invalidateDuplicate(ctx context.Context, tx pgx.Tx, batchID project.BatchID, accountID account.ID, afterSequenceNo int) error {
	rows, err := tx.Query(ctx, `
		UPDATE assignments SET kind = 'invalidated'
		WHERE batch_id = $1 AND account_id = $2 AND kind = 'duplicate' AND sequence_no IN ($3, $3 + 1)
		RETURNING id`, batchID, accountID, afterSequenceNo)
	if err != nil {
		return err
	}
	invalidated, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	for _, id := range invalidated {
		if err := scheduleReplacement(ctx, tx, batchID, accountID, id); err != nil {
			return err
		}
	}
	return nil
}

// scheduleReplacement schedules another duplicate for an invalidated one.
func scheduleReplacement(ctx context.Context, tx pgx.Tx, batchID project.BatchID, accountID account.ID, invalidatedID int64) error {
	s, err := loadAnnotatorState(ctx, tx, batchID, accountID)
	if err != nil {
		return err
	}
	plan, err := collectOne[struct {
		Seed                           int64
		SequenceLength, PresentedItems int
	}](tx.Query(ctx, `
		SELECT b.seed, ba.expected_items + b.duplicate_count AS sequence_length, (
		           SELECT count(*) FROM assignments a
		           WHERE a.batch_id = b.id AND a.account_id = $2 AND a.kind <> 'calibration') AS presented_items
		FROM batches b
		JOIN batch_annotators ba ON ba.batch_id = b.id AND ba.account_id = $2
		WHERE b.id = $1`, batchID, accountID))
	if err != nil {
		return err
	}
	scheduled, err := collectAll[sequence.Duplicate](tx.Query(ctx, `
		SELECT position, original_no FROM hidden_duplicates WHERE batch_id = $1 AND account_id = $2`, batchID, accountID))
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(uint64(plan.Seed), uint64(invalidatedID)))
	replacement, ok := s.toProgress().Replacement(plan.SequenceLength, plan.PresentedItems, scheduled, rng)
	if !ok {
		return nil
	}
	_, err = tx.Exec(ctx, `INSERT INTO hidden_duplicates (batch_id, account_id, position, original_no) VALUES ($1, $2, $3, $4)`,
		batchID, accountID, replacement.Position, replacement.OriginalNo)
	return err
}
