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

// WorkOverview returns what an annotator can do next, and changes nothing.
func (db *DB) WorkOverview(ctx context.Context, accountID account.ID) (labeling.WorkOverview, error) {
	var overview labeling.WorkOverview
	var err error
	if overview.OnBreak, err = isOnBreak(ctx, db.pool, accountID); err != nil {
		return overview, err
	}
	rows, err := collectAll[batchProgressRow](db.pool.Query(ctx, `
		WITH walk AS (`+selectAnnotatorState+`)
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
		return overview, err
	}
	for _, row := range rows {
		if !row.BatchClosed || row.OpenToken != "" {
			overview.Batches = append(overview.Batches, row.toBatchProgress())
		}
	}
	slices.SortStableFunc(overview.Batches, func(a, b labeling.BatchProgress) int {
		return cmp.Compare(map[bool]int{true: 1}[a.IsFinished()], map[bool]int{true: 1}[b.IsFinished()])
	})
	return overview, nil
}

type batchProgressRow struct {
	annotatorState
	ProjectKey, ProjectTitle, SupportURL   string
	BatchNo, TotalItems                    int
	OpenToken                              string
	HasFreeSlot                            bool
	HasCalibrationResult                   bool
	CalibrationItems, CalibrationItemsDone int
}

func (r batchProgressRow) toBatchProgress() labeling.BatchProgress {
	s := labeling.BatchProgress{BatchID: r.BatchID, BatchNo: r.BatchNo, ProjectKey: r.ProjectKey, ProjectTitle: r.ProjectTitle, SupportURL: r.SupportURL,
		Total: r.TotalItems, Submitted: r.WorkCount + r.DuplicateCount, OpenToken: r.OpenToken, HasCalibrationResult: r.HasCalibrationResult}
	s.HasMore = r.HasReopened || !r.BatchClosed && (r.HasFreeSlot || r.hasOwnItems())
	if s.Limit = r.limit(); r.OpenToken != "" {
		s.Limit = labeling.NoLimit
	}
	if r.CalibrationAttemptNo > 0 {
		s.InCalibration, s.NeedsCalibrationReview = !r.CalibrationCompleted, r.CalibrationCompleted
		s.Total, s.Submitted = r.CalibrationItems, r.CalibrationItemsDone
	}
	return s
}

// BatchIDByToken returns the batch of an annotator's item.
func (db *DB) BatchIDByToken(ctx context.Context, accountID account.ID, token string) (batchID project.BatchID, err error) {
	err = db.pool.QueryRow(ctx, `SELECT batch_id FROM assignments WHERE token = $1 AND account_id = $2`, token, accountID).Scan(&batchID)
	return batchID, notFound(err)
}

// OpenNext opens the next item for an annotator and returns its token; empty when
// nothing is left. Without a batch it is of the oldest that has anything left.
// Who has an open item is led back to it.
func (db *DB) OpenNext(ctx context.Context, accountID account.ID, batchID project.BatchID) (token string, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		batches, err := lockOpenBatches(ctx, tx, accountID, batchID)
		if err != nil {
			return err
		}
		token, err = openAssignmentToken(ctx, tx, accountID, batchID)
		if err != nil || token != "" {
			return err
		}
		if onBreak, err := isOnBreak(ctx, tx, accountID); err != nil || onBreak {
			return err
		}
		for _, batch := range batches {
			if token, err = openNext(ctx, tx, batch, accountID); err != nil || token != "" {
				return err
			}
		}
		return nil
	})
	return token, err
}

// lockOpenBatches makes requests of one annotator take turns, and returns their open
// batches, oldest first: all of them, or the one asked for.
func lockOpenBatches(ctx context.Context, tx pgx.Tx, accountID account.ID, batchID project.BatchID) ([]project.BatchID, error) {
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
	return pgx.CollectRows(rows, pgx.RowTo[project.BatchID])
}

func openAssignmentToken(ctx context.Context, q querier, accountID account.ID, batchID project.BatchID) (token string, err error) {
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
func (db *DB) Guide(ctx context.Context, actor account.Account, key string) (project.Project, error) {
	row, err := collectOne[projectRow](db.pool.Query(ctx, selectProject+`
		WHERE p.key = $3 AND ($2 OR EXISTS (SELECT FROM members m WHERE m.project_id = p.id AND m.account_id = $1))`,
		actor.ID, actor.Role.IsAdmin(), key))
	if err != nil {
		return project.Project{}, err
	}
	return db.projectFromRow(ctx, row)
}
