package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

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
	IsLost                bool // its servers stopped; nothing was opened
}

// openingArgs are those of the job that opens a batch.
type openingArgs struct {
	OpeningID OpeningID         `json:"opening_id"`
	ActorID   account.ID        `json:"actor_id"`
	ProjectID project.ID        `json:"project_id"`
	Spec      project.BatchSpec `json:"spec"`
	Language  string            `json:"language"` // of the reason if it fails
}

// Kind names the kind of job.
func (openingArgs) Kind() string { return "open_batch" }

// InsertOpts has the job run again if its server stops.
func (openingArgs) InsertOpts() river.InsertOpts { return taskOptions(openingQueue) }

// StartBatchOpening adds an opening of a batch, as OpenBatch does it, that a job runs. It returns the one of that name
// that is running instead. It says in language why it failed.
func (db *DB) StartBatchOpening(ctx context.Context, actorID account.ID, p project.Project, spec project.BatchSpec,
	language string) (id OpeningID, err error) {
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
			SELECT id, batch_name FROM batch_openings t
			WHERE project_id = $1 AND finished_at IS NULL AND NOT `+taskIsLost+`
			LIMIT 1`, p.ID).Scan(&id, &runningName)
		switch {
		case err == nil && runningName == spec.Name:
			return nil
		case err == nil:
			return fault.Conflict.Errorf("The batch “%s” is being opened. Open this one when it is done.", runningName)
		case !errors.Is(err, pgx.ErrNoRows):
			return err
		}
		if err := tx.QueryRow(ctx, `
			WITH deleted AS (DELETE FROM batch_openings WHERE project_id = $1
			AND created_at < now() - interval '7 days')
			INSERT INTO batch_openings (project_id, batch_name) VALUES ($1, $2) RETURNING id`, p.ID, spec.Name).Scan(
			&id); err != nil {
			return err
		}
		return addTask(ctx, tx, "batch_openings", int64(id), openingArgs{OpeningID: id, ActorID: actorID,
			ProjectID: p.ID, Spec: spec, Language: language})
	})
	return id, err
}

// runBatchOpening opens a batch: all of it in one transaction, which ends the opening.
func (w Work) runBatchOpening(ctx context.Context, db *DB, job *river.Job[openingArgs]) error {
	args := job.Args
	t := task{id: int64(args.OpeningID), language: args.Language,
		progress: `UPDATE batch_openings SET done_count = $2, total_count = $3 WHERE id = $1 AND finished_at IS NULL`,
		fail:     `UPDATE batch_openings SET problem = $2, finished_at = now() WHERE id = $1 AND finished_at IS NULL`}
	return w.runTask(ctx, db, job.JobRow, t, func(ctx context.Context, onProgress progressFunc) error {
		p, err := db.projectByID(ctx, args.ProjectID)
		if err != nil {
			return err
		}
		return db.inTx(ctx, func(tx pgx.Tx) error {
			// Locked before it is known that no attempt has opened the batch.
			if err := lockProject(ctx, tx, p.ID); err != nil {
				return err
			}
			var isFinished bool
			if err := tx.QueryRow(ctx, `SELECT finished_at IS NOT NULL FROM batch_openings WHERE id = $1`,
				args.OpeningID).Scan(&isFinished); err != nil {
				return err
			}
			if isFinished {
				return errTaskEnded
			}
			name, err := openBatch(ctx, tx, args.ActorID, p, args.Spec, func(done, total int) {
				onProgress(int64(done), int64(total))
			})
			if err != nil {
				return err
			}
			_, err = tx.Exec(ctx, `UPDATE batch_openings SET batch_name = $2, finished_at = now() WHERE id = $1`,
				args.OpeningID, name)
			return err
		})
	})
}

// BatchOpening returns an opening of a project.
func (db *DB) BatchOpening(ctx context.Context, actorID account.ID, p project.Project,
	id OpeningID) (BatchOpening, error) {
	if err := requireLead(ctx, db.pool, actorID, p.ID); err != nil {
		return BatchOpening{}, err
	}
	return collectOne[BatchOpening](db.pool.Query(ctx, `
		SELECT batch_name, done_count, total_count, problem, finished_at IS NOT NULL AS is_finished,
		       `+taskIsLost+` AS is_lost
		FROM batch_openings t
		WHERE id = $1 AND project_id = $2`, id, p.ID))
}
