package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// ownTasks is true of the tasks t of the projects p that account $1 leads. $2 is true for a
// command. A lead does not get tasks about their own labels, because those could tell which
// items are hidden duplicates, and does not learn how many items others disagree on while
// labeling in a batch of the project.
const ownTasks = leadsProject + ` AND t.account_id IS DISTINCT FROM $1 AND (t.kind <> 'adjudication' OR NOT EXISTS (
	SELECT FROM batch_annotators ba
	JOIN batches labeled ON labeled.id = ba.batch_id AND labeled.project_id = p.id
	WHERE ba.account_id = $1 AND (labeled.closed_at IS NULL OR EXISTS (
	    SELECT FROM assignments a WHERE a.batch_id = ba.batch_id AND a.account_id = $1 AND a.state = 'open'))))`

// maxInboxEntries is how many entries Inbox returns.
const maxInboxEntries = 200

// Inbox returns what waits for a lead in all projects, oldest first. The actor is the lead or
// an admin.
func (db *DB) Inbox(ctx context.Context, actorID account.ID, lead account.Account) ([]labeling.InboxEntry, error) {
	if actorID != lead.ID {
		if err := requireAdmin(ctx, db.pool, actorID); err != nil {
			return nil, err
		}
	}
	if err := db.measureLabeled(ctx); err != nil {
		return nil, err
	}
	entries, err := collectAll[labeling.InboxEntry](db.pool.Query(ctx, `
		SELECT t.kind, p.key AS project_key, p.title AS project_title, coalesce(b.name, '') AS batch_name,
		coalesce(t.account_id, 0) AS account_id,
		       coalesce(names.label, '') AS annotator, coalesce(t.subject_id, 0) AS subject_id, coalesce(t.item_id,
		       0) AS item_id, coalesce(i.source_id, '') AS source_id, coalesce(i.title, '') AS item_title,
		       CASE WHEN blinding.hidden THEN '' ELSE coalesce(q.message, c.message, '') END AS message,
		       blinding.hidden,
		       t.task_count AS count, t.large_count, t.has_started, t.deadline, t.created_at AS since
		FROM lead_tasks t
		JOIN projects p ON p.id = t.project_id
		LEFT JOIN batches b ON b.id = t.batch_id
		LEFT JOIN items i ON i.id = t.item_id
		LEFT JOIN identity.member_names names ON names.project_id = t.project_id AND names.account_id = t.account_id
		LEFT JOIN questions q ON t.kind = 'question' AND q.id = t.subject_id
		LEFT JOIN correction_requests c ON t.kind = 'correction' AND c.id = t.subject_id
		CROSS JOIN LATERAL (
			SELECT t.item_id IS NOT NULL AND EXISTS (
			    SELECT FROM blinded_items v WHERE v.account_id = $1 AND v.batch_id = t.batch_id
			    AND v.item_id = t.item_id) AS hidden) blinding
		WHERE `+ownTasks+`
		ORDER BY t.created_at, t.kind, t.account_id, t.subject_id
		LIMIT $3`, lead.ID, isCommand(lead), maxInboxEntries))
	return revealRows(ctx, db, actorID, entries, func(e labeling.InboxEntry) project.ItemID {
		if e.Message == "" {
			return 0
		}
		return e.ItemID
	}, err)
}

// WaitingCounts counts what waits for a lead, by project, batch and kind.
func (db *DB) WaitingCounts(ctx context.Context, actor account.Account) ([]labeling.Waiting, error) {
	return collectAll[labeling.Waiting](db.pool.Query(ctx, `
		SELECT t.kind, p.key AS project_key, coalesce(b.name, '') AS batch_name, count(*) AS entries,
		       CASE WHEN t.kind = 'adjudication' THEN sum(t.task_count) ELSE count(*) END AS count
		FROM lead_tasks t
		JOIN projects p ON p.id = t.project_id
		LEFT JOIN batches b ON b.id = t.batch_id
		WHERE `+ownTasks+`
		GROUP BY t.kind, p.key, b.name`, actor.ID, isCommand(actor)))
}

// ProjectSummaries returns the state of the projects that the actor leads: those with open
// batches first, then the newest.
func (db *DB) ProjectSummaries(ctx context.Context, actor account.Account) ([]project.Summary, error) {
	return collectAll[project.Summary](db.pool.Query(ctx, `
		SELECT p.key, p.title, count(b.id) AS batches, count(b.id) FILTER (WHERE b.closed_at IS NULL) AS open_batches,
		       coalesce(sum(n.items), 0) AS items, coalesce(sum(n.labels_wanted), 0) AS labels_wanted,
		       coalesce(sum(n.labels_given), 0) AS labels_given, coalesce(sum(n.in_progress), 0) AS in_progress,
		       coalesce(sum(n.deferred), 0) AS deferred, coalesce(sum(n.withheld), 0) AS withheld,
		       coalesce(sum(n.stuck), 0) AS stuck,
		       coalesce((array_agg(shared.agreement))[1], '[]') AS agreement
		FROM projects p
		LEFT JOIN batches b ON b.project_id = p.id
		LEFT JOIN LATERAL batch_counts(b.id, $1) n ON true
		LEFT JOIN LATERAL (
			SELECT s.agreement
			FROM batch_states s
			JOIN batches b ON b.id = s.batch_id
			WHERE b.project_id = p.id AND NOT `+labelsInOpenBatch+`
			ORDER BY s.shared_count DESC, b.id DESC
			LIMIT 1) shared ON true
		WHERE `+leadsProject+`
		GROUP BY p.id
		ORDER BY count(b.id) FILTER (WHERE b.closed_at IS NULL) = 0, p.id DESC
		LIMIT 50`, actor.ID, isCommand(actor)))
}
