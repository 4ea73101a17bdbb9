package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
)

// Step returns what an annotator does next, and changes nothing.
func (db *DB) Step(ctx context.Context, accountID int64) (labeling.Step, error) {
	var step labeling.Step
	err := db.pool.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM breaks WHERE account_id = $1 AND left_at IS NULL),
		       coalesce((SELECT token FROM assignments WHERE account_id = $1 AND state = 'open' ORDER BY opened_at LIMIT 1), '')`,
		accountID).Scan(&step.Break, &step.Token)
	if err != nil || step.Break || step.Token != "" {
		return step, err
	}
	step.Shares, err = db.sharesOf(ctx, accountID)
	for _, s := range step.Shares {
		step.Ready = step.Ready || s.More
	}
	return step, err
}

// sharesOf returns an annotator's part of each open batch, oldest first.
func (db *DB) sharesOf(ctx context.Context, accountID int64) ([]labeling.Share, error) {
	return many[labeling.Share](db.pool.Query(ctx, `
		SELECT p.key AS project, p.title, b.name AS batch,
		       (SELECT count(*) FROM batch_items i WHERE i.batch_id = b.id) AS items,
		       (SELECT count(*) FROM assignments a WHERE a.batch_id = b.id AND a.account_id = $1 AND a.state = 'submitted') AS submitted,
		       (SELECT count(*) FROM assignments a WHERE a.batch_id = b.id AND a.account_id = $1 AND a.state = 'set_aside') AS set_aside,
		       EXISTS (
		           SELECT FROM slots s
		           WHERE s.batch_id = b.id AND s.account_id IS NULL AND NOT EXISTS (
		               SELECT FROM assignments a
		               WHERE a.batch_id = b.id AND a.item_id = s.item_id AND a.account_id = $1)) AS more
		FROM batch_annotators ba
		JOIN batches b ON b.id = ba.batch_id
		JOIN projects p ON p.id = b.project_id
		WHERE ba.account_id = $1 AND b.closed_at IS NULL
		ORDER BY b.id`, accountID))
}

// Begin opens the next assignment for an annotator, of their oldest batch that
// has anything left, and returns its token; empty when nothing is left. Who
// has an open assignment is led back to it.
func (db *DB) Begin(ctx context.Context, accountID int64) (token string, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		batches, err := lockPaths(ctx, tx, accountID)
		if err != nil {
			return err
		}
		token, err = openToken(ctx, tx, accountID)
		if err != nil || token != "" {
			return err
		}
		for _, batch := range batches {
			if token, err = claim(ctx, tx, batch, accountID); err != nil || token != "" {
				return err
			}
		}
		return nil
	})
	return token, err
}

// lockPaths makes requests of one annotator take turns, and returns their open
// batches, oldest first.
func lockPaths(ctx context.Context, tx pgx.Tx, accountID int64) ([]int64, error) {
	rows, err := tx.Query(ctx, `
		SELECT ba.batch_id
		FROM batch_annotators ba
		JOIN batches b ON b.id = ba.batch_id
		WHERE ba.account_id = $1 AND b.closed_at IS NULL
		ORDER BY ba.batch_id
		FOR UPDATE OF ba`, accountID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

func openToken(ctx context.Context, q querier, accountID int64) (token string, err error) {
	err = q.QueryRow(ctx, `
		SELECT token FROM assignments WHERE account_id = $1 AND state = 'open' ORDER BY opened_at LIMIT 1`, accountID).Scan(&token)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return token, err
}

// TakeBreak begins a rest in the batch of an open assignment.
func (db *DB) TakeBreak(ctx context.Context, accountID int64, token string) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		a, err := lockAssignment(ctx, tx, token)
		if err != nil {
			return err
		}
		if err := a.Takes(accountID); err != nil {
			return err
		}
		return beginBreak(ctx, tx, a, a.Position-1, false)
	})
}

// beginBreak begins a rest, unless one is under way.
func beginBreak(ctx context.Context, tx pgx.Tx, a assignment, after int, due bool) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO breaks (batch_id, account_id, after, due, ends_at)
		VALUES ($1, $2, $3, $4, clock_timestamp() + make_interval(mins => $5))
		ON CONFLICT (batch_id, account_id) WHERE left_at IS NULL DO NOTHING`,
		a.BatchID, a.AccountID, after, due, a.BreakMinutes)
	return err
}

// Break returns the rest that an annotator takes now, or fault.NotFound.
func (db *DB) Break(ctx context.Context, accountID int64) (labeling.Break, error) {
	return one[labeling.Break](db.pool.Query(ctx, `
		SELECT r.due, r.started_at, r.ends_at, p.title, p.support_url AS support
		FROM breaks r
		JOIN batches b ON b.id = r.batch_id
		JOIN projects p ON p.id = b.project_id
		WHERE r.account_id = $1 AND r.left_at IS NULL
		ORDER BY r.started_at
		LIMIT 1`, accountID))
}

// GoOn ends the annotator's break. Ended before its time, it is recorded so.
func (db *DB) GoOn(ctx context.Context, accountID int64) error {
	_, err := db.pool.Exec(ctx, `UPDATE breaks SET left_at = clock_timestamp() WHERE account_id = $1 AND left_at IS NULL`, accountID)
	return err
}

// ReadWarning records that an annotator has read a project's content warning
// today.
func (db *DB) ReadWarning(ctx context.Context, accountID int64, token string) error {
	tag, err := db.pool.Exec(ctx, `
		INSERT INTO warnings_read (project_id, account_id, version)
		SELECT p.id, $1, p.warning_version
		FROM assignments a
		JOIN batches b ON b.id = a.batch_id
		JOIN projects p ON p.id = b.project_id
		WHERE a.token = $2 AND a.account_id = $1
		ON CONFLICT (project_id, account_id, version, day) DO UPDATE SET at = warnings_read.at`, accountID, token)
	if err == nil && tag.RowsAffected() == 0 {
		return fault.NotFound
	}
	return err
}
