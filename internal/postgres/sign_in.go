package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
)

// The limit of failed sign-ins per address: for each known browser (OWASP: device cookies), and for each network
// with unknown browsers. So an attacker elsewhere cannot lock out the user. After many attempts for an address, as
// from many networks, each has fewer.
const (
	maxSignInAttempts   = 10
	maxFewerAttempts    = 3
	manySignInAttempts  = 100
	signInAttemptWindow = 15 * time.Minute
)

// KnownBrowserTTL is how long a browser stays known after the last sign-in.
const KnownBrowserTTL = 180 * 24 * time.Hour

// SignIn returns the account with that address and password. If the account has a second factor,
// the user is signed in after FinishSignIn. It takes the same time and returns the same error,
// fault.SignedOut, whether the address or the password is wrong or the
// account is disabled. It returns fault.Limited after too many attempts, and fault.Unavailable
// if too many requests are waiting.
func (db *DB) SignIn(ctx context.Context, c account.Credentials) (account.Account, error) {
	id, err := db.authenticate(ctx, c)
	if err != nil {
		return account.Account{}, err
	}
	a, err := db.Account(ctx, id)
	if err != nil || a.HasSecondFactor() {
		return a, err
	}
	return a, recordAudit(ctx, db.pool, id, "account.sign_in", accountSubject(id), nil)
}

// ConfirmPassword records for a signed-in browser that its user entered the password just
// now. It returns fault.Invalid if the password is wrong.
func (db *DB) ConfirmPassword(ctx context.Context, id account.SignInID, c account.Credentials) error {
	_, err := db.authenticate(ctx, c)
	if fault.KindOf(err) == fault.SignedOut {
		return fault.Invalid.Errorf("The password is wrong.")
	}
	if err != nil {
		return err
	}
	_, err = db.pool.Exec(ctx, `UPDATE identity.sign_ins SET confirmed_at = now() WHERE id = $1`, id)
	return err
}

// HasConfirmedPassword reports whether the user of a signed-in browser entered the password
// a short while ago.
func (db *DB) HasConfirmedPassword(ctx context.Context, id account.SignInID) (confirmed bool, err error) {
	err = db.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM identity.sign_ins WHERE id = $1
		AND confirmed_at > now() - $2::interval)`,
		id, account.ConfirmationLifetime).Scan(&confirmed)
	return confirmed, err
}

// authenticate returns the account with that address and password. An attempt is counted
// before the password is checked, so that concurrent attempts cannot exceed the limit.
func (db *DB) authenticate(ctx context.Context, c account.Credentials) (id account.ID, err error) {
	turn, err := account.AwaitHashTurn(ctx, c.ClientAddress)
	if err != nil {
		return 0, err
	}
	defer turn.End()
	email := plaintext.Trim(c.Email)
	stored, err := collectOne[struct {
		ID             account.ID
		Disabled       bool
		PasswordHash   string
		IsKnownBrowser bool
	}](db.pool.Query(ctx, `
		SELECT a.id, a.disabled, coalesce(u.password_hash, '') AS password_hash, NOT a.disabled AND EXISTS (
		           SELECT FROM identity.known_browsers b
		           WHERE b.account_id = a.id AND b.token_hash = $2
		           AND b.last_seen_at > now() - $3::interval) AS is_known_browser
		FROM identity.users u
		JOIN accounts a ON a.id = u.account_id
		WHERE lower(u.email) = lower($1)`, email, account.HashToken(c.BrowserToken), KnownBrowserTTL))
	if err != nil && !errors.Is(err, fault.NotFound) {
		return 0, err
	}
	browserHash := account.HashToken("network " + c.ClientAddress)
	if stored.IsKnownBrowser {
		browserHash = account.HashToken(c.BrowserToken)
	}
	attemptID, err := db.recordSignInAttempt(ctx, account.HashToken(strings.ToLower(email)), browserHash)
	if err != nil {
		return 0, err
	}
	ok, err := turn.Verify(stored.PasswordHash, c.Password)
	if err != nil {
		return 0, err
	}
	if !ok || stored.Disabled {
		reason := ""
		if ok {
			reason = "disabled"
		}
		err := db.auditFailedSignIn(ctx, stored.ID, reason)
		return 0, errors.Join(err, fault.SignedOut.Errorf("The address or the password is wrong."))
	}
	_, err = db.pool.Exec(ctx, `DELETE FROM sign_in_attempts WHERE id = $1`, attemptID)
	return stored.ID, err
}

// recordSignInAttempt counts an attempt from a known browser or a network, or returns an error
// at the limit. Attempts for one address wait for each other.
func (db *DB) recordSignInAttempt(ctx context.Context, emailHash, browserHash []byte) (id int64, err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('sign-in ' || encode($1, 'hex'),
			0))`, emailHash); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `
			INSERT INTO sign_in_attempts (email_hash, browser_hash)
			SELECT $1, $2
			FROM (SELECT count(*) AS total, count(*) FILTER (WHERE browser_hash = $2) AS own
			      FROM sign_in_attempts
			      WHERE email_hash = $1 AND attempted_at > now() - $4::interval) a
			WHERE a.own < CASE WHEN a.total < $5 THEN $3::integer ELSE $6 END
			RETURNING id`, emailHash, browserHash, maxSignInAttempts, signInAttemptWindow, manySignInAttempts,
			maxFewerAttempts).Scan(&id)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, fault.Limited.Errorf("There were too many wrong passwords for this address from your network. Wait 15 minutes, " +
			"sign in from a browser that you used here before, or ask an admin for a new invitation.")
	}
	return id, err
}

