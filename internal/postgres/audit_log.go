package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/audit"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// AuditActions lists the actions that the audit log records. Each has a sentence in package
// audit.
var AuditActions = []string{
	"account.add_passkey", "account.change_address", "account.create_at_sign_in", "account.remove_passkey",
	"account.create", "account.erase", "account.follow_groups", "account.invite", "account.link",
	"account.remove_second_factor",
	"account.rename", "account.set_password", "account.set_second_factor", "account.sign_in",
	"account.sign_in_failed", "account.sign_out_everywhere", "account.update",
	"batch.announce", "batch.archive", "batch.change", "batch.close", "batch.open", "batch.pause_by_gold",
	"batch.reopen",
	"batch.use_revision",
	"calibration.override", "calibration.request_retake",
	"correction.reopen_item", "correction.resolve", "correction.undo_submit",
	"judge.add", "judge.draw",
	"project.add_member", "project.adjudicate", "project.archive", "project.archive_items", "project.cancel_export",
	"project.create", "project.delete_export", "project.describe_dataset", "project.download_export",
	"project.draw_spot_checks",
	"project.end_work", "project.erase", "project.erase_items", "project.export", "project.export_key",
	"project.import_items", "project.note_items", "project.remove_member", "project.remove_reference",
	"project.rename", "project.restore_items",
	"project.set_instructions", "project.set_member_role",
	"project.set_rater_effects_visibility", "project.set_reference", "project.set_session_settings",
	"project.set_citation_pattern", "project.set_text_formats", "project.set_tie_rule", "project.tag_items",
	"project.take_version", "project.unarchive",
	"protocol.publish",
	"question.answer",
	"sheet.create", "sheet.submit",
	"token.create", "token.revoke",
	"webhook.change", "webhook.create", "webhook.delete", "webhook.disable", "webhook.enable", "webhook.resend",
	"webhook.rotate", "webhook.test",
}

// AdminAuditLog is AuditLog for an actor, who is an admin or a command.
func (db *DB) AdminAuditLog(ctx context.Context, actor account.Account, f audit.Filter, before int64,
	limit int) ([]audit.Entry, error) {
	if !actor.Role.IsAdmin() {
		return nil, fault.NotFound
	}
	return db.AuditLog(ctx, f, before, limit)
}

// AuditLog returns up to limit entries, newest first, with the names that an admin sees. A
// before other than 0 restricts the result to entries before that one.
func (db *DB) AuditLog(ctx context.Context, f audit.Filter, before int64, limit int) ([]audit.Entry, error) {
	return db.auditLog(ctx, 0, f, before, limit)
}

// ProjectAuditLog returns the entries of a project for one of its leads, with the names that
// its leads see.
func (db *DB) ProjectAuditLog(ctx context.Context, actorID account.ID, p project.Project, f audit.Filter, before int64,
	limit int) ([]audit.Entry, error) {
	if err := requireLead(ctx, db.pool, actorID, p.ID); err != nil {
		return nil, err
	}
	f.ProjectKey = p.CurrentKey()
	if err := db.requireItemVisible(ctx, actorID, p, f.Item); err != nil {
		return nil, err
	}
	return db.auditLog(ctx, p.ID, f, before, limit)
}

type auditRow struct {
	ID        int64
	CreatedAt time.Time
	AccountID *account.ID
	Action    string
	Subject   string
	Detail    map[string]any
}

// auditLog reads entries with the names that leads of a project see, or admins for project 0.
func (db *DB) auditLog(ctx context.Context, projectID project.ID, f audit.Filter, before int64,
	limit int) ([]audit.Entry, error) {
	conditions, args := auditConditions(f, before)
	if f.Item != "" {
		ids, err := collectColumn[project.ItemID](db.pool.Query(ctx, `
			SELECT i.id FROM items i JOIN projects p ON p.id = i.project_id WHERE i.source_id = $1 AND ($2 = ''
			OR p.key = $2)`, f.Item, f.ProjectKey))
		if err != nil {
			return nil, err
		}
		args = append(args, f.Item)
		isItem := fmt.Sprintf(`l.detail -> 'item' @> to_jsonb($%d::text)`, len(args))
		for _, id := range ids {
			args = append(args, id)
			isItem += fmt.Sprintf(` OR l.detail -> 'ids' @> to_jsonb($%d::bigint)`, len(args))
		}
		conditions += " AND (" + isItem + ")"
	}
	rows, err := collectAll[auditRow](db.pool.Query(ctx, `
		SELECT l.id, l.created_at, l.account_id, l.action, l.subject, l.detail
		FROM audit_log l
		WHERE `+conditions+`
		ORDER BY l.created_at DESC, l.id DESC
		LIMIT `+strconv.Itoa(limit), args...))
	if err != nil {
		return nil, err
	}
	entries := make([]audit.Entry, len(rows))
	var ids []account.ID
	for i, r := range rows {
		entries[i] = audit.Entry{ID: r.ID, CreatedAt: r.CreatedAt, Action: r.Action, Subject: r.Subject,
			Detail: r.Detail}
		if r.AccountID != nil {
			entries[i].ActorID = *r.AccountID
		}
		ids = append(ids, entries[i].AccountIDs()...)
	}
	names, err := db.auditNames(ctx, projectID, ids)
	for i := range entries {
		entries[i].Names = names
	}
	return entries, err
}

// requireItemVisible returns labeling.ErrBlinded if the account must not see yet what happened to an item: an entry
// about an own label could tell a hidden duplicate.
func (db *DB) requireItemVisible(ctx context.Context, actorID account.ID, p project.Project, sourceID string) error {
	if sourceID == "" {
		return nil
	}
	ids, err := db.ItemIDs(ctx, p, []string{sourceID})
	if err != nil {
		return err
	}
	return requireVisible(ctx, db.pool, actorID, p.ID, ids[0])
}

