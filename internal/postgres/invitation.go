package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// An invitation is a link for one account. Whether it works is decided when it is used; see
// the view usable_invitations.
type invitation struct {
	accountID  account.ID
	createdBy  account.ID // 0: a command
	forProject bool       // made for a member of a project: sets the first password only
}

// Invite returns a token for an admin with which the user of an account sets a password once,
// for a limited time. Earlier invitations stop working.
func (db *DB) Invite(ctx context.Context, actorID, id account.ID) (token string, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireAdmin(ctx, tx, actorID); err != nil {
			return err
		}
		var isDisabled bool
		if err := tx.QueryRow(ctx, `SELECT disabled FROM accounts
			WHERE id = $1 FOR SHARE`, id).Scan(&isDisabled); err != nil {
			return notFound(err)
		}
		if isDisabled {
			return fault.Conflict.Errorf("This account is disabled. Enable it before you create a link.")
		}
		if _, err := tx.Exec(ctx, `DELETE FROM identity.invitations WHERE account_id = $1`, id); err != nil {
			return err
		}
		token, err = insertInvitation(ctx, tx, invitation{accountID: id, createdBy: actorID})
		return err
	})
	return token, err
}

// insertInvitation returns a token to pass on. The mail has one of its own, which works even if leads of several
// projects invite the same new user.
func insertInvitation(ctx context.Context, tx pgx.Tx, i invitation) (token string, err error) {
	token, mailed := account.NewToken(), account.NewToken()
	_, err = tx.Exec(ctx, `
		INSERT INTO identity.invitations (token_hash, account_id, created_by, for_project, expires_at, is_mailed)
		SELECT t.token_hash, $3, nullif($4, 0), $5, $6, t.is_mailed
		FROM (VALUES ($1::bytea, false), ($2, true)) t(token_hash, is_mailed)
		WHERE NOT t.is_mailed OR EXISTS (SELECT FROM identity.mail_server)`,
		account.HashToken(token), account.HashToken(mailed), i.accountID, i.createdBy, i.forProject,
		time.Now().Add(account.InvitationLifetime))
	if err != nil {
		return "", err
	}
	kind := account.MailInvitation
	if i.createdBy == i.accountID {
		kind = account.MailPassword
	}
	if err := queueMail(ctx, tx, kind, i.accountID, 0, mailed); err != nil {
		return "", err
	}
	return token, recordAudit(ctx, tx, i.createdBy, "account.invite", accountSubject(i.accountID),
		map[string]any{"for_project": i.forProject})
}

// passwordMailPause is the time after which a user gets another mail with a link for a password.
const passwordMailPause = 10 * time.Minute

// SendPasswordLink queues a mail with a link for a new password to the user with an address. It does the same if there
// is none, so that nobody learns who has an account.
func (db *DB) SendPasswordLink(ctx context.Context, email string) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		var id account.ID
		err := tx.QueryRow(ctx, `
			SELECT a.id FROM identity.users u
			JOIN accounts a ON a.id = u.account_id
			WHERE lower(u.email) = lower($1) AND NOT a.disabled AND u.password_hash IS NOT NULL
			  AND EXISTS (SELECT FROM identity.mail_server) AND NOT EXISTS (
			      SELECT FROM identity.invitations i
			      WHERE i.account_id = a.id AND i.created_by = a.id AND i.new_email IS NULL AND i.expires_at > now() + $2::interval)
			FOR UPDATE OF u`, email, account.InvitationLifetime-passwordMailPause).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM identity.invitations WHERE account_id = $1 AND created_by = $1
			AND new_email IS NULL`, id); err != nil {
			return err
		}
		_, err = insertInvitation(ctx, tx, invitation{accountID: id, createdBy: id})
		return err
	})
}

// SendsMail reports whether a server sends mail.
func (db *DB) SendsMail(ctx context.Context) (sends bool, err error) {
	err = db.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM identity.mail_server)`).Scan(&sends)
	return sends, err
}

