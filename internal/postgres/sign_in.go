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

// How many guesses at the password of one address all strange browsers have
// together, and each that its person signed in from before has for itself. So
// nobody who guesses can keep that person out: OWASP calls it device cookies.
const (
	maxSignInAttempts   = 10
	signInAttemptWindow = 15 * time.Minute
)

// KnownBrowserTTL is how long a browser is known after the last signing in.
const KnownBrowserTTL = 180 * 24 * time.Hour

// SignIn returns the account that email and password open. It takes the same
// time and says the same whether the address, the password or both are wrong.
// The browser is the token that it was given when somebody signed in from it
// last, or empty.
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

// ConfirmPassword reports why password is not that of the account, if so.
func (db *DB) ConfirmPassword(ctx context.Context, a account.Account, password, browserToken string) error {
	_, err := db.authenticate(ctx, a.Email, password, browserToken)
	return err
}

// authenticate returns whose account email and password open. A guess is counted
// before it is judged, so that many sent at once are no more than one by one.
func (db *DB) authenticate(ctx context.Context, email, password, browserToken string) (id account.ID, err error) {
	email = strings.TrimSpace(email)
	stored, err := collectOne[struct {
		ID       account.ID
		Password string
		Known    bool // the browser
	}](db.pool.Query(ctx, `
		SELECT a.id, coalesce(p.password, '') AS password, EXISTS (
		           SELECT FROM identity.browsers b
		           WHERE b.account_id = a.id AND b.token_hash = $2 AND b.seen_at > now() - $3::interval) AS known
		FROM identity.people p
		JOIN accounts a ON a.id = p.account_id
		WHERE lower(p.email) = lower($1) AND NOT a.disabled`, email, account.HashToken(browserToken), KnownBrowserTTL))
	if err != nil && !errors.Is(err, fault.NotFound) {
		return 0, err
	}
	var browserHash []byte
	if stored.Known {
		browserHash = account.HashToken(browserToken)
	}
	attemptID, err := db.recordSignInAttempt(ctx, account.HashToken(strings.ToLower(email)), browserHash)
	if err != nil {
		return 0, err
	}
	ok, err := account.VerifyPassword(ctx, stored.Password, password)
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, errors.Join(db.auditFailedSignIn(ctx, stored.ID), fault.SignedOut.Errorf("That address and password do not go together."))
	}
	_, err = db.pool.Exec(ctx, `DELETE FROM sign_in_failures WHERE id = $1`, attemptID)
	return stored.ID, err
}

// recordSignInAttempt counts a guess from a browser, nil for strange ones, unless there
// were too many. Those at one address take turns.
func (db *DB) recordSignInAttempt(ctx context.Context, emailHash, browserHash []byte) (id int64, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('sign-in ' || encode($1, 'hex'), 0))`, emailHash); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `
			INSERT INTO sign_in_failures (email_hash, browser)
			SELECT $1, $2
			WHERE $3 > (SELECT count(*) FROM sign_in_failures
			            WHERE email_hash = $1 AND browser IS NOT DISTINCT FROM $2 AND at > now() - $4::interval)
			RETURNING id`, emailHash, browserHash, maxSignInAttempts, signInAttemptWindow).Scan(&id)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, fault.Unavailable.Errorf("There were too many wrong passwords for this address. Please wait a quarter of an hour, " +
			"sign in from a browser that you have used here before, or ask an admin for a new invitation.")
	}
	return id, err
}

// auditFailedSignIn has the trail say on whose account wrong passwords are tried,
// once in a while: of all addresses that are nobody's, together. What was typed
// is not kept.
func (db *DB) auditFailedSignIn(ctx context.Context, id account.ID) error {
	subject := ""
	if id != 0 {
		subject = accountSubject(id)
	}
	_, err := db.pool.Exec(ctx, `
		INSERT INTO audit (action, subject)
		SELECT 'account.sign_in_failed', $1
		WHERE NOT EXISTS (
			SELECT FROM audit WHERE action = 'account.sign_in_failed' AND subject = $1 AND at > now() - $2::interval)`, subject, signInAttemptWindow)
	return err
}

// RememberBrowser remembers that an account was signed in to from a browser, and
// returns the token that the browser keeps: the one it had, or a new one.
func (db *DB) RememberBrowser(ctx context.Context, id account.ID, browserToken string) (token string, err error) {
	tag, err := db.pool.Exec(ctx, `UPDATE identity.browsers SET seen_at = now() WHERE token_hash = $1 AND account_id = $2`,
		account.HashToken(browserToken), id)
	if err != nil || tag.RowsAffected() == 1 {
		return browserToken, err
	}
	token = account.NewToken()
	_, err = db.pool.Exec(ctx, `INSERT INTO identity.browsers (token_hash, account_id) VALUES ($1, $2)`, account.HashToken(token), id)
	return token, err
}
