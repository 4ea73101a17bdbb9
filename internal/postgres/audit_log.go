package postgres

import (
	"context"
	"strconv"
	"time"

	"github.com/labelwright/labelwright/internal/account"
)

// AuditActions lists the actions that the audit log records.
var AuditActions = []string{
	"account.create", "account.invite", "account.set_password", "account.sign_in", "account.sign_in_failed", "account.sign_out_everywhere", "account.update",
	"batch.announce", "batch.archive", "batch.change", "batch.close", "batch.open", "batch.reopen", "batch.use_revision",
	"calibration.override", "calibration.request_retake",
	"correction.reopen_item", "correction.resolve",
	"judge.add",
	"project.add_member", "project.adjudicate", "project.create", "project.export", "project.import_items",
	"project.remove_member", "project.remove_reference", "project.set_rater_effects_visibility", "project.set_reference", "project.set_session_settings",
	"protocol.publish",
	"question.answer",
}

// An AuditEntry is one entry of the audit log.
type AuditEntry struct {
	ID        int64
	CreatedAt time.Time
	ActorName string // empty: a command, or a deleted user
	Action    string
	Subject   string
	Detail    map[string]any
}

// AuditLog returns up to limit entries, newest first. An empty action means all
// actions. A before other than 0 restricts the result to entries before that id.
func (db *DB) AuditLog(ctx context.Context, action string, before int64, limit int) ([]AuditEntry, error) {
	return collectAll[AuditEntry](db.pool.Query(ctx, `
		SELECT l.id, l.created_at, coalesce(u.name, '') AS actor_name, l.action, l.subject, l.detail
		FROM audit_log l
		LEFT JOIN identity.users u ON u.account_id = l.account_id
		WHERE ($1 = '' OR l.action = $1) AND ($2 = 0 OR l.id < $2)
		ORDER BY l.id DESC
		LIMIT $3`, action, before, limit))
}

// recordAudit adds an entry to the audit log in the transaction of the action. An
// actorID of 0 means a command.
func recordAudit(ctx context.Context, q querier, actorID account.ID, action, subject string, detail any) error {
	_, err := q.Exec(ctx, `
		INSERT INTO audit_log (account_id, action, subject, detail)
		VALUES (nullif($1, 0), $2, $3, coalesce($4, '{}'::jsonb))`, actorID, action, subject, detail)
	return err
}

// The subjects of audit entries.
func accountSubject(id account.ID) string         { return "account " + strconv.FormatInt(int64(id), 10) }
func protocolSubject(name string) string          { return "protocol " + name }
func projectSubject(key string) string            { return "project " + key }
func batchSubject(projectKey, name string) string { return "batch " + projectKey + "/" + name }
