package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// An ErasureID identifies an erasure.
type ErasureID int64

// EraseUser erases for an admin the name, the address, the sign-ins and the drafts of a user, and what they wrote if
// withNotes. The labels stay under the pseudonym. The account stays disabled for ever.
func (db *DB) EraseUser(ctx context.Context, actorID, id account.ID, withNotes bool) (erased ErasureID, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `LOCK TABLE accounts IN EXCLUSIVE MODE`); err != nil {
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
