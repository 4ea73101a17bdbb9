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
	Detail    map[string]any `json:"detail,omitempty" doc:"For admins, with a token that has the scope admin."`
}

// An AuditLog is a part of the audit log.
type AuditLog struct {
	Entries    []AuditEntry `json:"entries"`
	NextCursor string       `json:"next_cursor,omitempty"`
}

// AuditParams select entries.
type AuditParams struct {
	PageParams
	Account string    `query:"account" maxLength:"254" doc:"Only what the user with this email address did."`
	Action  string    `query:"action" maxLength:"100" doc:"Only this action."`
	Item    string    `query:"item" maxLength:"400" doc:"Only what changed the item with this id of its own."`
	From    time.Time `query:"from" doc:"From this time on."`
	Until   time.Time `query:"until" doc:"Before this time."`
}

// listAuditLog reads a page of entries: of the project of the request, or all. An admin sees
// details, and the names of all users.
func (a *API) listAuditLog(ctx context.Context, c caller, p AuditParams) (AuditLog, error) {
	before, err := parseNewestFirst[int64](p.Cursor)
	if err != nil {
		return AuditLog{}, err
	}
	asAdmin := c.Account.Role.IsAdmin() && (localCallFrom(ctx) != nil || c.Has(account.ScopeAdmin))
	f := audit.Filter{ProjectKey: c.project.Key, Action: p.Action, Item: p.Item, From: p.From, Until: p.Until}
	if p.Account != "" {
		if f.AccountID, err = a.findActor(ctx, c, p.Account, asAdmin); err != nil {
			return AuditLog{}, err
		}
	}
	var entries []audit.Entry
	if asAdmin || c.project.ID == 0 {
		entries, err = a.DB.AdminAuditLog(ctx, c.Account, f, before, p.Limit)
	} else {
		entries, err = a.DB.ProjectAuditLog(ctx, c.id(), c.project, f, before, p.Limit)
	}
	log := AuditLog{Entries: mapped(entries, func(e audit.Entry) AuditEntry {
		row := AuditEntry(audit.NewRow(e))
		if !asAdmin {
			row.Detail = nil
		}
		return row
	})}
	if len(entries) == p.Limit {
		log.NextCursor = strconv.FormatInt(entries[len(entries)-1].ID, 10)
	}
	return log, err
}

// findActor returns the account with an email address: for a lead, a member of the project.
func (a *API) findActor(ctx context.Context, c caller, email string, asAdmin bool) (account.ID, error) {
	if asAdmin {
		found, err := a.DB.AccountByEmail(ctx, email)
		return found.ID, err
	}
	m, err := a.DB.Member(ctx, c.project, email)
	return m.AccountID, err
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
			return a.listAuditLog(ctx, c, in.AuditParams)
		})

	ListAuditLog = newRead(endpoint{id: "list-audit-log", path: "/audit-log", tag: "Audit log",
		scope:   account.ScopeAdmin,
		summary: "List what was done anywhere, newest first", text: "Only for admins."},
		func(ctx context.Context, a *API, c caller, in *AuditParams) (AuditLog, error) {
			return a.listAuditLog(ctx, c, *in)
		})
)
