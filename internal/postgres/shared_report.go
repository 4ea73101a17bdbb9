package postgres

import (
	"context"
	"slices"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
)

// A SharedReport is a report that several accounts use, as a cache holds it. Methods of
// DB reveal the part that an account may see.
type SharedReport struct{ full report.Report }

// ShareReport returns r as a SharedReport.
func ShareReport(r report.Report) *SharedReport { return &SharedReport{r} }

// RowCount returns the number of disagreements and consensus results in r.
func (r *SharedReport) RowCount() int { return len(r.full.Disagreements) + len(r.full.Consensus) }

// BuildReport computes the report of a project, or of one of its batches.
func (db *DB) BuildReport(ctx context.Context, p project.Project, batch string, options report.BuildOptions) (*SharedReport, error) {
	d, err := db.loadReportData(ctx, p, batch, false)
	if err != nil {
		return nil, err
	}
	r, err := report.Build(d, options)
	return ShareReport(r), err
}

// VisibleReport returns r without the items whose answers the account must not see
// yet. It returns nil if r is nil.
func (db *DB) VisibleReport(ctx context.Context, actorID account.ID, p project.Project, r *SharedReport) (*report.Report, error) {
	blinded, err := blindedItems(ctx, db.pool, actorID, p.ID)
	if err != nil || r == nil {
		return nil, err
	}
	visible := r.full
	if len(blinded) > 0 {
		visible.Disagreements = slices.DeleteFunc(slices.Clone(visible.Disagreements), func(d report.FieldDisagreement) bool { return contains(blinded, d.ItemID) })
		visible.Consensus = slices.DeleteFunc(slices.Clone(visible.Consensus), func(c report.ConsensusResult) bool { return contains(blinded, c.ItemID) })
	}
	return &visible, nil
}

// AnnotatorReport returns r for the page of one annotator, nil if r is nil. It returns
// labeling.ErrBlinded to an account that must not see some answers yet.
func (db *DB) AnnotatorReport(ctx context.Context, actorID account.ID, p project.Project, pseudonym string, r *SharedReport) (*report.Report, error) {
	var isMember bool
	err := db.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM members WHERE project_id = $1 AND pseudonym = $2)`, p.ID, pseudonym).Scan(&isMember)
	if err != nil {
		return nil, err
	}
	if !isMember {
		return nil, fault.NotFound.Errorf("This project has no annotator “%s”.", pseudonym)
	}
	if err := requireUnblinded(ctx, db.pool, actorID, p.ID); err != nil || r == nil {
		return nil, err
	}
	return &r.full, nil
}
