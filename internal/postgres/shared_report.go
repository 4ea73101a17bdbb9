package postgres

import (
	"context"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// A SharedReport is a report that several accounts use, as a cache holds it. Methods of
// DB reveal the part that an account may see.
type SharedReport struct {
	full report.Report
	view ReportView // that it was computed for
}

// ShareReport returns r as a SharedReport of all labels.
func ShareReport(r report.Report) *SharedReport { return &SharedReport{full: r} }

// BuildReport computes the report of a project, or of one of its batches, for the
// accounts with a view. No figure depends on an answer that the view hides.
func (db *DB) BuildReport(ctx context.Context, view ReportView, p project.Project, batch string, options report.BuildOptions) (*SharedReport, error) {
	r, _, err := db.BuildNextReport(ctx, view, p, batch, options, nil)
	return r, err
}

// BuildNextReport does the same with the source of an earlier report of the same view and batch, or
// nil, and returns its own. It reads only labels that were submitted since, and computes only the
// estimates that they change. The earlier source must not be used again.
func (db *DB) BuildNextReport(ctx context.Context, view ReportView, p project.Project, batch string, options report.BuildOptions, earlier *ReportSource) (*SharedReport, *ReportSource, error) {
	if err := db.requireBatch(ctx, p.ID, batch); err != nil {
		return nil, nil, err
	}
	options.HideSmallGroups = view.hideSmallGroups
	d, source := study.Data{Project: p.Key, Batch: batch, Protocol: p.Protocol, TieRule: p.TieRule}, &ReportSource{readAt: time.Now()}
	err := db.snapshot(ctx, p, func(s Snapshot) (err error) {
		if source.items, err = s.identifyReportItems(ctx); err != nil {
			return err
		}
		if earlier != nil && earlier.items != source.items {
			earlier = nil
		}
		return s.loadReportData(ctx, &d, reportFilter{batch: batch, hiddenItems: view.hiddenItems, earlier: earlier})
	})
	if err != nil {
		return nil, nil, err
	}
	source.labels = d.Source
	r, err := report.Build(d, options)
	return &SharedReport{r, view}, source, err
}

// VisibleReport returns r if the account may see all of it, else labeling.ErrBlinded. It
// returns nil if r is nil.
func (db *DB) VisibleReport(ctx context.Context, actorID account.ID, p project.Project, r *SharedReport) (*report.Report, error) {
	view, err := db.ReportView(ctx, actorID, p.ID)
	if err != nil || r == nil {
		return nil, err
	}
	if !r.view.covers(view) {
		return nil, labeling.ErrBlinded
	}
	return &r.full, nil
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
	if err := requireUnblinded(ctx, db.pool, actorID, p.ID); err != nil {
		return nil, err
	}
	return db.VisibleReport(ctx, actorID, p, r)
}
