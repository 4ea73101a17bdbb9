package postgres

import (
	"context"
	"crypto/subtle"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// hasJoined is whether user u chose a password or signed in at the company.
const hasJoined = `(u.password_hash IS NOT NULL
	OR EXISTS (SELECT FROM identity.oidc_subjects o WHERE o.account_id = u.account_id))`

const accountColumns = `a.id, a.role, u.name, u.email, a.disabled, u.password_hash IS NOT NULL AS has_password,
	` + hasJoined + ` AS joined,
	EXISTS (SELECT FROM identity.second_factors f WHERE f.account_id = a.id) AS has_authenticator,
	EXISTS (SELECT FROM identity.passkeys p WHERE p.account_id = a.id) AS has_passkey`

const selectAccount = `
	SELECT ` + accountColumns + `
	FROM accounts a
	JOIN identity.users u ON u.account_id = a.id `

// Account returns an account, or fault.NotFound.
func (db *DB) Account(ctx context.Context, id account.ID) (account.Account, error) {
	return collectOne[account.Account](db.pool.Query(ctx, selectAccount+`WHERE a.id = $1`, id))
}

// AccountByEmail returns the account with that address, or fault.NotFound with a message.
func (db *DB) AccountByEmail(ctx context.Context, email string) (account.Account, error) {
	a, err := collectOne[account.Account](db.pool.Query(ctx, selectAccount+`WHERE lower(u.email) = lower($1)`, email))
	if errors.Is(err, fault.NotFound) {
		return a, errNoAccount(email)
	}
	return a, err
}

func errNoAccount(email string) error {
	return fault.NotFound.Errorf("No account has the address “%s”. Add it first.", email)
}

// errNotAdmin refuses what only admins do. The pages of admins do not exist for others.
var errNotAdmin = fault.Forbidden.WithText("Only admins manage users and see what belongs to other users.")

// requireAdmin returns an error unless the actor is an admin, or 0: a command of an operator.
func requireAdmin(ctx context.Context, q querier, actorID account.ID) error {
	return requireRole(ctx, q, actorID, account.Role.IsAdmin, errNotAdmin)
}

func requireRole(ctx context.Context, q querier, actorID account.ID, isAllowed func(account.Role) bool,
	refusal error) error {
	if actorID == 0 {
		return nil
	}
	var role account.Role
	err := q.QueryRow(ctx, `SELECT role FROM accounts WHERE id = $1 AND NOT disabled`, actorID).Scan(&role)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && !isAllowed(role) {
		return refusal
	}
	return err
}

// Accounts returns all user accounts, by name, for an admin.
func (db *DB) Accounts(ctx context.Context, actorID account.ID) ([]account.Account, error) {
	if err := requireAdmin(ctx, db.pool, actorID); err != nil {
		return nil, err
	}
	return collectAll[account.Account](db.pool.Query(ctx, selectAccount+`ORDER BY lower(u.name), a.id`))
}

// A UserAccount is an account with the number of its changes.
type UserAccount struct {
	account.Account
	Version int
}

// UserAccount returns an account for an admin, or fault.NotFound.
func (db *DB) UserAccount(ctx context.Context, actorID, id account.ID) (a UserAccount, err error) {
	if err := requireAdmin(ctx, db.pool, actorID); err != nil {
		return a, err
	}
	if err := db.pool.QueryRow(ctx, selectVersion[VersionedAccount], id).Scan(&a.Version); err != nil {
		return a, notFound(err)
	}
	a.Account, err = db.Account(ctx, id)
	return a, err
}

// CreateAccount creates an account for an admin. The password hash is empty if the user will be invited.
func (db *DB) CreateAccount(ctx context.Context, actorID account.ID, p account.NewAccount,
	passwordHash string) (id account.ID, err error) {
	if p, err = p.Check(); err != nil {
		return 0, err
	}
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireAdmin(ctx, tx, actorID); err != nil {
			return err
		}
		id, err = insertAccount(ctx, tx, actorID, p, passwordHash)
		return err
	})
	return id, err
}

func errEmailTaken(email string) error {
	return fault.Conflict.Errorf("An account with the address “%s” exists already.", email)
}

func insertAccount(ctx context.Context, tx pgx.Tx, actorID account.ID, p account.NewAccount,
	passwordHash string) (id account.ID, err error) {
	id, err = insertUser(ctx, tx, actorID, p, passwordHash)
	if err != nil {
		return 0, err
	}
	return id, recordAudit(ctx, tx, actorID, "account.create", accountSubject(id), map[string]any{"role": p.Role})
}

