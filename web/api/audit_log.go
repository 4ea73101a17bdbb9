package api

import (
	"context"
	"strconv"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/audit"
)

// An AuditEntry is an entry of the audit log.
type AuditEntry struct {
	ID        int64          `json:"id"`
	CreatedAt time.Time      `json:"created_at"`
	Actor     string         `json:"actor" doc:"Who acted."`
	Action    string         `json:"action" doc:"A code." example:"batch.open"`
	Subject   string         `json:"subject"`
	Sentence  string         `json:"sentence"`
	Detail    map[string]any `json:"detail,omitempty" doc:"For admins."`
}

// An AuditLog is a part of the audit log.
type AuditLog struct {
	Entries    []AuditEntry `json:"entries"`
	NextCursor string       `json:"next_cursor,omitempty"`
}

// AuditParams select entries.
type AuditParams struct {
	PageParams
	Action string    `query:"action" maxLength:"100" doc:"Only this action."`
	From   time.Time `query:"from" doc:"From this time on."`
	Until  time.Time `query:"until" doc:"Before this time."`
}

// list reads a page of entries.
func (p AuditParams) list(read func(f audit.Filter, before int64) ([]audit.Entry, error),
	withDetail bool) (AuditLog, error) {
	before, err := parseNewestFirst[int64](p.Cursor)
	if err != nil {
		return AuditLog{}, err
	}
	entries, err := read(audit.Filter{Action: p.Action, From: p.From, Until: p.Until}, before)
	log := AuditLog{Entries: mapped(entries, func(e audit.Entry) AuditEntry {
		row := AuditEntry(audit.NewRow(e))
		if !withDetail {
			row.Detail = nil
		}
		return row
	})}
	if len(entries) == p.Limit {
		log.NextCursor = strconv.FormatInt(entries[len(entries)-1].ID, 10)
	}
	return log, err
}

// ListProjectAuditLogInput is the input of ListProjectAuditLog.
type ListProjectAuditLogInput struct {
	ProjectPath
	AuditParams
}

// The operations on the audit log.
var (
	ListProjectAuditLog = newRead(endpoint{id: "list-project-audit-log", path: "/projects/{project}/audit-log",
		tag:   "Audit log",
		scope: account.ScopeRead, summary: "List what was done in a project, newest first"},
		func(ctx context.Context, a *API, c caller, in *ListProjectAuditLogInput) (AuditLog, error) {
			return in.list(func(f audit.Filter, before int64) ([]audit.Entry, error) {
				return a.DB.ProjectAuditLog(ctx, c.id(), c.project, f, before, in.Limit)
			}, false)
		})

	ListAuditLog = newRead(endpoint{id: "list-audit-log", path: "/audit-log", tag: "Audit log",
		scope:   account.ScopeAdmin,
		summary: "List what was done anywhere, newest first", text: "Only for admins."},
		func(ctx context.Context, a *API, c caller, in *AuditParams) (AuditLog, error) {
			return in.list(func(f audit.Filter, before int64) ([]audit.Entry, error) {
				return a.DB.AdminAuditLog(ctx, c.Account, f, before, in.Limit)
			}, true)
		})
)
