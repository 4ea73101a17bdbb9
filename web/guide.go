package web

import (
	"net/http"
	"net/url"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

func guidePath(projectKey string, batchID project.BatchID) string {
	return "/work/guide?project=" + url.QueryEscape(projectKey) + "&batch=" + formatID(batchID)
}

func (s *Server) showGuide(w http.ResponseWriter, r *http.Request) error {
	batchID := queryID[project.BatchID](r, "batch")
	p, err := s.db.Guide(r.Context(), *currentAccount(r), queryParam(r, "project"), batchID)
	if err != nil {
		return err
	}
	d := page.GuideData{Protocol: p.Protocol.In(currentLocale(r).Tag()), User: currentUser(r),
		Project: page.Project{Title: p.Title, SupportURL: p.SupportURL, Instructions: p.Instructions}}
	if batchID != 0 {
		session, err := s.db.SessionFacts(r.Context(), batchID)
		if err != nil {
			return err
		}
		d.Project.Session = &session
	}
	return render(w, r, http.StatusOK, page.Guide(d))
}