// deleteUnusableInvitations deletes the invitations of an account that would not work now, so
// that a later change cannot make them work again.
func deleteUnusableInvitations(ctx context.Context, q querier, id account.ID) error {
	_, err := q.Exec(ctx, `
		DELETE FROM identity.invitations i
		WHERE i.account_id = $1 AND NOT EXISTS (SELECT FROM identity.usable_invitations u
		WHERE u.token_hash = i.token_hash)`, id)
	return err
}

// The reasons why an invitation does not work.
var (
	errInvalidInvitation = fault.NotFound.Errorf(
		"This link was used or has expired. If you chose a password with it, you have an account: sign in. Otherwise ask your lead or an admin for a new link.")
	errUnusableInvitation = fault.Conflict.Errorf(
		"This link cannot set a password for this account. If you already have a password, sign in. Otherwise open the link in the mail that you got, or ask an admin for a new link.")
)

// An InvitedUser is what the page of an invitation shows.
type InvitedUser struct {
	Email       string
	Name        string // empty if a lead made the invitation: its page shows nothing about the account
	HasPassword bool   // false if a lead made the invitation
	InvitedBy
}

// Owner returns the user as the owner of a password. If a lead made the invitation it has no
// name, because the rules for passwords would tell the lead which words the name has.
func (u InvitedUser) Owner() account.Owner { return account.Owner{Name: u.Name, Email: u.Email} }

// InvitedBy is who made an invitation, and their project that the invited user is in; empty: none.
type InvitedBy struct{ Inviter, ProjectTitle string }

// selectInvitedBy reads who made invitation i. The project is one that they lead, so it tells them
// nothing about the account.
const selectInvitedBy = `
	coalesce((SELECT name FROM identity.users WHERE account_id = i.created_by), '') AS inviter,
	coalesce((
		SELECT p.title FROM members m
		JOIN project_leads l ON l.project_id = m.project_id AND l.account_id = i.created_by
		JOIN projects p ON p.id = m.project_id
		WHERE m.account_id = i.account_id AND m.removed_at IS NULL
		ORDER BY p.id DESC LIMIT 1), '') AS project_title`

// InvitedUser returns the user of an invitation. The answer for one made for a project does not
// depend on the account, because leads hold these invitations.
func (db *DB) InvitedUser(ctx context.Context, token string) (InvitedUser, error) {
	user, err := collectOne[InvitedUser](db.pool.Query(ctx, `
		SELECT u.email, CASE WHEN i.for_project THEN '' ELSE u.name END AS name,
		       NOT i.for_project AND u.password_hash IS NOT NULL AS has_password, `+selectInvitedBy+`
		FROM identity.invitations i
		JOIN identity.users u ON u.account_id = i.account_id
		WHERE i.token_hash = $1 AND i.expires_at > now()
		  AND (i.for_project OR EXISTS (SELECT FROM identity.usable_invitations v
		  WHERE v.token_hash = i.token_hash))`, account.HashToken(token)))
	if errors.Is(err, fault.NotFound) {
		return user, errInvalidInvitation
	}
	return user, err
}

// AcceptInvitation sets the password of the invited account and ends its sessions. All its
// invitations stop working.
func (db *DB) AcceptInvitation(ctx context.Context, token, passwordHash string) (id account.ID, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		// Locked first, so that the next statement sees every change of rights: each
		// change deletes the invitations that it makes unusable.
		tag, err := tx.Exec(ctx, `SELECT FROM identity.invitations WHERE token_hash = $1
			AND expires_at > now() FOR UPDATE`, account.HashToken(token))
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return errInvalidInvitation
		}
		err = tx.QueryRow(ctx, `SELECT account_id FROM identity.usable_invitations
			WHERE token_hash = $1`, account.HashToken(token)).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return errUnusableInvitation
		}
		if err != nil {
			return err
		}
		return setPassword(ctx, tx, id, id, passwordHash)
	})
	return id, err
}
