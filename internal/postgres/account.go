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
func (db *DB) Account(ctx context.Context, id int64) (account.Account, error) {
	return one[account.Account](db.pool.Query(ctx, selectAccount+`WHERE a.id = $1`, id))
}

// AccountByEmail returns the account of that address, or a fault that names it.
func (db *DB) AccountByEmail(ctx context.Context, email string) (account.Account, error) {
	a, err := one[account.Account](db.pool.Query(ctx, selectAccount+`WHERE lower(p.email) = lower($1)`, email))
	if errors.Is(err, fault.NotFound) {
		return a, fault.NotFound.Says("Nobody here has the address “%s”. Add them first.", email)
	}
	return a, err
}

// Accounts returns everybody, by name.
func (db *DB) Accounts(ctx context.Context) ([]account.Account, error) {
	return many[account.Account](db.pool.Query(ctx, selectAccount+`ORDER BY lower(p.name), a.id`))
}

// AddPerson makes an account for p with a password already hashed, or an empty
// one where an invitation will follow.
func (db *DB) AddPerson(ctx context.Context, by int64, p account.Person, passwordHash string) (id int64, err error) {
	if p, err = p.Check(); err != nil {
		return 0, err
	}
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		id, err = insertPerson(ctx, tx, by, p, passwordHash)
		return err
	})
	return id, err
}

func insertPerson(ctx context.Context, tx pgx.Tx, by int64, p account.Person, passwordHash string) (id int64, err error) {
	err = tx.QueryRow(ctx, `
		WITH a AS (INSERT INTO accounts (role) VALUES ($1) RETURNING id)
		INSERT INTO identity.people (account_id, email, name, password)
		SELECT id, $2, $3, nullif($4, '') FROM a
		RETURNING account_id`, p.Role, p.Email, p.Name, passwordHash).Scan(&id)
	if violates(err, "people_email") {
		return 0, fault.Conflict.Says("Somebody here already has the address “%s”.", p.Email)
	}
	if err != nil {
		return 0, err
	}
	return id, audit(ctx, tx, by, "account.add", accountSubject(id), map[string]any{"role": p.Role})
}

// AddFirstAdmin makes the first admin; once there is one it refuses.
func (db *DB) AddFirstAdmin(ctx context.Context, p account.Person, passwordHash string) (id int64, err error) {
	p.Role = account.Admin
	if p, err = p.Check(); err != nil {
		return 0, err
	}
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `LOCK TABLE accounts IN EXCLUSIVE MODE`); err != nil {
			return err
		}
		if none, err := noAdmin(ctx, tx); err != nil || !none {
			return errors.Join(err, fault.NotFound)
		}
		id, err = insertPerson(ctx, tx, 0, p, passwordHash)
		return err
	})
	return id, err
}

// NoAdmin reports whether nobody who can sign in is an admin yet.
func (db *DB) NoAdmin(ctx context.Context) (bool, error) { return noAdmin(ctx, db.pool) }

func noAdmin(ctx context.Context, q querier) (none bool, err error) {
	err = q.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM accounts WHERE role = 'admin' AND NOT disabled)`).Scan(&none)
	return none, err
}

// NoAccounts reports whether nobody has an account yet.
func (db *DB) NoAccounts(ctx context.Context) (bool, error) { return noAccounts(ctx, db.pool) }

func noAccounts(ctx context.Context, q querier) (empty bool, err error) {
	err = q.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM accounts)`).Scan(&empty)
	return empty, err
}

// Invite returns a token with which the account's person can choose a
// password, once and for a while. Earlier invitations stop working.
func (db *DB) Invite(ctx context.Context, by, id int64) (token string, err error) {
	token = account.NewToken()
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM identity.invitations WHERE account_id = $1`, id); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			INSERT INTO identity.invitations (token_hash, account_id, expires_at) VALUES ($1, $2, $3)`,
			account.HashToken(token), id, time.Now().Add(account.InvitationLasts))
		if err != nil {
			return err
		}
		return audit(ctx, tx, by, "account.invite", accountSubject(id), nil)
	})
	return token, err
}

const spentInvitation = "This invitation has been used or is out of date. Ask whoever invited you for a new one."

// Invited returns whom an invitation is for.
func (db *DB) Invited(ctx context.Context, token string) (account.Account, error) {
	a, err := one[account.Account](db.pool.Query(ctx, selectAccount+`
		JOIN identity.invitations i ON i.account_id = a.id
		WHERE i.token_hash = $1 AND i.used_at IS NULL AND i.expires_at > now() AND NOT a.disabled`, account.HashToken(token)))
	if errors.Is(err, fault.NotFound) {
		return a, fault.NotFound.Says(spentInvitation)
	}
	return a, err
}

// TakeInvitation gives the invited person's account its password and ends the
// sessions it had.
func (db *DB) TakeInvitation(ctx context.Context, token, passwordHash string) (id int64, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `
			UPDATE identity.invitations SET used_at = now()
			WHERE token_hash = $1 AND used_at IS NULL AND expires_at > now()
			RETURNING account_id`, account.HashToken(token)).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.NotFound.Says(spentInvitation)
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
func (db *DB) SetPassword(ctx context.Context, by, id int64, passwordHash string) error {
	return db.inTx(ctx, func(tx pgx.Tx) error { return setPassword(ctx, tx, by, id, passwordHash) })
}

func setPassword(ctx context.Context, tx pgx.Tx, by, id int64, passwordHash string) error {
	if _, err := tx.Exec(ctx, `UPDATE identity.people SET password = $2 WHERE account_id = $1`, id, passwordHash); err != nil {
		return err
	}
	if err := endSessions(ctx, tx, id); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM identity.browsers WHERE account_id = $1`, id); err != nil {
		return err
	}
	return audit(ctx, tx, by, "account.password", accountSubject(id), nil)
}

func endSessions(ctx context.Context, tx pgx.Tx, id int64) error {
	_, err := tx.Exec(ctx, `UPDATE accounts SET epoch = epoch + 1 WHERE id = $1`, id)
	return err
}

// ChangeAccount gives an account a role and says whether it may sign in. The
// sessions it had end at once. The last admin who can sign in stays one.
func (db *DB) ChangeAccount(ctx context.Context, by, id int64, role account.Role, disabled bool) error {
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
			return fault.Conflict.Says("This is the last admin. Make somebody else an admin first.")
		}
		return audit(ctx, tx, by, "account.change", accountSubject(id), map[string]any{"role": role, "disabled": disabled})
	})
}
