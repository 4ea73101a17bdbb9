package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
)

// Sessions stores web sessions. It is a store for scs that uses the context of the request;
// scs passes hashed tokens.
type Sessions struct{ db *DB }

// Sessions returns the session store.
func (db *DB) Sessions() Sessions { return Sessions{db} }

// FindCtx returns the data of a session that has not expired.
func (s Sessions) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	var data []byte
	err := s.db.pool.QueryRow(ctx, `SELECT data FROM sessions WHERE token_hash = $1 AND expires_at > now()`, token).Scan(&data)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	return data, err == nil, err
}

// CommitCtx stores a session until expiresAt.
func (s Sessions) CommitCtx(ctx context.Context, token string, data []byte, expiresAt time.Time) error {
	_, err := s.db.pool.Exec(ctx, `
		INSERT INTO sessions (token_hash, data, expires_at) VALUES ($1, $2, $3)
		ON CONFLICT (token_hash) DO UPDATE SET data = excluded.data, expires_at = excluded.expires_at`, token, data, expiresAt)
	return err
}

// DeleteCtx deletes a session.
func (s Sessions) DeleteCtx(ctx context.Context, token string) error {
	_, err := s.db.pool.Exec(ctx, `DELETE FROM sessions WHERE token_hash = $1`, token)
	return err
}

// Find finds a session. Find, Commit and Delete make Sessions an scs.Store; scs calls the
// methods with a context instead.
func (s Sessions) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit stores a session until expiresAt.
func (s Sessions) Commit(token string, data []byte, expiresAt time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expiresAt)
}

// Delete deletes a session.
func (s Sessions) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }

// DeleteExpired deletes expired sessions and sign-ins, uploads that were not imported, unused
// known browsers, and sign-in attempts older than a day.
func (db *DB) DeleteExpired(ctx context.Context) error {
	_, err := db.pool.Exec(ctx, `
		WITH attempts AS (DELETE FROM sign_in_attempts WHERE attempted_at < now() - interval '1 day'),
		     unconfirmed AS (DELETE FROM uploads WHERE created_at < now() - $1::interval),
		     unused AS (DELETE FROM identity.known_browsers WHERE last_seen_at < now() - $2::interval),
		     signed_out AS (DELETE FROM identity.sign_ins WHERE last_active_at < now() - $3::interval OR created_at < now() - $4::interval)
		DELETE FROM sessions WHERE expires_at < now()`, UploadTTL, KnownBrowserTTL,
		account.SignInIdleTimeout, account.SignInLifetime)
	return err
}
