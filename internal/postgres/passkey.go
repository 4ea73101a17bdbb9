package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

const maxPasskeys = 20

// PasskeyUser returns an active account with its passkeys.
func (db *DB) PasskeyUser(ctx context.Context, id account.ID) (u account.PasskeyUser, err error) {
	err = db.pool.QueryRow(ctx, `
		SELECT a.id, sha256(convert_to('passkey ' || a.form_key, 'UTF8')), u.email, u.name
		FROM accounts a JOIN identity.users u ON u.account_id = a.id
		WHERE a.id = $1 AND NOT a.disabled`, id).Scan(&u.ID, &u.Handle, &u.Email, &u.Name)
	if err != nil {
		return u, notFound(err)
	}
	u.Passkeys, err = collectAll[account.Passkey](db.pool.Query(ctx, `
		SELECT id, credential_id, credential, sign_count, name, created_at, last_used_at
		FROM identity.passkeys WHERE account_id = $1 ORDER BY id`, id))
	return u, err
}

// UserOfPasskey returns the active account that has a passkey, or fault.SignedOut.
func (db *DB) UserOfPasskey(ctx context.Context, credentialID []byte) (u account.PasskeyUser, err error) {
	var id account.ID
	err = db.pool.QueryRow(ctx, `SELECT account_id FROM identity.passkeys WHERE credential_id = $1`,
		credentialID).Scan(&id)
	if err == nil {
		u, err = db.PasskeyUser(ctx, id)
	}
	if errors.Is(notFound(err), fault.NotFound) {
		err = fault.SignedOut.Errorf("This passkey belongs to no account here. It may have been removed.")
	}
	return u, err
}

// AddPasskey adds a passkey to an account for its user.
func (db *DB) AddPasskey(ctx context.Context, id account.ID, p account.Passkey) error {
	name, err := account.CheckName(p.Name)
	if err != nil {
		return err
	}
	return db.inTx(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			INSERT INTO identity.passkeys (account_id, credential_id, credential, sign_count, name)
			SELECT $1, $2, $3, $4, $5
			WHERE (SELECT count(*) FROM identity.passkeys WHERE account_id = $1) < $6 ON CONFLICT DO NOTHING`, id,
			p.CredentialID, p.Credential, p.SignCount, name, maxPasskeys)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fault.Conflict.Errorf("The passkey was added already, or you have %d passkeys. Remove one first.",
				maxPasskeys)
		}
		return recordAudit(ctx, tx, id, "account.add_passkey", accountSubject(id), nil)
	})
}

// RemovePasskey removes a passkey of an account for its user.
func (db *DB) RemovePasskey(ctx context.Context, id account.ID, passkeyID account.PasskeyID) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `DELETE FROM identity.passkeys WHERE id = $1 AND account_id = $2`, passkeyID, id)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fault.NotFound
		}
		return recordAudit(ctx, tx, id, "account.remove_passkey", accountSubject(id), nil)
	})
}

// SignInWithPasskey returns the account whose passkey gave a valid answer. It refuses one whose count is not higher
// than at the last use: there may be a copy.
func (db *DB) SignInWithPasskey(ctx context.Context, id account.ID, p account.Passkey) (a account.Account, err error) {
	tag, err := db.pool.Exec(ctx, `
		UPDATE identity.passkeys SET credential = $3, sign_count = $4, last_used_at = now()
		WHERE credential_id = $1 AND account_id = $2 AND (sign_count < $4 OR sign_count = 0 AND $4 = 0)`,
		p.CredentialID, id, p.Credential, p.SignCount)
	if err != nil {
		return a, err
	}
	if tag.RowsAffected() == 0 {
		return a, errors.Join(db.auditFailedSignIn(ctx, id, "passkey counter"), fault.SignedOut.Errorf(
			"This passkey may have been copied. Sign in another way, remove it on your account page, and tell an admin."))
	}
	if err := recordAudit(ctx, db.pool, id, "account.sign_in", accountSubject(id),
		map[string]any{"passkey": true}); err != nil {
		return a, err
	}
	return db.Account(ctx, id)
}

// RecordSignIn records the sign-in of a user whose passkeys are not asked for.
func (db *DB) RecordSignIn(ctx context.Context, id account.ID) error {
	return recordAudit(ctx, db.pool, id, "account.sign_in", accountSubject(id), nil)
}
