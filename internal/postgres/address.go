package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// maxAddressLinks is how many mails with a link a user can have sent to new addresses in an hour.
const maxAddressLinks = 5

// SendAddressLink queues a mail to a new address of a user, with a link that takes it. An earlier link stops working.
// It does the same if another account has the address, but sends nothing: the answer does not show who has an account.
func (db *DB) SendAddressLink(ctx context.Context, id account.ID, email string) error {
	email, err := account.CheckEmail(email)
	if err != nil {
		return err
	}
	return db.inTx(ctx, func(tx pgx.Tx) error {
		var isSent, isOwn, isTaken, isTooMany bool
		err := tx.QueryRow(ctx, `
			SELECT EXISTS (SELECT FROM identity.mail_server), u.email = $2,
			       EXISTS (SELECT FROM identity.users o WHERE lower(o.email) = lower($2) AND o.account_id <> $1),
			       (SELECT count(*) >= $3 FROM identity.mails m WHERE m.account_id = $1 AND m.kind = 'address'
			        AND m.created_at > now() - interval '1 hour')
			FROM identity.users u WHERE u.account_id = $1 FOR UPDATE`, id, email, maxAddressLinks).Scan(&isSent, &isOwn,
			&isTaken, &isTooMany)
		switch {
		case err != nil:
			return notFound(err)
		case !isSent:
			return fault.Conflict.Errorf("This server sends no mail. Ask an admin to change your address.")
		case isOwn:
			return fault.Invalid.Errorf("This is your address already.")
		case isTooMany:
			return fault.Limited.Errorf("You asked for %d links in the last hour. Try again later.", maxAddressLinks)
		}
		if _, err := tx.Exec(ctx, `DELETE FROM identity.invitations WHERE account_id = $1 AND new_email IS NOT NULL`,
			id); err != nil || isTaken {
			return err
		}
		token := account.NewToken()
		if _, err := tx.Exec(ctx, `
			INSERT INTO identity.invitations (token_hash, account_id, created_by, for_project, is_mailed, expires_at, new_email)
			VALUES ($1, $2, $2, false, true, $3, $4)`, account.HashToken(token), id,
			time.Now().Add(account.InvitationLifetime), email); err != nil {
			return err
		}
		return queueMailTo(ctx, tx, email, account.MailAddress, id, 0, token)
	})
}

var errInvalidAddressLink = fault.NotFound.Errorf(
	"This link was used, has expired, or belongs to another account. Ask for a new one on your account page.")

// NewAddress returns the address that a link gives to the account of its user.
func (db *DB) NewAddress(ctx context.Context, id account.ID, token string) (string, error) {
	return newAddress(ctx, db.pool, id, token, "")
}

func newAddress(ctx context.Context, q querier, id account.ID, token, lock string) (email string, err error) {
	err = q.QueryRow(ctx, `SELECT new_email FROM identity.invitations
		WHERE token_hash = $1 AND account_id = $2 AND new_email IS NOT NULL AND expires_at > now()`+lock,
		account.HashToken(token), id).Scan(&email)
	if errors.Is(notFound(err), fault.NotFound) {
		return "", errInvalidAddressLink
	}
	return email, err
}

// TakeAddress gives a user the address of a link, which they opened. All their links stop working.
func (db *DB) TakeAddress(ctx context.Context, id account.ID, token string) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		email, err := newAddress(ctx, tx, id, token, " FOR UPDATE")
		if err != nil {
			return err
		}
		if _, err := changeEmail(ctx, tx, id, email); err != nil {
			return err
		}
		return recordAudit(ctx, tx, id, "account.change_address", accountSubject(id), nil)
	})
}
