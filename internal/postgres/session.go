package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// Sessions keeps the sessions of signed-in people: a store for scs that obeys
// the request's context. Tokens reach it hashed.
type Sessions struct{ db *DB }

// Sessions returns the store of sessions.
func (db *DB) Sessions() Sessions { return Sessions{db} }

// FindCtx returns the data of a session that is still good.
func (s Sessions) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	var data []byte
	err := s.db.pool.QueryRow(ctx, `SELECT data FROM sessions WHERE token = $1 AND expires_at > now()`, token).Scan(&data)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	return data, err == nil, err
}

// CommitCtx stores a session until expires.
func (s Sessions) CommitCtx(ctx context.Context, token string, data []byte, expiresAt time.Time) error {
	_, err := s.db.pool.Exec(ctx, `
		INSERT INTO sessions (token, data, expires_at) VALUES ($1, $2, $3)
		ON CONFLICT (token) DO UPDATE SET data = excluded.data, expires_at = excluded.expires_at`, token, data, expiresAt)
	return err
}

// DeleteCtx ends a session.
func (s Sessions) DeleteCtx(ctx context.Context, token string) error {
	_, err := s.db.pool.Exec(ctx, `DELETE FROM sessions WHERE token = $1`, token)
	return err
}

// Find returns the data of a session that is still good. With Commit and
// Delete it satisfies scs.Store, which then calls those with a context.
func (s Sessions) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit stores a session until expires.
func (s Sessions) Commit(token string, data []byte, expiresAt time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expiresAt)
}

// Delete ends a session.
func (s Sessions) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }

// DeleteExpired removes what is past its time: sessions, files that nobody
// stored, browsers unused for long, and wrong passwords of more than a day ago.
func (db *DB) DeleteExpired(ctx context.Context) error {
	_, err := db.pool.Exec(ctx, `
		WITH old AS (DELETE FROM sign_in_failures WHERE at < now() - interval '1 day'),
		     left_waiting AS (DELETE FROM uploads WHERE at < now() - $1::interval),
		     unused AS (DELETE FROM identity.browsers WHERE seen_at < now() - $2::interval)
		DELETE FROM sessions WHERE expires_at < now()`, UploadTTL, KnownBrowserTTL)
	return err
}