// auditFailedSignIn records failed sign-ins in the audit log, at most once per window and
// account; all unknown addresses count as one. It does not store the address. The right
// password of a disabled account is recorded as such, so that an admin can help its user.
func (db *DB) auditFailedSignIn(ctx context.Context, id account.ID, reason string) error {
	subject, detail := "", map[string]any{}
	if id != 0 {
		subject = accountSubject(id)
	}
	if reason != "" {
		detail["reason"] = reason
	}
	_, err := db.pool.Exec(ctx, `
		INSERT INTO audit_log (action, subject, detail)
		SELECT 'account.sign_in_failed', $1, $3
		WHERE NOT EXISTS (
			SELECT FROM audit_log
			WHERE action = 'account.sign_in_failed' AND subject = $1 AND detail = $3
			AND created_at > now() - $2::interval)`, subject, signInAttemptWindow, detail)
	return err
}

// StartSignIn records that a browser signed in to an account. The browser is described as in
// account.SignIn.
func (db *DB) StartSignIn(ctx context.Context, id account.ID, browser, clientAddress string) (signInID account.SignInID,
	err error) {
	err = db.pool.QueryRow(ctx, `INSERT INTO identity.sign_ins (account_id, browser, client_address)
		VALUES ($1, left($2, 200), left($3, 100)) RETURNING id`,
		id, browser, clientAddress).Scan(&signInID)
	return signInID, err
}

// SignIns returns the browsers that are signed in to an account, the last active first.
func (db *DB) SignIns(ctx context.Context, id account.ID) ([]account.SignIn, error) {
	return collectAll[account.SignIn](db.pool.Query(ctx, `
		SELECT id, browser, client_address, created_at, last_active_at
		FROM identity.sign_ins
		WHERE account_id = $1 AND last_active_at > now() - $2::interval AND created_at > now() - $3::interval
		ORDER BY last_active_at DESC, id DESC`, id, account.SignInIdleTimeout, account.SignInLifetime))
}

// EndSignIn signs a browser out of an account. It does nothing if the browser is signed in to
// another one, or to none.
func (db *DB) EndSignIn(ctx context.Context, id account.ID, signInID account.SignInID) error {
	_, err := db.pool.Exec(ctx, `DELETE FROM identity.sign_ins WHERE id = $1 AND account_id = $2`, signInID, id)
	return err
}

// EndSignIns signs every browser out of an account, revokes its API tokens, and records it in the audit log.
func (db *DB) EndSignIns(ctx context.Context, id account.ID) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := endCredentials(ctx, tx, id); err != nil {
			return err
		}
		return recordAudit(ctx, tx, id, "account.sign_out_everywhere", accountSubject(id), nil)
	})
}

func endSignIns(ctx context.Context, tx pgx.Tx, id account.ID) error {
	_, err := tx.Exec(ctx, `DELETE FROM identity.sign_ins WHERE account_id = $1`, id)
	return err
}

// endCredentials ends what an account is signed in with: browsers and API tokens.
func endCredentials(ctx context.Context, tx pgx.Tx, id account.ID) error {
	if err := endSignIns(ctx, tx, id); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE identity.api_tokens SET revoked_at = now()
		WHERE account_id = $1 AND revoked_at IS NULL`, id)
	return err
}

// RememberBrowser records a sign-in from a browser, and returns the token that the browser
// keeps: the same one, or a new one.
func (db *DB) RememberBrowser(ctx context.Context, id account.ID, browserToken string) (token string, err error) {
	tag, err := db.pool.Exec(ctx, `UPDATE identity.known_browsers SET last_seen_at = now() WHERE token_hash = $1
		AND account_id = $2`,
		account.HashToken(browserToken), id)
	if err != nil || tag.RowsAffected() == 1 {
		return browserToken, err
	}
	token = account.NewToken()
	_, err = db.pool.Exec(ctx, `INSERT INTO identity.known_browsers (token_hash, account_id)
		VALUES ($1, $2)`, account.HashToken(token), id)
	return token, err
}

// SetBrowserLanguage records the language of the browser with which a user signed in, for
// mails.
func (db *DB) SetBrowserLanguage(ctx context.Context, id account.ID, tag string) error {
	_, err := db.pool.Exec(ctx, `UPDATE identity.users SET browser_language = $2 WHERE account_id = $1
		AND browser_language <> $2`, id, tag)
	return err
}