// insertUser is insertAccount without an entry in the audit log.
func insertUser(ctx context.Context, tx pgx.Tx, actorID account.ID, p account.NewAccount,
	passwordHash string) (id account.ID, err error) {
	err = tx.QueryRow(ctx, `
		WITH a AS (INSERT INTO accounts (role, created_by) VALUES ($1, nullif($5, 0)) RETURNING id)
		INSERT INTO identity.users (account_id, email, name, password_hash)
		SELECT id, $2, $3, nullif($4, '') FROM a
		RETURNING account_id`, p.Role, p.Email, p.Name, passwordHash, actorID).Scan(&id)
	if violates(err, "users_email_unique") {
		return 0, errEmailTaken(p.Email)
	}
	return id, err
}

// SetupToken returns the token with which the first admin is created: the same one on every
// node. It returns "" if there is an admin.
func (db *DB) SetupToken(ctx context.Context) (token string, err error) {
	none, err := hasNoAdmin(ctx, db.pool)
	if err != nil || !none {
		return "", err
	}
	if _, err = db.pool.Exec(ctx, `INSERT INTO identity.setup_token (token) VALUES ($1)
		ON CONFLICT DO NOTHING`, account.NewToken()); err != nil {
		return "", err
	}
	err = db.pool.QueryRow(ctx, `SELECT token FROM identity.setup_token`).Scan(&token)
	return token, err
}

// NeedsSetup reports whether there is no admin yet.
func (db *DB) NeedsSetup(ctx context.Context) (bool, error) { return hasNoAdmin(ctx, db.pool) }

// CheckSetupToken returns fault.NotFound unless token creates the first admin.
func (db *DB) CheckSetupToken(ctx context.Context, token string) error {
	return checkSetupToken(ctx, db.pool, token)
}

func checkSetupToken(ctx context.Context, q querier, token string) error {
	none, err := hasNoAdmin(ctx, q)
	if err != nil {
		return err
	}
	var stored string
	if err := q.QueryRow(ctx, `SELECT token FROM identity.setup_token`).Scan(&stored); err != nil {
		return notFound(err)
	}
	if !none || subtle.ConstantTimeCompare([]byte(token), []byte(stored)) != 1 {
		return fault.NotFound
	}
	return nil
}

// CreateFirstAdmin creates the first admin, or returns fault.NotFound if the token is wrong
// or there is one. Then the token is deleted.
func (db *DB) CreateFirstAdmin(ctx context.Context, token string, p account.NewAccount,
	passwordHash string) (id account.ID, err error) {
	p.Role = account.Admin
	if p, err = p.Check(); err != nil {
		return 0, err
	}
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `LOCK TABLE accounts IN EXCLUSIVE MODE`); err != nil {
			return err
		}
		if err := checkSetupToken(ctx, tx, token); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM identity.setup_token`); err != nil {
			return err
		}
		id, err = insertAccount(ctx, tx, 0, p, passwordHash)
		return err
	})
	return id, err
}

// hasNoAdmin reports whether no active account is an admin.
func hasNoAdmin(ctx context.Context, q querier) (none bool, err error) {
	err = q.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM accounts WHERE role = 'admin' AND NOT disabled)`).Scan(&none)
	return none, err
}

