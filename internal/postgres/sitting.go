package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// SessionOf returns what a project decides about its sessions.
func (db *DB) SessionOf(ctx context.Context, projectID int64) (project.Session, error) {
	return one[project.Session](db.pool.Query(ctx, `
		SELECT after_miss, aside_next, break_after, day_items, sitting_minutes, return_after, warning, support_url
		FROM projects
		WHERE id = $1`, projectID))
}

// SetSession changes it, for what comes from now on. A warning that changed is
// a new version, which everybody reads anew.
func (db *DB) SetSession(ctx context.Context, by int64, p project.Project, s project.Session) error {
	if err := s.Check(); err != nil {
		return err
	}
	if !slices.Contains(labeling.AfterMisses, labeling.AfterMiss(s.AfterMiss)) || !slices.Contains(labeling.AsideNexts, labeling.AsideNext(s.AsideNext)) {
		return fault.Invalid.Says("Please choose one of the ways that are offered.")
	}
	p.Warning, p.SupportURL = s.Warning, s.SupportURL
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := worksSupported(ctx, tx, p); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `
			UPDATE projects
			SET after_miss = $2, aside_next = $3, break_after = $4, day_items = $5, sitting_minutes = $6, return_after = $7,
			    warning_version = warning_version + (warning <> $8)::int, warning = $8, support_url = $9
			WHERE id = $1`,
			p.ID, s.AfterMiss, s.AsideNext, s.BreakAfter, s.DayItems, s.SittingMinutes, s.ReturnAfter, s.Warning, s.SupportURL)
		if err != nil {
			return err
		}
		return audit(ctx, tx, by, "project.session", projectSubject(p.Key), s)
	})
}

// worksSupported reports a project with open batches that would be left with a
// content warning and nobody to talk to.
func worksSupported(ctx context.Context, tx pgx.Tx, p project.Project) error {
	err := p.CheckSupport()
	if err == nil {
		return nil
	}
	var open bool // openBatch locks the project, too
	if err := tx.QueryRow(ctx, `
		WITH p AS (SELECT id FROM projects WHERE id = $1 FOR UPDATE)
		SELECT EXISTS (SELECT FROM batches b WHERE b.project_id = p.id AND b.closed_at IS NULL) FROM p`, p.ID).Scan(&open); err != nil || !open {
		return err
	}
	return project.Problems{{Field: "support_url", Err: fault.Invalid.Says("A batch is open, and the project has a content warning: annotators need a support link. Give one, or close the batch first.")}}
}
