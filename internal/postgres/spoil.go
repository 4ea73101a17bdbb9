package postgres

import (
	"context"
	"math/rand/v2"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/sequence"
)

// spoil keeps duplicates clear of a break that begins after a place of an
// annotator's: what was answered just before it, or is open just after, counts
// for nothing, and another comes later instead, where there is room. The
// annotator sees no difference.
func spoil(ctx context.Context, tx pgx.Tx, batchID, accountID int64, after int) error {
	rows, err := tx.Query(ctx, `
		UPDATE assignments SET kind = 'spoiled'
		WHERE batch_id = $1 AND account_id = $2 AND kind = 'duplicate' AND position IN ($3, $3 + 1)
		RETURNING id`, batchID, accountID, after)
	if err != nil {
		return err
	}
	spoiled, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	for _, id := range spoiled {
		if err := layInstead(ctx, tx, batchID, accountID, id); err != nil {
			return err
		}
	}
	return nil
}

// layInstead lays another duplicate for one that is spoiled.
func layInstead(ctx context.Context, tx pgx.Tx, batchID, accountID, spoiled int64) error {
	w, err := walkOf(ctx, tx, batchID, accountID)
	if err != nil {
		return err
	}
	plan, err := one[struct {
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
	taken, err := many[sequence.Repeat](tx.Query(ctx, `SELECT at, of FROM repeats WHERE batch_id = $1 AND account_id = $2`, batchID, accountID))
	if err != nil {
		return err
	}
	order := rand.New(rand.NewPCG(uint64(plan.Seed), uint64(spoiled)))
	r, ok := w.path().Instead(plan.Length, plan.Walked, taken, order)
	if !ok {
		return nil
	}
	_, err = tx.Exec(ctx, `INSERT INTO repeats (batch_id, account_id, at, of) VALUES ($1, $2, $3, $4)`, batchID, accountID, r.At, r.Of)
	return err
}
