package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/sequence"
)

// beginRun has an annotator go through the calibration set of a batch, in an
// order that no passage before had. by is the lead who asked for it, or 0.
func beginRun(ctx context.Context, tx pgx.Tx, batchID, accountID, by int64) error {
	row, err := one[struct {
		Seed int64
		N    int
		Set  []int64
	}](tx.Query(ctx, `
		SELECT b.seed, 1 + (SELECT count(*) FROM calibration_runs r WHERE r.batch_id = b.id AND r.account_id = $2) AS n,
		       ARRAY (SELECT i.item_id FROM batch_items i WHERE i.batch_id = b.id AND i.calibration ORDER BY i.item_id) AS set
		FROM batches b
		WHERE b.id = $1`, batchID, accountID))
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO calibration_runs (batch_id, account_id, n, path, asked_by) VALUES ($1, $2, $3, $4, nullif($5, 0))`,
		batchID, accountID, row.N, sequence.ShuffleAgain(row.Seed, accountID, row.N, row.Set), by)
	return err
}

// giveCalibration opens the next item of the run under way.
func giveCalibration(ctx context.Context, tx pgx.Tx, w walk) (token string, err error) {
	return giveBy(ctx, tx, `
		WITH next AS (
			SELECT item.id
			FROM calibration_runs r, unnest(r.path) WITH ORDINALITY AS item (id, ord)
			WHERE r.batch_id = $1 AND r.account_id = $2 AND r.n = $4 AND NOT EXISTS (
			    SELECT FROM assignments a
			    WHERE a.batch_id = $1 AND a.account_id = $2 AND a.item_id = item.id AND a.presentation = $4)
			ORDER BY item.ord
			LIMIT 1
		), placed AS (
			UPDATE batch_annotators SET placed = placed + 1
			WHERE batch_id = $1 AND account_id = $2 AND EXISTS (SELECT FROM next)
			RETURNING placed
		)
		INSERT INTO assignments (token, batch_id, item_id, account_id, protocol_version_id, kind, presentation, position)
		SELECT $3, $1, next.id, $2, p.protocol_version_id, 'calibration', $4, placed.placed
		FROM next, placed, batches b
		JOIN projects p ON p.id = b.project_id
		WHERE b.id = $1
		RETURNING token`, w.BatchID, w.AccountID, w.Run)
}
