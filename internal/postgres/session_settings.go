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

// SessionSettings returns the session settings of a project.
func (db *DB) SessionSettings(ctx context.Context, projectID project.ID) (project.SessionSettings, error) {
	return collectOne[project.SessionSettings](db.pool.Query(ctx, `
		SELECT miss_policy, share_calibration_scores, allows_undo, skip_policy, break_after_minutes, daily_item_limit,
		session_limit_minutes, release_after_minutes,
		       content_warning, support_url
		FROM projects
		WHERE id = $1`, projectID))
}

// UpdateSessionSettings changes the session settings of a project. Annotators must
// acknowledge a changed content warning again.
func (db *DB) UpdateSessionSettings(ctx context.Context, actorID account.ID, p project.Project,
	s project.SessionSettings) error {
	if err := s.Check(); err != nil {
		return err
	}
	if !slices.Contains(labeling.MissPolicies, labeling.MissPolicy(s.MissPolicy)) ||
		!slices.Contains(labeling.SkipPolicies, labeling.SkipPolicy(s.SkipPolicy)) {
		return fault.Invalid.Errorf("Choose one of the listed options.")
	}
	p.ContentWarning, p.SupportURL = s.ContentWarning, s.SupportURL
	return db.updateProject(ctx, actorID, p, func(tx pgx.Tx) error {
		if err := checkSupportLink(ctx, tx, p); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			UPDATE projects
			SET miss_policy = $2, skip_policy = $3, break_after_minutes = $4, daily_item_limit = $5,
			    session_limit_minutes = $6, release_after_minutes = $7,
			    content_warning = $8, support_url = $9, share_calibration_scores = $10, allows_undo = $11
			WHERE id = $1`,
			p.ID, s.MissPolicy, s.SkipPolicy, s.BreakAfterMinutes, s.DailyItemLimit, s.SessionLimitMinutes,
			s.ReleaseAfterMinutes, s.ContentWarning, s.SupportURL, s.ShareCalibrationScores, s.AllowsUndo)
		if err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.set_session_settings", projectSubject(p.Key), s)
	})
}

// checkSupportLink reports a project with an open batch and a content warning that would
// have no support link.
func checkSupportLink(ctx context.Context, tx pgx.Tx, p project.Project) error {
	err := p.CheckSupportLink()
	if err == nil {
		return nil
	}
	var hasOpenBatch bool // opening a batch locks the project, too
	if err := tx.QueryRow(ctx, `
		WITH p AS (SELECT id FROM projects WHERE id = $1 FOR UPDATE)
		SELECT EXISTS (SELECT FROM batches b WHERE b.project_id = p.id AND b.closed_at IS NULL)
		FROM p`, p.ID).Scan(&hasOpenBatch); err != nil || !hasOpenBatch {
		return err
	}
	return project.FormProblems{{Field: "support_url",
		Err: fault.Conflict.Errorf("This project has a content warning and an open batch, so annotators need a support link. Add one, or close the batch first.")}}
}
