package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// Invite returns a token that lets the user of an account set a password once, for a limited
// time. Earlier invitations stop working.
func (db *DB) Invite(ctx context.Context, actorID, id account.ID) (token string, err error) {
	token = account.NewToken()
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM identity.invitations WHERE account_id = $1`, id); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			INSERT INTO identity.invitations (token_hash, account_id, expires_at) VALUES ($1, $2, $3)`,
			account.HashToken(token), id, time.Now().Add(account.InvitationLifetime))
		if err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "account.invite", accountSubject(id), nil)
	})
	return token, err
}

const invalidInvitation = "This invitation was used or has expired. Ask your lead or an admin for a new one."

// InvitedAccount returns the account of a valid invitation.
func (db *DB) InvitedAccount(ctx context.Context, token string) (account.Account, error) {
	a, err := collectOne[account.Account](db.pool.Query(ctx, selectAccount+`
		JOIN identity.invitations i ON i.account_id = a.id
		WHERE i.token_hash = $1 AND i.used_at IS NULL AND i.expires_at > now() AND NOT a.disabled`, account.HashToken(token)))
	if errors.Is(err, fault.NotFound) {
		return a, fault.NotFound.Errorf(invalidInvitation)
	}
	return a, err
}

// AcceptInvitation sets the password of the invited account and ends its sessions.
func (db *DB) AcceptInvitation(ctx context.Context, token, passwordHash string) (id account.ID, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `
			UPDATE identity.invitations SET used_at = now()
			WHERE token_hash = $1 AND used_at IS NULL AND expires_at > now()
			RETURNING account_id`, account.HashToken(token)).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.NotFound.Errorf(invalidInvitation)
		}
		if err != nil {
			return err
		}
		return setPassword(ctx, tx, id, id, passwordHash)
	})
	return id, err
}
