package web

import (
	"context"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/judging"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/web/api"
	"github.com/labelwright/labelwright/web/page"
)

// apiPath is where the API is. Its requests have a token instead of a session.
const apiPath = "/api/v1"

// mountAPI adds the API to the routes.
func (s *Server) mountAPI(mux chi.Router) {
	s.api = api.New(api.Config{DB: s.db, Log: s.log, Report: s.apiReport, StartExport: s.apiExport, SendExport: s.sendExport, InvitationLink: func(token string) string { return s.newInvitationLink("", token).Link }, RequestID: requestID, ClientIP: clientAddress,
		OnDenial: func(r *http.Request, reason string) { s.logDenial(r, denial(reason)) }})
	mux.With(s.requireKnownHost, middleware.Compress(5, "application/json", "application/problem+json")).Mount(apiPath, s.api)
}

// showAPI describes the API for readers.
func (s *Server) showAPI(w http.ResponseWriter, r *http.Request) error {
	d := s.api.Reference()
	d.User = currentUser(r)
	return render(w, r, http.StatusOK, page.API(d))
}

// apiReport returns the report that the pages show, with all its rows.
func (s *Server) apiReport(ctx context.Context, actorID account.ID, p project.Project, choice api.ReportChoice) (*report.Report, error) {
	if choice.Batch != "" {
		if _, err := s.db.Batch(ctx, p.ID, choice.Batch); err != nil {
			return nil, err
		}
	}
	version, err := s.db.DataVersion(ctx, p)
	if err != nil {
		return nil, err
	}
	view, err := s.db.ReportView(ctx, actorID, p.ID)
	if err != nil {
		return nil, err
	}
	status, err := s.fullReport(ctx, view, version, p, choice)
	if err != nil || status.isStale || status.report == nil {
		return nil, err
	}
	return s.db.VisibleReport(ctx, actorID, p, status.report)
}

// apiExport starts an export and does not wait for it.
func (s *Server) apiExport(ctx context.Context, actorID account.ID, p project.Project, x postgres.ExportOptions) (postgres.ExportID, error) {
	id, _, err := s.startExport(ctx, actorID, p, x)
	return id, err
}

func newReportKey(p project.Project, choice api.ReportChoice, view postgres.ReportView) reportKey {
	return reportKey{projectID: p.ID, batch: choice.Batch, groupBy: choice.Column, epsilon: choice.Epsilon, view: view.Key()}
}

// sharedReport returns the report of a view from the cache or the database, or computes it. That
// of a large project has no rows in its long lists.
func (s *Server) sharedReport(ctx context.Context, view postgres.ReportView, version postgres.DataVersion, p project.Project, choice api.ReportChoice) (reportStatus, error) {
	if version.ItemCount < minLargeItems {
		return s.fullReport(ctx, view, version, p, choice)
	}
	key, stored := newReportKey(p, choice, view), postgres.ReportKey{ProjectID: p.ID, Batch: choice.Batch, GroupColumn: choice.Column, View: view}
	if choice.Epsilon != judging.DefaultEpsilon { // asked for rarely, so not stored
		if err := s.confirmReport(ctx, key, version, p); err != nil {
			return reportStatus{}, err
		}
		build := s.buildNextReport(view, p, choice)
		return s.reports.get(ctx, key, version, reportTimeout, build)
	}
	if err := s.reports.preload(key, func() (*postgres.StoredReport, error) { return s.db.StoredReport(ctx, stored) }); err != nil {
		return reportStatus{}, err
	}
	if err := s.confirmReport(ctx, key, version, p); err != nil {
		return reportStatus{}, err
	}
	build := s.buildNextReport(view, p, choice)
	return s.reports.get(ctx, key, version, reportTimeout, func(ctx context.Context, setProgress func(study.BuildProgress)) (*postgres.SharedReport, error) {
		return s.db.ComputeStored(ctx, stored, version, func() (*postgres.SharedReport, error) { return build(ctx, setProgress) })
	})
}

// fullReport returns the report of a view with all its rows from the cache, or computes it.
func (s *Server) fullReport(ctx context.Context, view postgres.ReportView, version postgres.DataVersion, p project.Project, choice api.ReportChoice) (reportStatus, error) {
	key := newReportKey(p, choice, view)
	key.hasRows = true
	if err := s.confirmReport(ctx, key, version, p); err != nil {
		return reportStatus{}, err
	}
	build := s.buildReport(view, p, choice)
	if version.ItemCount >= minLargeItems {
		build = s.buildNextReport(view, p, choice)
	}
	return s.reports.get(ctx, key, version, reportTimeout, build)
}

// confirmReport keeps the last report of a batch, or of the closed batches, while only other batches
// get labels.
func (s *Server) confirmReport(ctx context.Context, key reportKey, version postgres.DataVersion, p project.Project) error {
	scope := key.labelScope()
	if scope.IsProject() {
		return nil
	}
	return s.reports.confirm(key, version, func(earlier postgres.DataVersion, readAt time.Time) (bool, error) {
		if version.DiffersBeyond(earlier, scope) {
			return true, nil
		}
		return s.db.HasLabelsSince(ctx, p, scope, earlier, readAt)
	})
}

// buildNextReport computes a large report from the labels of the last one and later ones.
func (s *Server) buildNextReport(view postgres.ReportView, p project.Project, choice api.ReportChoice) computeFunc {
	key := sourceKey{p.ID, choice.Batch, view.Key()}
	return func(ctx context.Context, setProgress func(study.BuildProgress)) (*postgres.SharedReport, error) {
		options := report.BuildOptions{Seed: reportSeed, Column: choice.Column, Epsilon: &choice.Epsilon, OnProgress: setProgress}
		r, source, err := s.db.BuildNextReport(ctx, view, p, choice.Batch, options, s.reports.sources.take(key))
		if err == nil {
			s.reports.sources.keep(key, source)
		}
		return r, err
	}
}

func (s *Server) buildReport(view postgres.ReportView, p project.Project, choice api.ReportChoice) computeFunc {
	return func(ctx context.Context, setProgress func(study.BuildProgress)) (*postgres.SharedReport, error) {
		return s.db.BuildReport(ctx, view, p, choice.Batch, report.BuildOptions{Seed: reportSeed, Column: choice.Column, Epsilon: &choice.Epsilon, OnProgress: setProgress})
	}
}
