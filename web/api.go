package web

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/web/api"
	"github.com/labelwright/labelwright/web/page"
)

// apiPath is where the API is. Its requests have a token instead of a session.
const apiPath = "/api/v1"

// mountAPI adds the API to the routes.
func (s *Server) mountAPI(mux chi.Router) {
	s.api = api.New(api.Config{DB: s.db, Log: s.log, Report: s.apiReport,
		SendExport: s.sendExport, InvitationLink: func(token string) string {
			return s.newInvitationLink("", token).Link
		}, RequestID: requestID, ClientIP: clientAddress,
		OnDenial: func(r *http.Request, reason string) { s.logDenial(r, denial(reason)) }})
	mux.With(s.requireKnownHost, middleware.Compress(5, "application/json", "application/problem+json")).Mount(apiPath,
		s.api)
}

// showAPI describes the API for readers, in English, as its descriptions are.
func (s *Server) showAPI(w http.ResponseWriter, r *http.Request) error {
	d := s.api.Reference()
	d.User = currentUser(r)
	return render(w, r.WithContext(locale.With(r.Context(), locale.English)), http.StatusOK, page.API(d))
}

// apiReport returns the report that the pages show, nil while a newer one is being computed.
func (s *Server) apiReport(ctx context.Context, actorID account.ID, p project.Project, choice postgres.ReportChoice) (
	*report.Report, error) {
	status, err := s.reportStatus(ctx, actorID, p, choice)
	if err != nil || !status.IsFinal() {
		return nil, err
	}
	return s.db.ReadReport(ctx, status)
}