// auditConditions returns the conditions that f has. Those it has not are left out, so that
// each combination is planned for its index.
func auditConditions(f audit.Filter, before int64) (conditions string, args []any) {
	parts := []string{"true"}
	add := func(condition string, value any) {
		args = append(args, value)
		parts = append(parts, fmt.Sprintf(condition, len(args)))
	}
	if f.ProjectKey != "" {
		add(`l.project_key = $%d`, f.ProjectKey)
	}
	if f.AccountID != 0 {
		add(`l.account_id = $%d`, f.AccountID)
	}
	if f.Action != "" {
		add(`l.action = $%d`, f.Action)
	}
	if !f.From.IsZero() {
		add(`l.created_at >= $%d`, f.From)
	}
	if !f.Until.IsZero() {
		add(`l.created_at < $%d`, f.Until)
	}
	if before != 0 {
		add(`(l.created_at, l.id) < (SELECT created_at, id FROM audit_log WHERE id = $%d)`, before)
	}
	return strings.Join(parts, " AND "), args
}

// auditNames returns the names of accounts: for a project those that its leads see.
func (db *DB) auditNames(ctx context.Context, projectID project.ID, ids []account.ID) (map[account.ID]string, error) {
	slices.Sort(ids)
	rows, err := collectAll[struct {
		AccountID account.ID
		Name      string
	}](db.pool.Query(ctx, `
		SELECT a.id AS account_id,
		       CASE WHEN $1::bigint = 0 THEN coalesce(u.name, m.pseudonym)
		            ELSE coalesce(n.name, m.pseudonym, CASE WHEN a.role = 'admin' THEN 'An admin' END) END AS name
		FROM accounts a
		LEFT JOIN identity.users u ON u.account_id = a.id
		LEFT JOIN identity.member_names n ON n.project_id = $1 AND n.account_id = a.id
		LEFT JOIN LATERAL (
			SELECT pseudonym FROM members WHERE account_id = a.id AND ($1::bigint = 0 OR project_id = $1)
			ORDER BY project_id LIMIT 1) m ON true
		WHERE a.id = ANY ($2) AND (
		    $1::bigint = 0 AND coalesce(u.name, m.pseudonym) IS NOT NULL OR $1::bigint <> 0 AND (n.name IS NOT NULL
		    OR m.pseudonym IS NOT NULL OR a.role = 'admin'))`,
		projectID, slices.Compact(ids)))
	names := map[account.ID]string{}
	for _, r := range rows {
		names[r.AccountID] = r.Name
	}
	return names, err
}

// auditPageSize is how many entries ScanAuditLog reads at once.
const auditPageSize = 1000

// ScanAuditLog passes all entries of a filter to yield, newest first: those of a project that
// the actor leads, or all for project 0, which only admins and commands may ask for.
func (db *DB) ScanAuditLog(ctx context.Context, actor account.Account, p project.Project, f audit.Filter,
	yield func(audit.Entry) error) error {
	if p.ID == 0 && !actor.Role.IsAdmin() {
		return fault.NotFound
	}
	for before := int64(0); ; {
		read := func() ([]audit.Entry, error) { return db.AuditLog(ctx, f, before, auditPageSize) }
		if p.ID != 0 {
			read = func() ([]audit.Entry, error) {
				return db.ProjectAuditLog(ctx, actor.ID, p, f, before, auditPageSize)
			}
		}
		entries, err := read()
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := yield(e); err != nil {
				return err
			}
			before = e.ID
		}
		if len(entries) < auditPageSize {
			return nil
		}
	}
}

// An AuditActor is a user who can be in an audit log, to filter by.
type AuditActor struct {
	ID   account.ID
	Name string
}

// AuditActors returns the users that a lead of the project, or an admin for project 0, can
// filter by.
func (db *DB) AuditActors(ctx context.Context, projectID project.ID) ([]AuditActor, error) {
	return collectAll[AuditActor](db.pool.Query(ctx, `
		SELECT u.account_id AS id, u.name FROM identity.users u WHERE $1::bigint = 0
		UNION ALL
		SELECT n.account_id, n.name FROM identity.member_names n WHERE $1::bigint <> 0 AND n.project_id = $1
		ORDER BY name
		LIMIT 1000`, projectID))
}

// recordAudit adds an entry to the audit log in the transaction of the action. An
// actorID of 0 means a command.
func recordAudit(ctx context.Context, q querier, actorID account.ID, action, subject string, detail any) error {
	_, err := q.Exec(ctx, `
		INSERT INTO audit_log (account_id, action, subject, detail)
		VALUES (nullif($1, 0), $2, $3, coalesce($4, '{}'::jsonb) || CASE WHEN $5::text IS NULL THEN '{}' ELSE
		jsonb_build_object('api_token', $5::text) END
		    || CASE WHEN $6::text IS NULL THEN '{}' ELSE jsonb_build_object('system_user', $6::text) END)`,
		actorID, action, subject, detail, tokenName(ctx), systemUser(ctx, actorID))
	return err
}

// The subjects of audit entries. An entry about a project names its key first: see
// audit_log.project_key.
func accountSubject(id account.ID) string { return "account " + strconv.FormatInt(int64(id), 10) }
func protocolSubject(name string) string  { return "protocol " + name }

// The subjects of actions name a project without the protocol version that it was read in.
func projectSubject(key string) string { return "project " + withoutVersion(key) }

func batchSubject(projectKey, name string) string {
	return "batch " + withoutVersion(projectKey) + "/" + name
}

func withoutVersion(projectKey string) string {
	key, _, _ := strings.Cut(projectKey, "@")
	return key
}
