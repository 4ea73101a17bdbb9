package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// The kinds of a request whose idempotency key is in use.
const (
	RequestInProgress fault.Kind = "request_in_progress"
	ReusedKey         fault.Kind = "idempotency_key_reused"
)

// Responses are kept for a day. A request that is not done after the lease was interrupted, and
// can be made again.
const (
	requestTTL   = 24 * time.Hour
	requestLease = 15 * time.Minute
)

// StartRequest reserves an idempotency key of a token for a request, and returns nil. If the
// request was made before it returns its response. It returns RequestInProgress while the
// first request runs, and ReusedKey if that was another request.
func (db *DB) StartRequest(ctx context.Context, tokenID account.APITokenID, key string,
	fingerprint []byte) (response []byte, err error) {
	tag, err := db.pool.Exec(ctx, `
		INSERT INTO identity.api_requests (token_id, idempotency_key, fingerprint) VALUES ($1, $2, $3)
		ON CONFLICT (token_id, idempotency_key) DO UPDATE SET fingerprint = excluded.fingerprint, response = NULL,
		started_at = now()
		WHERE api_requests.started_at < now() - $4::interval
		   OR api_requests.response IS NULL AND api_requests.started_at < now() -
		   $5::interval`, tokenID, key, fingerprint, requestTTL, requestLease)
	if err != nil || tag.RowsAffected() == 1 {
		return nil, err
	}
	var isSame bool
	err = db.pool.QueryRow(ctx, `SELECT fingerprint = $3, response FROM identity.api_requests WHERE token_id = $1
		AND idempotency_key = $2`,
		tokenID, key, fingerprint).Scan(&isSame, &response)
	switch {
	case errors.Is(err, pgx.ErrNoRows): // the first request failed at this moment
		return nil, RequestInProgress.Errorf(
			"A request with this idempotency key ended just now. Send the request again.")
	case err != nil:
		return nil, err
	case !isSame:
		return nil, ReusedKey.Errorf("This idempotency key was used for another request. Use a new key for each request.")
	case response == nil:
		return nil, RequestInProgress.Errorf(
			"A request with this idempotency key is running. Wait for its response, or send the request again later.")
	case len(response) == 0:
		return nil, fault.Conflict.Errorf("This request was made before, and an admin has erased something since: its response is not stored anymore. Read what you need again.")
	}
	return response, nil
}

// FinishRequest stores the response to a request, also when the client is gone. A nil response
// frees the key: nothing was changed.
func (db *DB) FinishRequest(ctx context.Context, tokenID account.APITokenID, key string, response []byte) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	sql, args := `UPDATE identity.api_requests SET response = $3 WHERE token_id = $1
		AND idempotency_key = $2`, []any{tokenID, key, response}
	if response == nil {
		sql, args = `DELETE FROM identity.api_requests WHERE token_id = $1 AND idempotency_key = $2`, args[:2]
	}
	_, err := db.pool.Exec(ctx, sql, args...)
	return err
}
