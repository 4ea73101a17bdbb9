package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// The limit of failed sign-ins per address: for all unknown browsers together, and for each
// known browser. So an attacker cannot lock out the user (OWASP: device cookies).
const (
	maxSignInAttempts   = 10
	signInAttemptWindow = 15 * time.Minute
)

// KnownBrowserTTL is how long a browser stays known after the last sign-in.
const KnownBrowserTTL = 180 * 24 * time.Hour

// SignIn returns the account with that address and password. It takes the same time and
// returns the same error whether the address or the password is wrong. browserToken is the
// one from RememberBrowser, or empty.
func (db *DB) SignIn(ctx context.Context, email, password, browserToken string) (account.Account, error) {
	id, err := db.authenticate(ctx, email, password, browserToken)
	if err != nil {
		return account.Account{}, err
	}
	if err := recordAudit(ctx, db.pool, id, "account.sign_in", accountSubject(id), nil); err != nil {
		return account.Account{}, err
	}
	return db.Account(ctx, id)
}

// ConfirmPassword returns an error if password is not the password of the account.
func (db *DB) ConfirmPassword(ctx context.Context, a account.Account, password, browserToken string) error {
	_, err := db.authenticate(ctx, a.Email, password, browserToken)
	return err
}

// authenticate returns the account with that address and password. An attempt is counted
// before the password is checked, so that concurrent attempts cannot exceed the limit.
func (db *DB) authenticate(ctx context.Context, email, password, browserToken string) (id account.ID, err error) {
	email = strings.TrimSpace(email)
	stored, err := collectOne[struct {
		ID             account.ID
		PasswordHash   string
		IsKnownBrowser bool
	}](db.pool.Query(ctx, `
		SELECT a.id, coalesce(u.password_hash, '') AS password_hash, EXISTS (
		           SELECT FROM identity.known_browsers b
		           WHERE b.account_id = a.id AND b.token_hash = $2 AND b.last_seen_at > now() - $3::interval) AS is_known_browser
		FROM identity.users u
		JOIN accounts a ON a.id = u.account_id
		WHERE lower(u.email) = lower($1) AND NOT a.disabled`, email, account.HashToken(browserToken), KnownBrowserTTL))
	if err != nil && !errors.Is(err, fault.NotFound) {
		return 0, err
	}
	var browserHash []byte
	if stored.IsKnownBrowser {
		browserHash = account.HashToken(browserToken)
	}
	attemptID, err := db.recordSignInAttempt(ctx, account.HashToken(strings.ToLower(email)), browserHash)
	if err != nil {
		return 0, err
	}
	ok, err := account.VerifyPassword(ctx, stored.PasswordHash, password)
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, errors.Join(db.auditFailedSignIn(ctx, stored.ID), fault.SignedOut.Errorf("The address or the password is wrong."))
	}
	_, err = db.pool.Exec(ctx, `DELETE FROM sign_in_attempts WHERE id = $1`, attemptID)
	return stored.ID, err
}

// recordSignInAttempt counts an attempt from a browser, nil if unknown, or returns an error
// at the limit. Attempts for one address wait for each other.
func (db *DB) recordSignInAttempt(ctx context.Context, emailHash, browserHash []byte) (id int64, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('sign-in ' || encode($1, 'hex'), 0))`, emailHash); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `
			INSERT INTO sign_in_attempts (email_hash, browser_hash)
			SELECT $1, $2
			WHERE $3 > (SELECT count(*) FROM sign_in_attempts
			            WHERE email_hash = $1 AND browser_hash IS NOT DISTINCT FROM $2 AND attempted_at > now() - $4::interval)
			RETURNING id`, emailHash, browserHash, maxSignInAttempts, signInAttemptWindow).Scan(&id)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, fault.Unavailable.Errorf("There were too many wrong passwords for this address. Wait 15 minutes, " +
			"sign in from a browser that you used here before, or ask an admin for a new invitation.")
	}
	return id, err
}

// auditFailedSignIn records failed sign-ins in the audit log, at most once per window and
// account; all unknown addresses count as one. It does not store the address.
func (db *DB) auditFailedSignIn(ctx context.Context, id account.ID) error {
	subject := ""
	if id != 0 {
		subject = accountSubject(id)
	}
	_, err := db.pool.Exec(ctx, `
		INSERT INTO audit_log (action, subject)
		SELECT 'account.sign_in_failed', $1
		WHERE NOT EXISTS (
			SELECT FROM audit_log WHERE action = 'account.sign_in_failed' AND subject = $1 AND created_at > now() - $2::interval)`, subject, signInAttemptWindow)
	return err
}

// RememberBrowser records a sign-in from a browser, and returns the token that the browser
// keeps: the same one, or a new one.
func (db *DB) RememberBrowser(ctx context.Context, id account.ID, browserToken string) (token string, err error) {
	tag, err := db.pool.Exec(ctx, `UPDATE identity.known_browsers SET last_seen_at = now() WHERE token_hash = $1 AND account_id = $2`,
		account.HashToken(browserToken), id)
	if err != nil || tag.RowsAffected() == 1 {
		return browserToken, err
	}
	token = account.NewToken()
	_, err = db.pool.Exec(ctx, `INSERT INTO identity.known_browsers (token_hash, account_id) VALUES ($1, $2)`, account.HashToken(token), id)
	return token, err
}
