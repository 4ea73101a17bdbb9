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
	IsLost                bool   // it failed because its servers stopped
	CreatedAt, ExpiresAt  time.Time
}

// StartExport adds a stored export that a job writes, and records it in the audit log. It says in language why it
// failed. It returns labeling.ErrBlinded to an account that must not see some answers yet.
func (db *DB) StartExport(ctx context.Context, actorID account.ID, p project.Project, options ExportOptions,
	language string) (id ExportID, err error) {
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
			SELECT count(*) FILTER (WHERE finished_at IS NULL AND NOT `+taskIsLost+`),
			coalesce(sum(size_bytes), 0)::bigint
			FROM exports t
			WHERE project_id = $1`, p.ID).Scan(&running, &stored)
		switch {
		case err != nil:
			return err
		case running >= maxRunningExports:
			return fault.Limited.Errorf("%d exports of this project are running. Wait until one is done, or cancel one.", running)
		case stored >= maxExportBytes:
			return errExportsFull
		}
		if err := tx.QueryRow(ctx, `INSERT INTO exports (project_id, account_id, options, protocol_version_id)
			VALUES ($1, $2, $3, $4) RETURNING id`, p.ID, actorID, options, p.ProtocolVersionID).Scan(&id); err != nil {
			return err
		}
		if err := addTask(ctx, tx, "exports", int64(id), exportArgs{ExportID: id, Language: language}); err != nil {
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

// selectExports reads stored exports that are not expired. $1 is the project and $2 ExportTTL.
const selectExports = `
	SELECT t.id, u.name AS requested_by, t.options, t.done_count, t.total_count, t.size_bytes, t.sha256,
	       coalesce(t.failed_checks, '[]') AS failed_checks, t.problem, t.created_at, t.created_at + $2::interval AS
	       expires_at, l.is_lost,
	       CASE WHEN t.sha256 IS NOT NULL THEN 'ready' WHEN t.cancelled_at IS NOT NULL THEN 'cancelled'
	            WHEN t.finished_at IS NOT NULL OR l.is_lost THEN 'failed' ELSE 'running' END AS state
	FROM exports t
	CROSS JOIN LATERAL (SELECT ` + taskIsLost + ` AS is_lost) l
	JOIN identity.users u ON u.account_id = t.account_id
	WHERE t.project_id = $1 AND t.created_at > now() - $2::interval `

// StoredExports lists the last exports of a project that are not expired, newest first.
func (db *DB) StoredExports(ctx context.Context, actorID account.ID, p project.Project) ([]StoredExport, error) {
	if err := requireLead(ctx, db.pool, actorID, p.ID); err != nil {
		return nil, err
	}
	return collectAll[StoredExport](db.pool.Query(ctx, selectExports+fmt.Sprintf(`ORDER BY t.id DESC LIMIT %d`,
		maxListedExports), p.ID, ExportTTL))
}

// StoredExport returns an export of a project.
func (db *DB) StoredExport(ctx context.Context, actorID account.ID, p project.Project,
	id ExportID) (StoredExport, error) {
	if err := requireLead(ctx, db.pool, actorID, p.ID); err != nil {
		return StoredExport{}, err
	}
	return collectOne[StoredExport](db.pool.Query(ctx, selectExports+`AND t.id = $3`, p.ID, ExportTTL, id))
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
