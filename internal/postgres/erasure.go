package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// An ErasureID identifies an erasure.
type ErasureID int64

// allowErasing lets a transaction change as many rows as an erasure needs.
const allowErasing = `SET LOCAL statement_timeout = '1h'; `

// EraseUser erases for an admin the name, the address, the sign-ins and the drafts of a user, and what they wrote if
// withNotes. The labels stay under the pseudonym. The account stays disabled for ever.
func (db *DB) EraseUser(ctx context.Context, actorID, id account.ID, withNotes bool) (erased ErasureID, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, allowErasing+`LOCK TABLE accounts IN EXCLUSIVE MODE`); err != nil {
			return err
		}
		if err := requireAdmin(ctx, tx, actorID); err != nil {
			return err
		}
		if err := checkNotLastAdmin(ctx, tx, id); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, `SELECT erase_user($1, $2, nullif($3, 0))`, id, withNotes, actorID).Scan(&erased)
		if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok && pgErr.Code == "P0002" {
			return fault.NotFound
		}
		if err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "account.erase", accountSubject(id),
			map[string]any{"erasure": erased, "with_notes": withNotes})
	})
	return erased, err
}

// EraseItems erases for an admin the texts and the metadata of items, and what was written about them. The labels
// stay. It returns the number of items.
func (db *DB) EraseItems(ctx context.Context, actorID account.ID, p project.Project, f project.ItemFilter,
	reason string) (changed int, err error) {
	if reason, err = project.CheckReason(reason); err != nil {
		return 0, err
	}
	err = db.changeItems(ctx, actorID, p, f, func(tx pgx.Tx, ids []project.ItemID) error {
		if err := requireAdmin(ctx, tx, actorID); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, allowErasing); err != nil {
			return err
		}
		var erased ErasureID
		err := tx.QueryRow(ctx, `SELECT erase_items($1, $2, nullif($3, 0))`, p.ID, ids, actorID).Scan(&erased)
		if err != nil {
			return err
		}
		changed = len(ids)
		return recordAudit(ctx, tx, actorID, "project.erase_items", projectSubject(p.Key),
			map[string]any{"erasure": erased, "items": changed, "reason": reason})
	})
	return changed, err
}

// EraseProject erases for an admin all texts of an archived project, as EraseItems does for items, and its own ones,
// such as instructions and announcements. key confirms it. It returns the number of items, and false if nothing was
// left to erase.
func (db *DB) EraseProject(ctx context.Context, actorID account.ID, p project.Project, key, reason string) (items int,
	changed bool, err error) {
	if err := p.CheckErasure(key, reason); err != nil {
		return 0, false, err
	}
	err = db.updateProject(ctx, actorID, p, func(tx pgx.Tx) error {
		if err := requireAdmin(ctx, tx, actorID); err != nil {
			return err
		}
		var isArchived bool
		var before *time.Time
		err := tx.QueryRow(ctx, `SELECT archived_at IS NOT NULL, (`+projectErasedAt+`),
			(SELECT count(*) FROM items WHERE project_id = $1) FROM projects WHERE id = $1`,
			p.ID).Scan(&isArchived, &before, &items)
		if err == nil && !isArchived {
			return fault.Conflict.Errorf("Archive the project before you erase it.")
		}
		if err != nil || before != nil {
			return err
		}
		var erased ErasureID
		if _, err := tx.Exec(ctx, allowErasing); err != nil {
			return err
		}
		err = tx.QueryRow(ctx, `SELECT erase_items($1, NULL, nullif($2, 0))`, p.ID, actorID).Scan(&erased)
		if err != nil {
			return err
		}
		changed = true
		return recordAudit(ctx, tx, actorID, "project.erase", projectSubject(p.Key),
			map[string]any{"erasure": erased, "items": items, "reason": strings.TrimSpace(reason)})
	})
	return items, changed, err
}

// projectErasedAt selects when the project $1 was erased. An unarchived one may have texts again.
const projectErasedAt = `SELECT max(e.created_at) FROM erasures e JOIN projects p ON p.id = e.subject_id
	WHERE e.kind = 'project' AND p.id = $1 AND e.created_at >= p.archived_at`

// ProjectErasedAt returns when a project was erased; nil if it may have texts.
func (db *DB) ProjectErasedAt(ctx context.Context, id project.ID) (erasedAt *time.Time, err error) {
	err = db.pool.QueryRow(ctx, projectErasedAt, id).Scan(&erasedAt)
	return erasedAt, err
}
