package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
)

// blindedItems returns the items of a project whose answers an account must not see.
func blindedItems(ctx context.Context, q querier, actorID account.ID, projectID project.ID) ([]project.ItemID, error) {
	rows, err := q.Query(ctx, `SELECT item_id FROM blinded_items WHERE account_id = $1 AND project_id = $2 ORDER BY item_id`, actorID, projectID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[project.ItemID])
}

// requireUnblinded returns labeling.ErrBlinded if an account must not see the
// answers to some item of a project; 0 as itemID stands for every item.
func requireUnblinded(ctx context.Context, q querier, actorID account.ID, projectID project.ID, itemID project.ItemID) error {
	var isBlinded bool
	err := q.QueryRow(ctx, `
		SELECT EXISTS (
			SELECT FROM blinded_items
			WHERE account_id = $1 AND project_id = $2 AND ($3 = 0 OR item_id = $3))`, actorID, projectID, itemID).Scan(&isBlinded)
	if err == nil && isBlinded {
		return labeling.ErrBlinded
	}
	return err
}

// A SharedReport is a report that accounts share, as a cache holds it. Only DB
// methods reveal it, each as much as the reader may see.
type SharedReport struct{ full report.Report }

// ShareReport returns r as a SharedReport.
func ShareReport(r report.Report) *SharedReport { return &SharedReport{r} }

// RowCount returns how many disagreements and consensus results r holds.
func (r *SharedReport) RowCount() int { return len(r.full.Disagreements) + len(r.full.Consensus) }

// BuildReport computes the report of a project, or of one of its batches.
func (db *DB) BuildReport(ctx context.Context, p project.Project, batch string, options report.BuildOptions) (*SharedReport, error) {
	d, err := db.loadReportData(ctx, p, batch, false)
	return buildReport(d, err, options)
}

func buildReport(d report.Data, err error, options report.BuildOptions) (*SharedReport, error) {
	if err != nil {
		return nil, err
	}
	r, err := report.Build(d, options)
	return ShareReport(r), err
}

// VisibleReport returns r without the items whose answers the account must not see;
// nil if r is nil.
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

func contains(sorted []project.ItemID, id project.ItemID) bool {
	_, found := slices.BinarySearch(sorted, id)
	return found
}

// AnnotatorReport returns r for the page of one annotator, nil if r is nil. It returns
// labeling.ErrBlinded to an account that must stay blind.
func (db *DB) AnnotatorReport(ctx context.Context, actorID account.ID, p project.Project, pseudonym string, r *SharedReport) (*report.Report, error) {
	var isMember bool
	err := db.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM members WHERE project_id = $1 AND pseudonym = $2)`, p.ID, pseudonym).Scan(&isMember)
	if err != nil {
		return nil, err
	}
	if !isMember {
		return nil, fault.NotFound.Errorf("This project has no annotator “%s”.", pseudonym)
	}
	if err := requireUnblinded(ctx, db.pool, actorID, p.ID, 0); err != nil || r == nil {
		return nil, err
	}
	return &r.full, nil
}
