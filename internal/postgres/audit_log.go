package postgres

import (
	"context"
	"time"
)

// AuditActions lists what the audit trail records, as it is named there.
var AuditActions = []string{
	"account.add", "account.change", "account.invite", "account.password", "account.sign_in", "account.sign_in_failed",
	"batch.calibration", "batch.close", "batch.flag", "batch.open",
	"model.add",
	"project.adjudicate", "project.create", "project.export", "project.habits", "project.import", "project.lead", "project.member", "project.reference", "project.session",
	"protocol.publish",
}

// An AuditEntry is one line of the audit trail.
type AuditEntry struct {
	ID        int64
	CreatedAt time.Time
	ActorName string // the name; empty: the program itself, or a person erased
	Action    string
	Subject   string
	Detail    map[string]any
}

// AuditLog returns up to limit entries of the audit trail, newest first: those
// before the entry of that id, or from the newest where it is 0; of one
// action, or of all where it is empty.
func (db *DB) AuditLog(ctx context.Context, action string, before int64, limit int) ([]AuditEntry, error) {
	return collectAll[AuditEntry](db.pool.Query(ctx, `
		SELECT a.id, a.at, coalesce(p.name, '') AS who, a.action, a.subject, a.detail
		FROM audit a
		LEFT JOIN identity.people p ON p.account_id = a.account_id
		WHERE ($1 = '' OR a.action = $1) AND ($2 = 0 OR a.id < $2)
		ORDER BY a.id DESC
		LIMIT $3`, action, before, limit))
}
