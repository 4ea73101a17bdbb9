package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// ExportTTL is how long a stored export can be downloaded.
const ExportTTL = 7 * 24 * time.Hour

// The limits of the stored exports of a project.
const (
	maxExportBytes    = 8 << 30 // of all together
	maxRunningExports = 10
	maxListedExports  = 50
)

// An ExportID identifies a stored export.
type ExportID int64

// An ExportState is how far a stored export is.
type ExportState string

// The states of a stored export.
const (
	ExportRunning   ExportState = "running"
	ExportReady     ExportState = "ready"
	ExportFailed    ExportState = "failed"
	ExportCancelled ExportState = "cancelled"
)

// A StoredExport is an export that a server writes, or wrote, for download.
type StoredExport struct {
	ID                    ExportID
	RequestedBy           string // the name of an account
	Options               ExportOptions
	State                 ExportState
	DoneCount, TotalCount int // labels and items; total 0: not known yet
	SizeBytes             int64
	Sha256                []byte // of the file; nil: not ready
	FailedChecks          []string
	Problem               string // why it failed
	IsLost                bool   // it failed because its server stopped
	CreatedAt, ExpiresAt  time.Time
}

// exportLost is how long a server is silent until its export counts as failed.
const exportLost = 30 * time.Second

// StartExport returns a new stored export for RunExport, and records it in the audit log. It
// returns labeling.ErrBlinded to an account that must not see some answers yet.
func (db *DB) StartExport(ctx context.Context, actorID account.ID, p project.Project,
	options ExportOptions) (id ExportID, err error) {
	if options, err = options.check(); err != nil {
		return 0, err
	}
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireExportRights(ctx, tx, actorID, p); err != nil {
			return err
		}
		if _, err := (Snapshot{tx: tx, project: p}).loadScope(ctx, options); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('exports'), hashint8($1))`, p.ID); err != nil {
			return err
		}
		var running int
		var stored int64
		err := tx.QueryRow(ctx, `
			SELECT count(*) FILTER (WHERE finished_at IS NULL AND active_at > now() - $2::interval),
			coalesce(sum(size_bytes), 0)::bigint
			FROM exports
			WHERE project_id = $1`, p.ID, exportLost).Scan(&running, &stored)
		switch {
		case err != nil:
			return err
		case running >= maxRunningExports:
			return fault.Limited.Errorf("%d exports of this project are running. Wait until one is done, or cancel one.", running)
		case stored >= maxExportBytes:
			return errExportsFull
		}
		if err := tx.QueryRow(ctx, `INSERT INTO exports (project_id, account_id, options) VALUES ($1, $2, $3)
			RETURNING id`, p.ID, actorID, options).Scan(&id); err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.export", projectSubject(p.Key), options)
	})
	return id, err
}

var errExportsFull = fault.Limited.Errorf(
	"The stored exports of this project take %d GiB, which is the limit. Delete those that you do not need.",
	maxExportBytes>>30)

// requireExportRights returns an error unless the account leads the project and may see all its
// answers.
func requireExportRights(ctx context.Context, q querier, actorID account.ID, p project.Project) error {
	if err := requireLead(ctx, q, actorID, p.ID); err != nil {
		return err
	}
	return requireUnblinded(ctx, q, actorID, p.ID)
}

// selectExports reads stored exports that are not expired. $1 is the project, $2 exportLost and
// $3 ExportTTL.
const selectExports = `
	SELECT x.id, u.name AS requested_by, x.options, x.done_count, x.total_count, x.size_bytes, x.sha256,
	       coalesce(x.failed_checks, '[]') AS failed_checks, x.problem, x.created_at, x.created_at + $3::interval AS
	       expires_at, l.is_lost,
	       CASE WHEN x.sha256 IS NOT NULL THEN 'ready' WHEN x.cancelled_at IS NOT NULL THEN 'cancelled'
	            WHEN x.finished_at IS NOT NULL OR l.is_lost THEN 'failed' ELSE 'running' END AS state
	FROM exports x
	CROSS JOIN LATERAL (SELECT x.finished_at IS NULL AND x.active_at < now() - $2::interval AS is_lost) l
	JOIN identity.users u ON u.account_id = x.account_id
	WHERE x.project_id = $1 AND x.created_at > now() - $3::interval `

// StoredExports lists the last exports of a project that are not expired, newest first.
func (db *DB) StoredExports(ctx context.Context, actorID account.ID, p project.Project) ([]StoredExport, error) {
	if err := requireLead(ctx, db.pool, actorID, p.ID); err != nil {
		return nil, err
	}
	return collectAll[StoredExport](db.pool.Query(ctx, selectExports+fmt.Sprintf(`ORDER BY x.id DESC LIMIT %d`,
		maxListedExports), p.ID, exportLost, ExportTTL))
}

// StoredExport returns an export of a project.
func (db *DB) StoredExport(ctx context.Context, actorID account.ID, p project.Project,
	id ExportID) (StoredExport, error) {
	if err := requireLead(ctx, db.pool, actorID, p.ID); err != nil {
		return StoredExport{}, err
	}
	return collectOne[StoredExport](db.pool.Query(ctx, selectExports+`AND x.id = $4`, p.ID, exportLost, ExportTTL, id))
}

// CancelExport ends an export that is running. It has no effect on one that is not.
func (db *DB) CancelExport(ctx context.Context, actorID account.ID, p project.Project, id ExportID) error {
	return db.changeExport(ctx, actorID, p, id, func(tx pgx.Tx) error {
		var isCancelled bool
		err := tx.QueryRow(ctx, `
			WITH cancelled AS (UPDATE exports SET cancelled_at = now(), finished_at = now(), size_bytes = 0
			WHERE id = $1 AND finished_at IS NULL RETURNING id),
			     deleted AS (DELETE FROM export_chunks WHERE export_id IN (SELECT id FROM cancelled))
			SELECT EXISTS (SELECT FROM cancelled)`, id).Scan(&isCancelled)
		if err != nil || !isCancelled {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.cancel_export", projectSubject(p.Key),
			map[string]any{"export": id})
	})
}

// DeleteExport deletes an export and its file. A download that has started ends incomplete.
func (db *DB) DeleteExport(ctx context.Context, actorID account.ID, p project.Project, id ExportID) error {
	return db.changeExport(ctx, actorID, p, id, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM exports WHERE id = $1`, id); err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.delete_export", projectSubject(p.Key),
			map[string]any{"export": id})
	})
}

// changeExport locks an export of a project that the actor leads.
func (db *DB) changeExport(ctx context.Context, actorID account.ID, p project.Project, id ExportID,
	change func(pgx.Tx) error) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, `SELECT id FROM exports WHERE id = $1
			AND project_id = $2 FOR UPDATE`, id, p.ID).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return errExportGone
		}
		if err != nil {
			return err
		}
		return change(tx)
	})
}

var errExportGone = fault.NotFound.Errorf(
	"This export does not exist, or was deleted after %d days. Export the dataset again.", ExportTTL/(24*time.Hour))
