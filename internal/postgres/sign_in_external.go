package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// SignInExternal returns the account of a user whom the company's sign-in confirmed. The first sign-in links the
// account that has the address, or creates one with createRole, unless that is empty. The role follows the groups of
// the user; the last admin stays one. It returns fault.SignedOut for a user without an account, or with a disabled one.
func (db *DB) SignInExternal(ctx context.Context, user account.ExternalIdentity,
	createRole account.Role) (a account.Account, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `
			SELECT pg_advisory_xact_lock(hashtextextended('oidc ' || $1 || ' ' || lower($2), 0))`,
			user.Issuer, user.Email); err != nil {
			return err
		}
		a, err = collectOne[account.Account](tx.Query(ctx, selectAccount+`WHERE a.id = (
			SELECT account_id FROM identity.oidc_subjects WHERE issuer = $1 AND subject = $2)`,
			user.Issuer, user.Subject))
		if errors.Is(err, fault.NotFound) {
			a, err = linkAccount(ctx, tx, user, createRole)
		}
		if err != nil || a.Disabled {
			return err
		}
		if user.Role != "" && user.Role != a.Role {
			if _, err := tx.Exec(ctx, `LOCK TABLE accounts IN EXCLUSIVE MODE`); err != nil {
				return err
			}
			change := account.UserChange{Role: &user.Role}
			err := changeAccount(ctx, tx, a.ID, a.ID, "account.follow_groups", change)
			if err == nil {
				a.Role = user.Role
			} else if !errors.Is(err, errLastAdmin) {
				return err
			}
		}
		if a.HasSecondFactor() {
			return nil
		}
		return recordAudit(ctx, tx, a.ID, "account.sign_in", accountSubject(a.ID), nil)
	})
	if err == nil && a.Disabled {
		err = errors.Join(fault.SignedOut.Errorf("Your account here is disabled. Ask an admin."),
			db.auditFailedSignIn(ctx, a.ID, "disabled"))
	}
	return a, err
}

// linkAccount links a user to the account with the address, or to a new one.
func linkAccount(ctx context.Context, tx pgx.Tx, user account.ExternalIdentity,
	createRole account.Role) (a account.Account, err error) {
	a, err = collectOne[account.Account](tx.Query(ctx, selectAccount+`WHERE lower(u.email) = lower($1)`, user.Email))
	if errors.Is(err, fault.NotFound) {
		if createRole == "" {
			return a, fault.SignedOut.Errorf("There is no account here for “%s”. Ask an admin to add it.", user.Email)
		}
		var p account.NewAccount
		p, err = account.NewAccount{Email: user.Email, Name: user.Name, Role: createRole}.Check()
		if err != nil {
			return a, err
		}
		a = account.Account{Role: p.Role, Name: p.Name, Email: p.Email}
		if a.ID, err = insertUser(ctx, tx, 0, p, ""); err == nil {
			err = recordAudit(ctx, tx, a.ID, "account.create_at_sign_in", accountSubject(a.ID),
				map[string]any{"role": p.Role, "provider": user.Provider})
		}
	}
	if err != nil || a.Disabled {
		return a, err
	}
	tag, err := tx.Exec(ctx, `INSERT INTO identity.oidc_subjects (issuer, subject, account_id) VALUES ($1, $2, $3)
		ON CONFLICT DO NOTHING`, user.Issuer, user.Subject, a.ID)
	if err != nil {
		return a, err
	}
	if tag.RowsAffected() == 0 {
		return a, fault.SignedOut.Errorf(
			"The account for “%s” belongs to another user of the company's sign-in. Ask an admin.", user.Email)
	}
	if _, err := tx.Exec(ctx, `DELETE FROM identity.invitations WHERE account_id = $1`, a.ID); err != nil {
		return a, err
	}
	a.Joined = true
	return a, recordAudit(ctx, tx, a.ID, "account.link", accountSubject(a.ID), map[string]any{"issuer": user.Issuer})
}
