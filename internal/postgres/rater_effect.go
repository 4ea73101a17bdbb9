package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
)

// ShowsRaterEffects reports whether annotators of a project see their own habits.
func (db *DB) ShowsRaterEffects(ctx context.Context, p project.Project) (shown bool, err error) {
	err = db.pool.QueryRow(ctx, `SELECT show_habits FROM projects WHERE id = $1`, p.ID).Scan(&shown)
	return shown, err
}

// SetShowRaterEffects lets annotators of a project see their own habits, or no longer.
func (db *DB) SetShowRaterEffects(ctx context.Context, actorID account.ID, p project.Project, show bool) error {
	return db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE projects SET show_habits = $2 WHERE id = $1`, p.ID, show); err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.habits", projectSubject(p.Key), map[string]any{"shown": show})
	})
}

// A RaterEffectProject is one in which somebody may see their own habits.
type RaterEffectProject struct {
	ID                project.ID
	ProtocolVersionID protocol.VersionID
	Key               string
	Title             string
	Pseudonym         string // theirs
	ClosedBatches     int    // batches of theirs that are closed
}

// Project returns h as far as Reach needs it.
func (p RaterEffectProject) Project() project.Project {
	return project.Project{ID: p.ID, Key: p.Key, ProtocolVersionID: p.ProtocolVersionID}
}

// RaterEffectProjects returns the projects that let an annotator see their own habits.
func (db *DB) RaterEffectProjects(ctx context.Context, accountID account.ID) ([]RaterEffectProject, error) {
	return collectAll[RaterEffectProject](db.pool.Query(ctx, `
		SELECT p.id, p.protocol_version_id, p.key, p.title, m.pseudonym,
		       (SELECT count(*) FROM batches b
		        JOIN batch_annotators a ON a.batch_id = b.id AND a.account_id = m.account_id
		        WHERE b.project_id = p.id AND b.closed_at IS NOT NULL) AS closed
		FROM members m
		JOIN projects p ON p.id = m.project_id
		WHERE m.account_id = $1 AND m.role = 'annotator' AND p.show_habits
		ORDER BY p.id DESC`, accountID))
}

// BuildRaterEffects computes the report of a project's closed batches.
func (db *DB) BuildRaterEffects(ctx context.Context, p RaterEffectProject, options report.BuildOptions) (*SharedReport, error) {
	d, err := db.raterEffectData(ctx, p)
	return buildReport(d, err, options)
}

func (db *DB) raterEffectData(ctx context.Context, p RaterEffectProject) (report.Data, error) {
	row, err := collectOne[projectRow](db.pool.Query(ctx, selectProject+`WHERE p.id = $1`, p.ID))
	if err != nil {
		return report.Data{}, err
	}
	full, err := db.projectFromRow(ctx, row)
	if err != nil {
		return report.Data{}, err
	}
	return db.loadReportData(ctx, full, "", true)
}

// OwnResult returns what r reports about the annotator for whom p was read.
func (p RaterEffectProject) OwnResult(r *SharedReport) (report.Annotator, bool) {
	return r.full.Annotator(p.Pseudonym)
}
