package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// CreateAPIToken creates a token for an account and returns it. It is not stored, so that it
// cannot be shown again. The actor is the account itself, or 0 for a command.
func (db *DB) CreateAPIToken(ctx context.Context, actorID, accountID account.ID, n account.NewAPIToken) (token string,
	err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		token, err = insertAPIToken(ctx, tx, actorID, accountID, n)
		return err
	})
	return token, err
}

func insertAPIToken(ctx context.Context, tx pgx.Tx, actorID, accountID account.ID, n account.NewAPIToken) (token string,
	err error) {
	owner, err := collectOne[account.Account](tx.Query(ctx, selectAccount+`WHERE a.id = $1 AND NOT a.disabled`,
		accountID))
	if err != nil {
		return "", err
	}
	if actorID != 0 && actorID != accountID {
		return "", fault.NotFound
	}
	if n, err = n.Check(owner.Role); err != nil {
		return "", err
	}
	token, prefix := account.NewAPITokenText()
	var id account.APITokenID
	err = tx.QueryRow(ctx, `
		INSERT INTO identity.api_tokens (account_id, name, prefix, token_hash, scopes, all_projects, created_by,
		expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, nullif($7, 0), now() + make_interval(days => $8))
		RETURNING id`, accountID, n.Name, prefix, account.HashToken(token), n.Scopes, len(n.Projects) == 0, actorID,
		n.Days).Scan(&id)
	if err != nil {
		return "", err
	}
	for _, key := range n.Projects {
		p, err := loadProject(ctx, tx, owner, key)
		if errors.Is(err, fault.NotFound) {
			return "", fault.NotFound.Errorf("%s leads no project “%s”.", owner.Name, key)
		}
		if err != nil {
			return "", err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO identity.api_token_projects (token_id, project_id) VALUES ($1, $2)
			ON CONFLICT DO NOTHING`, id, p.ID); err != nil {
			return "", err
		}
	}
	return token, recordAudit(ctx, tx, actorID, "token.create", accountSubject(accountID),
		map[string]any{"token": n.Name, "prefix": prefix, "scopes": n.Scopes, "projects": n.Projects, "days": n.Days})
}

const selectAPIToken = `
	SELECT t.id, t.account_id, t.name, t.prefix, t.scopes, t.all_projects, t.created_at, t.expires_at, t.last_used_at,
	t.revoked_at,
	       ARRAY (SELECT p.key FROM identity.api_token_projects l JOIN projects p ON p.id = l.project_id
	       WHERE l.token_id = t.id ORDER BY p.key COLLATE "C") AS projects
	FROM identity.api_tokens t `

// APITokens returns the tokens of an account, newest first, with revoked and expired ones of
// the last 90 days. The actor is the account itself or an admin.
func (db *DB) APITokens(ctx context.Context, actorID, accountID account.ID) ([]account.APIToken, error) {
	if actorID != accountID {
		if err := requireAdmin(ctx, db.pool, actorID); err != nil {
			return nil, err
		}
	}
	return collectAll[account.APIToken](db.pool.Query(ctx, selectAPIToken+`
		WHERE t.account_id = $1 AND least(t.expires_at, t.revoked_at) > now() - interval '90 days'
		ORDER BY t.id DESC`, accountID))
}

// RevokeAPIToken ends a token of the actor's own account, or of any account for admins and
// commands. Others are fault.NotFound. It returns the token's account.
func (db *DB) RevokeAPIToken(ctx context.Context, actor account.Account, id account.APITokenID) (ownerID account.ID,
	err error) {
	err = db.inTx(ctx, func(tx pgx.Tx) error {
		t, err := collectOne[account.APIToken](tx.Query(ctx, selectAPIToken+`WHERE t.id = $1 FOR UPDATE OF t`, id))
		if err != nil {
			return err
		}
		if t.AccountID != actor.ID && !actor.Role.IsAdmin() {
			return fault.NotFound
		}
		if ownerID = t.AccountID; t.RevokedAt != nil {
			return nil
		}
		if _, err := tx.Exec(ctx, `UPDATE identity.api_tokens SET revoked_at = now() WHERE id = $1`, id); err != nil {
			return err
		}
		return recordAudit(ctx, tx, actor.ID, "token.revoke", accountSubject(t.AccountID),
			map[string]any{"token": t.Name, "prefix": t.Prefix})
	})
	return ownerID, err
}

var errInvalidToken = fault.SignedOut.Errorf(
	"The token is not valid: it is unknown, expired or revoked, or its account is disabled. Create a token on the page Account.")

// AuthenticateToken returns what a token may do now, or fault.SignedOut. It records the use of
// the token, to the minute.
func (db *DB) AuthenticateToken(ctx context.Context, token string) (account.TokenAccess, error) {
	row, err := collectOne[struct {
		TokenID     account.APITokenID
		TokenName   string
		Scopes      []account.Scope
		AllProjects bool
		ProjectIDs  []int64
		ExpiresAt   time.Time
		account.Account
	}](db.pool.Query(ctx, `
		WITH used AS (
			UPDATE identity.api_tokens SET last_used_at = now()
			WHERE token_hash = $1 AND revoked_at IS NULL AND expires_at > now() AND (last_used_at IS NULL
			OR last_used_at < now() - interval '1 minute'))
		SELECT t.id AS token_id, t.name AS token_name, t.scopes, t.all_projects, t.expires_at,
		       ARRAY (SELECT l.project_id FROM identity.api_token_projects l WHERE l.token_id = t.id) AS project_ids,
		       `+accountColumns+`
		FROM identity.api_tokens t
		JOIN accounts a ON a.id = t.account_id AND NOT a.disabled
		JOIN identity.users u ON u.account_id = a.id
		WHERE t.token_hash = $1 AND t.revoked_at IS NULL AND t.expires_at > now()`, account.HashToken(token)))
	if errors.Is(err, fault.NotFound) {
		return account.TokenAccess{}, errInvalidToken
	}
	return account.TokenAccess{TokenID: row.TokenID, TokenName: row.TokenName, Account: row.Account, Scopes: row.Scopes,
		AllProjects: row.AllProjects, ProjectIDs: row.ProjectIDs, ExpiresAt: row.ExpiresAt}, err
}

type tokenKey struct{}

// WithToken returns a context in which audit entries name the token that acts.
func WithToken(ctx context.Context, access account.TokenAccess) context.Context {
	return context.WithValue(ctx, tokenKey{}, access.TokenName)
}

type systemUserKey struct{}

// WithSystemUser returns a context in which audit entries of commands name the user of the
// operating system.
func WithSystemUser(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, systemUserKey{}, name)
}

// systemUser returns the user of the operating system whose command acts without an account,
// or nil.
func systemUser(ctx context.Context, actorID account.ID) *string {
	if name, ok := ctx.Value(systemUserKey{}).(string); ok && actorID == 0 {
		return &name
	}
	return nil
}

// tokenName returns the name of the token that acts, or nil.
func tokenName(ctx context.Context) *string {
	if name, ok := ctx.Value(tokenKey{}).(string); ok {
		return &name
	}
	return nil
}
