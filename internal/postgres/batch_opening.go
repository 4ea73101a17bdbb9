package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// An OpeningID identifies a batch that is opened in the background.
type OpeningID int64

// A BatchOpening is how far the opening of a batch is.
type BatchOpening struct {
	BatchName             string
	DoneCount, TotalCount int    // rows; total 0: still planning
	Problem               string // why nothing was opened; empty: none
	IsFinished            bool
	IsLost                bool // its server stopped; nothing was opened
}

// openingLost is how long a server that opens a batch is silent until it counts as stopped.
const openingLost = 30 * time.Second

// StartBatchOpening returns a new opening for RunBatchOpening, or the one of that name that is
// running. It reports whether it is new.
func (db *DB) StartBatchOpening(ctx context.Context, actorID account.ID, p project.Project, name string) (id OpeningID,
	isNew bool, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('batch_openings'),
			hashint8($1))`, p.ID); err != nil {
			return err
		}
		var runningName string
		err := tx.QueryRow(ctx, `
			SELECT id, batch_name FROM batch_openings
			WHERE project_id = $1 AND finished_at IS NULL AND active_at > now() - $2::interval
			LIMIT 1`, p.ID, openingLost).Scan(&id, &runningName)
		switch {
		case err == nil && runningName == name:
			return nil
		case err == nil:
			return fault.Conflict.Errorf("The batch “%s” is being opened. Open this one when it is done.", runningName)
		case !errors.Is(err, pgx.ErrNoRows):
			return err
		}
		isNew = true
		return tx.QueryRow(ctx, `
			WITH deleted AS (DELETE FROM batch_openings WHERE project_id = $1
			AND created_at < now() - interval '7 days')
			INSERT INTO batch_openings (project_id, batch_name) VALUES ($1, $2) RETURNING id`, p.ID, name).Scan(&id)
	})
	return id, isNew, err
}

// RunBatchOpening opens a batch as OpenBatch does, and stores its progress every second.
func (db *DB) RunBatchOpening(ctx context.Context, id OpeningID, actorID account.ID, p project.Project,
	spec project.BatchSpec) error {
	var progress taskProgress
	progressCtx, stop := context.WithCancel(ctx)
	defer stop()
	go progress.store(progressCtx, db, `UPDATE batch_openings SET done_count = $2, total_count = $3, active_at = now()
		WHERE id = $1 AND finished_at IS NULL`, int64(id), nil)
	set := progress.setter()
	return db.inTx(ctx, func(tx pgx.Tx) error {
		name, err := openBatch(ctx, tx, actorID, p, spec, func(done, total int) { set(int64(done), int64(total)) })
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE batch_openings SET batch_name = $2, finished_at = now() WHERE id = $1`, id, name)
		return err
	})
}

// FailBatchOpening stores why nothing was opened.
func (db *DB) FailBatchOpening(ctx context.Context, id OpeningID, problem string) error {
	_, err := db.pool.Exec(ctx, `UPDATE batch_openings SET problem = $2, finished_at = now() WHERE id = $1
		AND finished_at IS NULL`, id, problem)
	return err
}

// BatchOpening returns an opening of a project.
func (db *DB) BatchOpening(ctx context.Context, actorID account.ID, p project.Project,
	id OpeningID) (BatchOpening, error) {
	if err := requireLead(ctx, db.pool, actorID, p.ID); err != nil {
		return BatchOpening{}, err
	}
	return collectOne[BatchOpening](db.pool.Query(ctx, `
		SELECT batch_name, done_count, total_count, problem, finished_at IS NOT NULL AS is_finished,
		       finished_at IS NULL AND active_at < now() - $3::interval AS is_lost
		FROM batch_openings
		WHERE id = $1 AND project_id = $2`, id, p.ID, openingLost))
}
