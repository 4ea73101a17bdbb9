package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/judging"
)

// ShowsRaterEffects reports whether annotators of a project see their own rater effects.
func (db *DB) ShowsRaterEffects(ctx context.Context, p project.Project) (shown bool, err error) {
	err = db.pool.QueryRow(ctx, `SELECT show_rater_effects FROM projects WHERE id = $1`, p.ID).Scan(&shown)
	return shown, err
}

// SetShowRaterEffects sets whether annotators of a project see their own rater effects.
func (db *DB) SetShowRaterEffects(ctx context.Context, actorID account.ID, p project.Project, show bool) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE projects SET show_rater_effects = $2 WHERE id = $1`, p.ID, show); err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.set_rater_effects_visibility", projectSubject(p.Key),
			map[string]any{"shown": show})
	})
}

// A RaterEffectProject is a project in which an annotator may see their own rater
// effects.
type RaterEffectProject struct {
	ID            project.ID
	Key           string
	Title         string
	Pseudonym     string // of the annotator
	ClosedBatches int    // closed batches of the annotator
}

// RaterEffectProjects returns the projects in which an annotator may see their own
// rater effects, newest first.
func (db *DB) RaterEffectProjects(ctx context.Context, accountID account.ID) ([]RaterEffectProject, error) {
	return collectAll[RaterEffectProject](db.pool.Query(ctx, selectRaterEffectProjects, accountID))
}

const selectRaterEffectProjects = `
	SELECT p.id, p.key, p.title, m.pseudonym,
	       (SELECT count(*) FROM batches b
	        JOIN batch_annotators a ON a.batch_id = b.id AND a.account_id = m.account_id
	        WHERE b.project_id = p.id AND b.closed_at IS NOT NULL) AS closed_batches
	FROM members m
	JOIN projects p ON p.id = m.project_id
	WHERE m.account_id = $1 AND m.role = 'annotator' AND m.removed_at IS NULL AND p.show_rater_effects
	ORDER BY p.id DESC`

// RaterEffectStatus returns what is known of the report of a project's closed batches.
func (db *DB) RaterEffectStatus(ctx context.Context, p RaterEffectProject) (ReportStatus, error) {
	full, err := db.projectByID(ctx, p.ID)
	if err != nil {
		return ReportStatus{}, err
	}
	return db.reportStatus(ctx, reportKey{ReportChoice: ReportChoice{Batch: closedBatches,
		Epsilon: judging.DefaultEpsilon}, project: full})
}
