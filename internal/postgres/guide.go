package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// Guide returns a project with its protocol, for a member of the project or its leads.
// With a batch, the protocol is in the revision of that batch.
func (db *DB) Guide(ctx context.Context, actor account.Account, key string, batchID project.BatchID) (project.Project,
	error) {
	row, err := collectOne[projectRow](db.pool.Query(ctx, selectProject+`
		WHERE p.key = $2 AND `+inCurrentVersion+` AND (
		    EXISTS (SELECT FROM members m WHERE m.project_id = p.id AND m.account_id = $1 AND m.removed_at IS NULL)
		    OR EXISTS (SELECT FROM project_leads l WHERE l.project_id = p.id AND l.account_id = $1))`, actor.ID, key))
	if err != nil {
		return project.Project{}, err
	}
	p, err := db.projectFromRow(ctx, row)
	if err == nil && batchID != 0 {
		p.Protocol, err = db.batchProtocol(ctx, p.ID, batchID)
	}
	return p, err
}

// SessionFacts returns the figures of a batch that its guide states.
func (db *DB) SessionFacts(ctx context.Context, batchID project.BatchID) (project.SessionFacts, error) {
	return collectOne[project.SessionFacts](db.pool.Query(ctx, `
		SELECT b.calibration_count, b.duplicate_count, b.gold_count, b.gold_minimum, b.break_every, b.break_minutes,
		       p.break_after_minutes
		FROM batches b
		JOIN projects p ON p.id = b.project_id
		WHERE b.id = $1`, batchID))
}
