package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/project"
)

// An ImportTaskID identifies an upload that is read or imported in the background.
type ImportTaskID int64

// An ImportTaskKind is what is done with an upload.
type ImportTaskKind string

// The kinds of tasks.
const (
	TaskRead   ImportTaskKind = "read"
	TaskImport ImportTaskKind = "import"
)

// An ImportTask is how far a task is.
type ImportTask struct {
	Kind                  ImportTaskKind
	DoneBytes, TotalBytes int64  // total 0: waits for another task
	Problem               string // why it failed; empty: it did not
	IsFinished            bool
	IsLost                bool // its server stopped; nothing was stored
}

// IsRunning reports whether a server works on the task.
func (t ImportTask) IsRunning() bool { return !t.IsFinished && !t.IsLost }

// taskLost is how long a server is silent until a task counts as stopped.
const taskLost = 30 * time.Second

// StartImportTask returns a new task for an upload of that account, or the one that is running.
// It reports whether it is new.
func (db *DB) StartImportTask(ctx context.Context, actorID account.ID, p project.Project, token string,
	kind ImportTaskKind) (id ImportTaskID, isNew bool, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('import_tasks'),
			hashtext($1))`, token); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, `
			SELECT id FROM import_tasks
			WHERE upload_token = $1 AND account_id = $2 AND project_id = $3 AND finished_at IS NULL
			AND active_at > now() - $4::interval`,
			token, actorID, p.ID, taskLost).Scan(&id)
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if _, err := loadUpload(ctx, tx, actorID, p.ID, token, ""); err != nil {
			return err
		}
		isNew = true
		return tx.QueryRow(ctx, `
			INSERT INTO import_tasks (project_id, account_id, upload_token, kind) VALUES ($1, $2, $3, $4)
			RETURNING id`, p.ID, actorID, token, kind).Scan(&id)
	})
	return id, isNew, err
}

// RunReading reads an upload as ReadUpload does, and stores its progress every second.
func (db *DB) RunReading(ctx context.Context, id ImportTaskID, actor account.Account, p project.Project, token string,
	o importer.Options, targets []project.Project) error {
	return db.runTask(ctx, id, func(onProgress progressFunc) error {
		err := db.readUploadFor(ctx, actor, p, token, o, targets, onProgress)
		if _, isInvalid := errors.AsType[importer.FileErrors](err); isInvalid { // they are stored
			return nil
		}
		return err
	})
}

// RunImport imports an upload as ImportUpload does, and stores its progress every second.
func (db *DB) RunImport(ctx context.Context, id ImportTaskID, actor account.Account, p project.Project,
	token string) error {
	return db.runTask(ctx, id, func(onProgress progressFunc) error {
		return db.importUpload(ctx, actor, p, token, onProgress)
	})
}

func (db *DB) runTask(ctx context.Context, id ImportTaskID, run func(progressFunc) error) error {
	var progress taskProgress
	progressCtx, stop := context.WithCancel(ctx)
	defer stop()
	go progress.store(progressCtx, db, `UPDATE import_tasks SET done_bytes = $2, total_bytes = $3, active_at = now()
		WHERE id = $1 AND finished_at IS NULL`, int64(id), nil)
	if err := run(progress.setter()); err != nil {
		return err
	}
	stop()
	_, err := db.pool.Exec(ctx, `UPDATE import_tasks SET finished_at = now() WHERE id = $1 AND finished_at IS NULL`, id)
	return err
}

// FailImportTask stores why a task failed.
func (db *DB) FailImportTask(ctx context.Context, id ImportTaskID, problem string) error {
	_, err := db.pool.Exec(ctx, `UPDATE import_tasks SET problem = $2, finished_at = now() WHERE id = $1
		AND finished_at IS NULL`, id, problem)
	return err
}

// LastImportTask returns the last task of an upload of that account, or nil.
func (db *DB) LastImportTask(ctx context.Context, actorID account.ID, p project.Project,
	token string) (*ImportTask, error) {
	tasks, err := collectAll[ImportTask](db.pool.Query(ctx, `
		SELECT kind, done_bytes, total_bytes, problem, finished_at IS NOT NULL AS is_finished,
		       finished_at IS NULL AND active_at < now() - $4::interval AS is_lost
		FROM import_tasks
		WHERE upload_token = $1 AND account_id = $2 AND project_id = $3
		ORDER BY id DESC
		LIMIT 1`, token, actorID, p.ID, taskLost))
	if err != nil || len(tasks) == 0 {
		return nil, err
	}
	return &tasks[0], nil
}