// HasNoAccounts reports whether there are no accounts.
func (db *DB) HasNoAccounts(ctx context.Context) (empty bool, err error) {
	err = db.pool.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM accounts)`).Scan(&empty)
	return empty, err
}

// SetPassword sets the password of an account, signs it out everywhere, revokes its API tokens, and
// deletes its known browsers and invitations.
func (db *DB) SetPassword(ctx context.Context, actorID, id account.ID, passwordHash string) error {
	return db.inTx(ctx, func(tx pgx.Tx) error { return setPassword(ctx, tx, actorID, id, passwordHash) })
}

func setPassword(ctx context.Context, tx pgx.Tx, actorID, id account.ID, passwordHash string) error {
	if _, err := tx.Exec(ctx, `UPDATE identity.users SET password_hash = $2
		WHERE account_id = $1`, id, passwordHash); err != nil {
		return err
	}
	if err := endCredentials(ctx, tx, id); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `
		WITH invitations AS (DELETE FROM identity.invitations WHERE account_id = $1)
		DELETE FROM identity.known_browsers WHERE account_id = $1`, id)
	if err != nil {
		return err
	}
	return recordAudit(ctx, tx, actorID, "account.set_password", accountSubject(id), nil)
}

// UpdateAccount changes the role of an account and whether it is disabled for an admin, and ends
// its sessions. Invitations that no longer work stay so. The last active admin cannot be changed.
func (db *DB) UpdateAccount(ctx context.Context, actorID, id account.ID, role account.Role, disabled bool) error {
	return db.ChangeAccount(ctx, actorID, id, account.UserChange{Role: &role, Disabled: &disabled})
}

// ChangeAccount is UpdateAccount for a change in which a field may be missing: it stays. A new address ends the links
// that were sent to the old one.
func (db *DB) ChangeAccount(ctx context.Context, actorID, id account.ID, c account.UserChange) error {
	if c == (account.UserChange{}) {
		return fault.Invalid.Errorf("Name what changes: the role, the address, or whether the account is disabled.")
	}
	if c.Email != nil {
		email, err := account.CheckEmail(*c.Email)
		if err != nil {
			return err
		}
		c.Email = &email
	}
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `LOCK TABLE accounts IN EXCLUSIVE MODE`); err != nil {
			return err
		}
		if err := requireAdmin(ctx, tx, actorID); err != nil {
			return err
		}
		return changeAccount(ctx, tx, actorID, id, "account.update", c)
	})
}

// changeEmail gives a user another address, queues a mail to the old one, and deletes the links that were sent to it.
func changeEmail(ctx context.Context, tx pgx.Tx, id account.ID, email string) (isNew bool, err error) {
	var old string
	err = tx.QueryRow(ctx, `
		UPDATE identity.users u SET email = $2 FROM identity.users o
		WHERE u.account_id = $1 AND u.email <> $2 AND o.account_id = $1
		RETURNING o.email`, id, email).Scan(&old)
	if violates(err, "users_email_unique") {
		return false, errEmailTaken(email)
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := queueMailTo(ctx, tx, old, account.MailAddressChanged, id, 0, ""); err != nil {
		return false, err
	}
	_, err = tx.Exec(ctx, `DELETE FROM identity.invitations WHERE account_id = $1`, id)
	return true, err
}

var errLastAdmin = fault.Conflict.WithText("This is the last admin. Make another user an admin first.")

// checkNotLastAdmin returns errLastAdmin if an account is the only active admin. The table of accounts is locked.
func checkNotLastAdmin(ctx context.Context, tx pgx.Tx, id account.ID) error {
	var isLast bool
	err := tx.QueryRow(ctx, `SELECT coalesce(bool_and(id = $1), false) FROM accounts WHERE role = 'admin' AND NOT disabled`,
		id).Scan(&isLast)
	if err == nil && isLast {
		return errLastAdmin
	}
	return err
}

// changeAccount changes an account and records it as an action of the actor. The table of accounts is locked.
func changeAccount(ctx context.Context, tx pgx.Tx, actorID, id account.ID, action string,
	c account.UserChange) error {
	changed, err := collectOne[struct {
		Role, OldRole         account.Role
		Disabled, WasDisabled bool
		IsErased              bool
	}](tx.Query(ctx, `
			SELECT coalesce($2, role) AS role, role AS old_role, coalesce($3, disabled) AS disabled,
			       disabled AS was_disabled,
			       EXISTS (SELECT FROM erasures WHERE kind = 'user' AND subject_id = $1) AS is_erased
			FROM accounts WHERE id = $1`, id, c.Role, c.Disabled))
	if err != nil {
		return err
	}
	if changed.IsErased {
		return fault.Conflict.Errorf("The account was erased. Create a new one.")
	}
	if err := checkVersion(ctx, tx, VersionedAccount, id); err != nil {
		return err
	}
	if changed.Role != account.Admin || changed.Disabled {
		if err := checkNotLastAdmin(ctx, tx, id); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, `UPDATE accounts SET role = $2, disabled = $3
			WHERE id = $1`, id, changed.Role, changed.Disabled); err != nil {
		return err
	}
	if err := deleteUnusableInvitations(ctx, tx, id); err != nil {
		return err
	}
	if err := endSignIns(ctx, tx, id); err != nil {
		return err
	}
	detail := map[string]any{}
	if c.Email != nil {
		isNew, err := changeEmail(ctx, tx, id, *c.Email)
		if err != nil {
			return err
		}
		if isNew {
			detail["address"] = true
		}
	}
	if changed.Role != changed.OldRole {
		detail["role"] = changed.Role
	}
	if changed.Disabled != changed.WasDisabled {
		detail[map[bool]string{true: "disabled", false: "enabled"}[changed.Disabled]] = true
	}
	return recordAudit(ctx, tx, actorID, action, accountSubject(id), detail)
}
