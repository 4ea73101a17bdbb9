package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// Step returns what an annotator can do next, and changes nothing.
func (db *DB) Step(ctx context.Context, accountID int64) (labeling.Step, error) {
	var step labeling.Step
	var err error
	if step.Break, err = isResting(ctx, db.pool, accountID); err != nil {
		return step, err
	}
	rows, err := many[shareRow](db.pool.Query(ctx, `
		WITH walk AS (`+selectWalk+`)
		SELECT walk.*, p.key AS project, p.title, p.support_url,
		       (SELECT count(*) FROM batch_annotators o JOIN batches ob ON ob.id = o.batch_id
		        WHERE o.account_id = $1 AND ob.project_id = p.id AND ob.id <= b.id) AS nth,
		       ba.share + b.duplicates AS total,
		       coalesce((SELECT a.token FROM assignments a
		                 WHERE a.batch_id = ba.batch_id AND a.account_id = $1 AND a.state = 'open'), '') AS token,
		       EXISTS (
		           SELECT FROM slots
		           WHERE slots.batch_id = ba.batch_id AND slots.account_id IS NULL AND NOT EXISTS (
		               SELECT FROM assignments a
		               WHERE a.batch_id = ba.batch_id AND a.item_id = slots.item_id AND a.account_id = $1)) AS free,
		       EXISTS (SELECT FROM calibration_runs r WHERE r.batch_id = ba.batch_id AND r.account_id = $1 AND r.done_at IS NOT NULL) AS reference,
		       coalesce(cardinality(run.path), 0) AS set,
		       (SELECT count(*) FROM assignments a
		        WHERE a.batch_id = ba.batch_id AND a.account_id = $1 AND a.kind = 'calibration' AND a.presentation = walk.run
		          AND a.state <> 'open') AS set_done
		FROM walk
		JOIN batch_annotators ba ON ba.batch_id = walk.batch_id AND ba.account_id = $1
		JOIN batches b ON b.id = ba.batch_id
		JOIN projects p ON p.id = b.project_id
		LEFT JOIN calibration_runs run ON run.batch_id = ba.batch_id AND run.account_id = $1 AND run.n = walk.run
		ORDER BY (SELECT max(greatest(a.opened_at, a.closed_at)) FROM assignments a
		          WHERE a.batch_id = ba.batch_id AND a.account_id = $1) DESC NULLS LAST, walk.batch_id`, accountID))
	if err != nil {
		return step, err
	}
	for _, row := range rows {
		if !row.Closed || row.Token != "" {
			step.Shares = append(step.Shares, row.step())
		}
	}
	slices.SortStableFunc(step.Shares, func(a, b labeling.Share) int {
		return cmp.Compare(map[bool]int{true: 1}[a.Finished()], map[bool]int{true: 1}[b.Finished()])
	})
	return step, nil
}

type shareRow struct {
	walk
	Project, Title, SupportURL string
	Nth, Total                 int
	Token                      string
	Free                       bool
	Reference                  bool
	Set, SetDone               int
}

func (r shareRow) step() labeling.Share {
	s := labeling.Share{BatchID: r.BatchID, Nth: r.Nth, Project: r.Project, Title: r.Title, SupportURL: r.SupportURL,
		Total: r.Total, Submitted: r.Work + r.Given, Token: r.Token, Reference: r.Reference}
	s.More = r.Reopened || !r.Closed && (r.Free || r.more())
	if s.Limit = r.limit(); r.Token != "" {
		s.Limit = labeling.NoLimit
	}
	if r.Run > 0 {
		s.Calibrates, s.Calibrated = !r.RunDone, r.RunDone
		s.Total, s.Submitted = r.Set, r.SetDone
	}
	return s
}

// BatchOf returns the batch of an annotator's item.
func (db *DB) BatchOf(ctx context.Context, accountID int64, token string) (batchID int64, err error) {
	err = db.pool.QueryRow(ctx, `SELECT batch_id FROM assignments WHERE token = $1 AND account_id = $2`, token, accountID).Scan(&batchID)
	return batchID, notFound(err)
}

// Begin opens the next item for an annotator and returns its token; empty when
// nothing is left. Without a batch it is of the oldest that has anything left.
// Who has an open item is led back to it.
func (db *DB) Begin(ctx context.Context, accountID, batchID int64) (token string, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		batches, err := lockPaths(ctx, tx, accountID, batchID)
		if err != nil {
			return err
		}
		token, err = openToken(ctx, tx, accountID, batchID)
		if err != nil || token != "" {
			return err
		}
		if resting, err := isResting(ctx, tx, accountID); err != nil || resting {
			return err
		}
		for _, batch := range batches {
			if token, err = give(ctx, tx, batch, accountID); err != nil || token != "" {
				return err
			}
		}
		return nil
	})
	return token, err
}

// lockPaths makes requests of one annotator take turns, and returns their open
// batches, oldest first: all of them, or the one asked for.
func lockPaths(ctx context.Context, tx pgx.Tx, accountID, batchID int64) ([]int64, error) {
	rows, err := tx.Query(ctx, `
		SELECT ba.batch_id
		FROM batch_annotators ba
		JOIN batches b ON b.id = ba.batch_id
		WHERE ba.account_id = $1 AND b.closed_at IS NULL AND ($2 = 0 OR b.id = $2)
		ORDER BY ba.batch_id
		FOR UPDATE OF ba`, accountID, batchID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

func openToken(ctx context.Context, q querier, accountID, batchID int64) (token string, err error) {
	err = q.QueryRow(ctx, `
		SELECT token FROM assignments
		WHERE account_id = $1 AND state = 'open' AND ($2 = 0 OR batch_id = $2)
		ORDER BY opened_at
		LIMIT 1`, accountID, batchID).Scan(&token)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return token, err
}

// Guide returns the protocol of a project that an account labels in or leads.
func (db *DB) Guide(ctx context.Context, who account.Account, key string) (project.Project, error) {
	row, err := one[projectRow](db.pool.Query(ctx, selectProject+`
		WHERE p.key = $3 AND ($2 OR EXISTS (SELECT FROM members m WHERE m.project_id = p.id AND m.account_id = $1))`,
		who.ID, who.Role.Administers(), key))
	if err != nil {
		return project.Project{}, err
	}
	return db.projectOf(ctx, row)
}
