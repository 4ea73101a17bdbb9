package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// LiveVersions show whether pages that update themselves have changed.
type LiveVersions struct {
	Inbox   string
	Batches map[project.BatchID]string
}

// LiveVersions returns the versions of all inboxes together, which also count labels, and of the boards of some
// batches. It reads unresolved rows and one row per annotator.
func (db *DB) LiveVersions(ctx context.Context, batches []project.BatchID) (LiveVersions, error) {
	versions := LiveVersions{Batches: map[project.BatchID]string{}}
	err := db.pool.QueryRow(ctx, `
		SELECT coalesce(md5(string_agg(concat_ws(' ', kind, batch_id, account_id, subject_id, task_count, created_at),
		',' ORDER BY kind, batch_id, account_id, subject_id)), 'none') || ' ' || (
		    SELECT coalesce(sum(ba.completed_count), 0) FROM batch_annotators ba
		    JOIN batches b ON b.id = ba.batch_id AND b.closed_at IS NULL)
		FROM lead_tasks`).Scan(&versions.Inbox)
	if err != nil || len(batches) == 0 {
		return versions, err
	}
	rows, err := collectAll[struct {
		BatchID project.BatchID
		Version string
	}](db.pool.Query(ctx, `
		SELECT b.id AS batch_id, concat_ws(' ', batch_version(b.id), s.computed_at, (SELECT count(*) FROM breaks k
		WHERE k.batch_id = b.id AND k.ended_at IS NULL)) AS version
		FROM batches b
		LEFT JOIN batch_states s ON s.batch_id = b.id
		WHERE b.id = ANY ($1)`, batches))
	for _, row := range rows {
		versions.Batches[row.BatchID] = row.Version
	}
	return versions, err
}

// IsSignedInLead reports whether a browser is signed in to an account that may lead. Unlike
// SignedInAccount it does not record activity.
func (db *DB) IsSignedInLead(ctx context.Context, id account.SignInID) (isLead bool, err error) {
	err = db.pool.QueryRow(ctx, `
		SELECT EXISTS (
			SELECT FROM identity.sign_ins s
			JOIN accounts a ON a.id = s.account_id
			WHERE s.id = $1 AND s.last_active_at > now() - $2::interval AND s.created_at > now() - $3::interval
			  AND NOT a.disabled AND a.role IN ('lead',
			  'admin'))`, id, account.SignInIdleTimeout, account.SignInLifetime).Scan(&isLead)
	return isLead, err
}
