package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// SessionSettings returns what a project decides about its sessions.
func (db *DB) SessionSettings(ctx context.Context, projectID project.ID) (project.SessionSettings, error) {
	return collectOne[project.SessionSettings](db.pool.Query(ctx, `
		SELECT after_miss, aside_next, break_after, day_items, sitting_minutes, return_after, warning, support_url
		FROM projects
		WHERE id = $1`, projectID))
}

// UpdateSessionSettings changes it, for what comes from now on. A warning that changed is
// a new version, which everybody reads anew.
func (db *DB) UpdateSessionSettings(ctx context.Context, actorID account.ID, p project.Project, s project.SessionSettings) error {
	if err := s.Check(); err != nil {
		return err
	}
	if !slices.Contains(labeling.MissPolicies, labeling.MissPolicy(s.MissPolicy)) || !slices.Contains(labeling.SkipPolicies, labeling.SkipPolicy(s.SkipPolicy)) {
		return fault.Invalid.Errorf("Please choose one of the ways that are offered.")
	}
	p.ContentWarning, p.SupportURL = s.ContentWarning, s.SupportURL
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := checkSupportLink(ctx, tx, p); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			UPDATE projects
			SET after_miss = $2, aside_next = $3, break_after = $4, day_items = $5, sitting_minutes = $6, return_after = $7,
			    warning_version = warning_version + (warning <> $8)::int, warning = $8, support_url = $9
			WHERE id = $1`,
			p.ID, s.MissPolicy, s.SkipPolicy, s.BreakAfterMinutes, s.DailyItemLimit, s.SessionLimitMinutes, s.ReleaseAfterMinutes, s.ContentWarning, s.SupportURL)
		if err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.session", projectSubject(p.Key), s)
	})
}

// checkSupportLink reports a project with open batches that would be left with a
// content warning and nobody to talk to.
func checkSupportLink(ctx context.Context, tx pgx.Tx, p project.Project) error {
	err := p.CheckSupportLink()
	if err == nil {
		return nil
	}
	var open bool // openBatch locks the project, too
	if err := tx.QueryRow(ctx, `
		WITH p AS (SELECT id FROM projects WHERE id = $1 FOR UPDATE)
		SELECT EXISTS (SELECT FROM batches b WHERE b.project_id = p.id AND b.closed_at IS NULL) FROM p`, p.ID).Scan(&open); err != nil || !open {
		return err
	}
	return project.FormProblems{{Field: "support_url", Err: fault.Invalid.Errorf("A batch is open, and the project has a content warning: annotators need a support link. Give one, or close the batch first.")}}
}
