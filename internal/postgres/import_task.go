package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
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
	IsLost                bool // its servers stopped; nothing was stored
}

// IsRunning reports whether a server works on the task.
func (t ImportTask) IsRunning() bool { return !t.IsFinished && !t.IsLost }

// importTaskArgs are those of the job that reads or imports an upload.
type importTaskArgs struct {
	TaskID   ImportTaskID     `json:"task_id"`
	Reading  importer.Reading `json:"reading,omitzero"`
	Targets  []project.ID     `json:"targets,omitempty"` // that a reading fills, besides its project
	Language string           `json:"language"`
}

// Kind names the kind of job.
func (importTaskArgs) Kind() string { return "import" }

// InsertOpts has the job run again if its server stops.
func (importTaskArgs) InsertOpts() river.InsertOpts { return taskOptions(importQueue) }

// StartReading adds a task that reads an upload as ReadUpload does, unless one is running. It says in language why it
// failed.
func (db *DB) StartReading(ctx context.Context, actorID account.ID, p project.Project, token string,
	o importer.Options, targets []project.Project, language string) error {
	args := importTaskArgs{Reading: o.Reading(), Language: language}
	for _, t := range targets {
		args.Targets = append(args.Targets, t.ID)
	}
	return db.startImportTask(ctx, actorID, p, token, TaskRead, args)
}

// StartImport adds a task that imports an upload as ImportUpload does, unless one is running. It says in language why
// it failed.
func (db *DB) StartImport(ctx context.Context, actorID account.ID, p project.Project, token string,
	language string) error {
	return db.startImportTask(ctx, actorID, p, token, TaskImport, importTaskArgs{Language: language})
}

func (db *DB) startImportTask(ctx context.Context, actorID account.ID, p project.Project, token string,
	kind ImportTaskKind, args importTaskArgs) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('import_tasks'),
			hashtext($1))`, token); err != nil {
			return err
		}
		var isRunning bool
		err := tx.QueryRow(ctx, `
			SELECT EXISTS (SELECT FROM import_tasks t
			WHERE upload_token = $1 AND account_id = $2 AND project_id = $3 AND finished_at IS NULL
			AND NOT `+taskIsLost+`)`, token, actorID, p.ID).Scan(&isRunning)
		if err != nil || isRunning {
			return err
		}
		if _, err := loadUpload(ctx, tx, actorID, p.ID, token, ""); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, `
			INSERT INTO import_tasks (project_id, account_id, upload_token, kind) VALUES ($1, $2, $3, $4)
			RETURNING id`, p.ID, actorID, token, kind).Scan(&args.TaskID); err != nil {
			return err
		}
		return addTask(ctx, tx, "import_tasks", int64(args.TaskID), args)
	})
}

// runImportTask reads or imports an upload.
func (w Work) runImportTask(ctx context.Context, db *DB, job *river.Job[importTaskArgs]) error {
	t := task{id: int64(job.Args.TaskID), language: job.Args.Language,
		progress: `UPDATE import_tasks SET done_bytes = $2, total_bytes = $3 WHERE id = $1 AND finished_at IS NULL`,
		fail:     `UPDATE import_tasks SET problem = $2, finished_at = now() WHERE id = $1 AND finished_at IS NULL`}
	return w.runTask(ctx, db, job.JobRow, t, func(ctx context.Context, onProgress progressFunc) error {
		row, err := collectOne[struct {
			ProjectID   project.ID
			AccountID   account.ID
			UploadToken string
			Kind        ImportTaskKind
		}](db.pool.Query(ctx, `SELECT project_id, account_id, upload_token, kind FROM import_tasks
			WHERE id = $1 AND finished_at IS NULL`, t.id))
		if errors.Is(err, fault.NotFound) {
			return errTaskEnded
		}
		if err != nil {
			return err
		}
		actor, err := db.Account(ctx, row.AccountID)
		if err != nil {
			return err
		}
		p, err := db.projectByID(ctx, row.ProjectID)
		if err != nil {
			return err
		}
		if row.Kind == TaskImport {
			return db.importUpload(ctx, actor, p, row.UploadToken, onProgress)
		}
		return db.runReading(ctx, actor, p, row.UploadToken, job.Args, onProgress)
	})
}

func (db *DB) runReading(ctx context.Context, actor account.Account, p project.Project, token string,
	args importTaskArgs, onProgress progressFunc) error {
	o, err := args.Reading.Options()
	if err != nil {
		return err
	}
	targets := make([]project.Project, len(args.Targets))
	for i, id := range args.Targets {
		if targets[i], err = db.projectByID(ctx, id); err != nil {
			return err
		}
		if err := requireLead(ctx, db.pool, actor.ID, id); err != nil {
			return err
		}
	}
	err = db.readUploadFor(ctx, actor, p, token, o, targets, onProgress)
	if _, isInvalid := errors.AsType[importer.FileErrors](err); err != nil && !isInvalid { // which are stored
		return err
	}
	_, err = db.pool.Exec(ctx, `UPDATE import_tasks SET finished_at = now() WHERE id = $1 AND finished_at IS NULL`,
		args.TaskID)
	return err
}

// LastImportTask returns the last task of an upload of that account, or nil.
func (db *DB) LastImportTask(ctx context.Context, actorID account.ID, p project.Project,
	token string) (*ImportTask, error) {
	tasks, err := collectAll[ImportTask](db.pool.Query(ctx, `
		SELECT kind, done_bytes, total_bytes, problem, finished_at IS NOT NULL AS is_finished,
		       `+taskIsLost+` AS is_lost
		FROM import_tasks t
		WHERE upload_token = $1 AND account_id = $2 AND project_id = $3
		ORDER BY id DESC
		LIMIT 1`, token, actorID, p.ID))
	if err != nil || len(tasks) == 0 {
		return nil, err
	}
	return &tasks[0], nil
}
