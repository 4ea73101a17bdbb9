package postgres

import (
	"context"
	"math/rand/v2"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/sequence"
)

// invalidateDuplicate keeps duplicates clear of a break that begins after a place of an
// annotator's: what was answered just before it, or is open just after, counts
// for nothing, and another comes later instead, where there is room. The
// annotator sees no difference.
func invalidateDuplicate(ctx context.Context, tx pgx.Tx, batchID project.BatchID, accountID account.ID, afterSequenceNo int) error {
	rows, err := tx.Query(ctx, `
		UPDATE assignments SET kind = 'spoiled'
		WHERE batch_id = $1 AND account_id = $2 AND kind = 'duplicate' AND position IN ($3, $3 + 1)
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

// scheduleReplacement lays another duplicate for one that is spoiled.
func scheduleReplacement(ctx context.Context, tx pgx.Tx, batchID project.BatchID, accountID account.ID, invalidatedID int64) error {
	s, err := loadAnnotatorState(ctx, tx, batchID, accountID)
	if err != nil {
		return err
	}
	plan, err := collectOne[struct {
		Seed           int64
		Length, Walked int
	}](tx.Query(ctx, `
		SELECT b.seed, ba.share + b.duplicates AS length, (
		           SELECT count(*) FROM assignments a WHERE a.batch_id = b.id AND a.account_id = $2 AND a.kind <> 'calibration') AS walked
		FROM batches b
		JOIN batch_annotators ba ON ba.batch_id = b.id AND ba.account_id = $2
		WHERE b.id = $1`, batchID, accountID))
	if err != nil {
		return err
	}
	scheduled, err := collectAll[sequence.Duplicate](tx.Query(ctx, `SELECT at, of FROM repeats WHERE batch_id = $1 AND account_id = $2`, batchID, accountID))
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(uint64(plan.Seed), uint64(invalidatedID)))
	replacement, ok := s.toProgress().Replacement(plan.Length, plan.Walked, scheduled, rng)
	if !ok {
		return nil
	}
	_, err = tx.Exec(ctx, `INSERT INTO repeats (batch_id, account_id, at, of) VALUES ($1, $2, $3, $4)`, batchID, accountID, replacement.Position, replacement.OriginalNo)
	return err
}
