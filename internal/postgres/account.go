package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

const selectAccount = `
	SELECT a.id, a.role, p.name, p.email, a.disabled, p.password IS NOT NULL AS joined, a.epoch
	FROM accounts a
	JOIN identity.people p ON p.account_id = a.id `

// Account returns the account of that id, or fault.NotFound.
func (db *DB) Account(ctx context.Context, id account.ID) (account.Account, error) {
	return collectOne[account.Account](db.pool.Query(ctx, selectAccount+`WHERE a.id = $1`, id))
}

// AccountByEmail returns the account of that address, or a fault that names it.
func (db *DB) AccountByEmail(ctx context.Context, email string) (account.Account, error) {
	a, err := collectOne[account.Account](db.pool.Query(ctx, selectAccount+`WHERE lower(p.email) = lower($1)`, email))
	if errors.Is(err, fault.NotFound) {
		return a, fault.NotFound.Errorf("Nobody here has the address “%s”. Add them first.", email)
	}
	return a, err
}

// Accounts returns everybody, by name.
func (db *DB) Accounts(ctx context.Context) ([]account.Account, error) {
	return collectAll[account.Account](db.pool.Query(ctx, selectAccount+`ORDER BY lower(p.name), a.id`))
}

// CreateAccount makes an account for p with a password already hashed, or an empty
// one where an invitation will follow.
func (db *DB) CreateAccount(ctx context.Context, actorID account.ID, p account.NewAccount, passwordHash string) (id account.ID, err error) {
	if p, err = p.Check(); err != nil {
		return 0, err
	}
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		id, err = insertAccount(ctx, tx, actorID, p, passwordHash)
		return err
	})
	return id, err
}

func insertAccount(ctx context.Context, tx pgx.Tx, actorID account.ID, p account.NewAccount, passwordHash string) (id account.ID, err error) {
	err = tx.QueryRow(ctx, `
		WITH a AS (INSERT INTO accounts (role) VALUES ($1) RETURNING id)
		INSERT INTO identity.people (account_id, email, name, password)
		SELECT id, $2, $3, nullif($4, '') FROM a
		RETURNING account_id`, p.Role, p.Email, p.Name, passwordHash).Scan(&id)
	if violates(err, "people_email") {
		return 0, fault.Conflict.Errorf("Somebody here already has the address “%s”.", p.Email)
	}
	if err != nil {
		return 0, err
	}
	return id, recordAudit(ctx, tx, actorID, "account.add", accountSubject(id), map[string]any{"role": p.Role})
}

// CreateFirstAdmin makes the first admin; once there is one it refuses.
func (db *DB) CreateFirstAdmin(ctx context.Context, p account.NewAccount, passwordHash string) (id account.ID, err error) {
	p.Role = account.Admin
	if p, err = p.Check(); err != nil {
		return 0, err
	}
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `LOCK TABLE accounts IN EXCLUSIVE MODE`); err != nil {
			return err
		}
		if none, err := hasNoAdmin(ctx, tx); err != nil || !none {
			return errors.Join(err, fault.NotFound)
		}
		id, err = insertAccount(ctx, tx, 0, p, passwordHash)
		return err
	})
	return id, err
}

// HasNoAdmin reports whether nobody who can sign in is an admin yet.
func (db *DB) HasNoAdmin(ctx context.Context) (bool, error) { return hasNoAdmin(ctx, db.pool) }

func hasNoAdmin(ctx context.Context, q querier) (none bool, err error) {
	err = q.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM accounts WHERE role = 'admin' AND NOT disabled)`).Scan(&none)
	return none, err
}

// HasNoAccounts reports whether nobody has an account yet.
func (db *DB) HasNoAccounts(ctx context.Context) (bool, error) { return hasNoAccounts(ctx, db.pool) }

func hasNoAccounts(ctx context.Context, q querier) (empty bool, err error) {
	err = q.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM accounts)`).Scan(&empty)
	return empty, err
}

// Invite returns a token with which the account's person can choose a
// password, once and for a while. Earlier invitations stop working.
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

const invalidInvitation = "This invitation has been used or is out of date. Ask whoever invited you for a new one."

// InvitedAccount returns whom an invitation is for.
func (db *DB) InvitedAccount(ctx context.Context, token string) (account.Account, error) {
	a, err := collectOne[account.Account](db.pool.Query(ctx, selectAccount+`
		JOIN identity.invitations i ON i.account_id = a.id
		WHERE i.token_hash = $1 AND i.used_at IS NULL AND i.expires_at > now() AND NOT a.disabled`, account.HashToken(token)))
	if errors.Is(err, fault.NotFound) {
		return a, fault.NotFound.Errorf(invalidInvitation)
	}
	return a, err
}

// AcceptInvitation gives the invited person's account its password and ends the
// sessions it had.
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

// SetPassword gives an account a new password, ends its sessions, and forgets
// the browsers it was used in.
func (db *DB) SetPassword(ctx context.Context, actorID, id account.ID, passwordHash string) error {
	return db.inTx(ctx, func(tx pgx.Tx) error { return setPassword(ctx, tx, actorID, id, passwordHash) })
}

func setPassword(ctx context.Context, tx pgx.Tx, actorID, id account.ID, passwordHash string) error {
	if _, err := tx.Exec(ctx, `UPDATE identity.people SET password = $2 WHERE account_id = $1`, id, passwordHash); err != nil {
		return err
	}
	if err := endSessions(ctx, tx, id); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM identity.browsers WHERE account_id = $1`, id); err != nil {
		return err
	}
	return recordAudit(ctx, tx, actorID, "account.password", accountSubject(id), nil)
}

func endSessions(ctx context.Context, tx pgx.Tx, id account.ID) error {
	_, err := tx.Exec(ctx, `UPDATE accounts SET epoch = epoch + 1 WHERE id = $1`, id)
	return err
}

// UpdateAccount gives an account a role and says whether it may sign in. The
// sessions it had end at once. The last admin who can sign in stays one.
func (db *DB) UpdateAccount(ctx context.Context, actorID, id account.ID, role account.Role, disabled bool) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `LOCK TABLE accounts IN EXCLUSIVE MODE`); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `UPDATE accounts SET role = $2, disabled = $3, epoch = epoch + 1 WHERE id = $1`, id, role, disabled)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fault.NotFound
		}
		var admins int
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM accounts WHERE role = 'admin' AND NOT disabled`).Scan(&admins); err != nil {
			return err
		}
		if admins == 0 {
			return fault.Conflict.Errorf("This is the last admin. Make somebody else an admin first.")
		}
		return recordAudit(ctx, tx, actorID, "account.change", accountSubject(id), map[string]any{"role": role, "disabled": disabled})
	})
}
