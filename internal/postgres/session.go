package postgres

import (
	"context"
	"time"

	"github.com/labelwright/labelwright/internal/account"
)

// A Session is a web session and the account that is signed in to it.
type Session struct {
	Data     []byte
	SignInID account.SignInID // 0: not signed in
	Account  *account.Account // nil: not signed in, or the sign-in has ended
	Settings account.Settings // of the account
}

// FindSession returns the session with that hash of its token, in one round trip with its
// account. Once a minute it records in a second one that the browser is active. It returns
// fault.NotFound if there is none or it has expired.
func (db *DB) FindSession(ctx context.Context, tokenHash string) (Session, error) {
	row, err := collectOne[sessionRow](db.pool.Query(ctx, `
		WITH session AS (
			SELECT data, coalesce(sign_in_id, 0) AS sign_in_id FROM sessions WHERE token_hash = $1
			AND expires_at > now()
		)
		SELECT session.data, session.sign_in_id, coalesce(a.id, 0) AS id, coalesce(a.role, '') AS role, coalesce(a.name,
		'') AS name,
		       coalesce(a.email, '') AS email, false AS disabled, coalesce(a.joined, false) AS joined,
		       coalesce(a.has_password, false) AS has_password,
		       coalesce(a.has_authenticator, false) AS has_authenticator,
		       coalesce(a.has_passkey, false) AS has_passkey,
		       to_jsonb(chosen) AS settings,
		       a.id IS NOT NULL AND s.last_active_at < now() - interval '1 minute' AS must_touch
		FROM session
		LEFT JOIN identity.sign_ins s ON s.id = session.sign_in_id AND s.last_active_at > now() - $2::interval
		AND s.created_at > now() - $3::interval
		LEFT JOIN LATERAL (`+selectAccount+`WHERE a.id = s.account_id AND NOT a.disabled) a ON true
		LEFT JOIN identity.account_settings chosen ON chosen.account_id = a.id`,
		tokenHash, account.SignInIdleTimeout, account.SignInLifetime))
	session := Session{Data: row.Data, SignInID: row.SignInID, Settings: account.DefaultSettings()}
	if row.Account.ID != 0 {
		session.Account = &row.Account
	}
	if row.Settings != nil {
		session.Settings = *row.Settings
	}
	if err == nil && row.MustTouch {
		_, err = db.pool.Exec(ctx, `UPDATE identity.sign_ins SET last_active_at = now() WHERE id = $1`, row.SignInID)
	}
	return session, err
}

type sessionRow struct {
	Data     []byte
	SignInID account.SignInID
	Settings *account.Settings // nil: the defaults
	// The sign-in is active, and that was recorded more than a minute ago.
	MustTouch bool
	account.Account
}

// SaveSession stores the data of a session until expiresAt. A signInID of 0 means that it is
// not signed in.
func (db *DB) SaveSession(ctx context.Context, tokenHash string, data []byte, signInID account.SignInID,
	expiresAt time.Time) error {
	_, err := db.pool.Exec(ctx, `
		INSERT INTO sessions (token_hash, data, sign_in_id, expires_at) VALUES ($1, $2, nullif($3, 0), $4)
		ON CONFLICT (token_hash) DO UPDATE SET data = excluded.data, sign_in_id = excluded.sign_in_id,
		expires_at = excluded.expires_at`,
		tokenHash, data, signInID, expiresAt)
	return err
}

// DeleteSession deletes a session.
func (db *DB) DeleteSession(ctx context.Context, tokenHash string) error {
	_, err := db.pool.Exec(ctx, `DELETE FROM sessions WHERE token_hash = $1`, tokenHash)
	return err
}
