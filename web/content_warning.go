package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// renderPendingWarning shows the content warning of a batch's project if the
// user has not acknowledged it today, and reports whether it did.
func (s *Server) renderPendingWarning(w http.ResponseWriter, r *http.Request, batchID project.BatchID) (isRendered bool, err error) {
	warning, err := s.db.ContentWarning(r.Context(), currentAccount(r).ID, batchID)
	if err != nil || warning.Text == "" {
		return false, err
	}
	return true, render(w, r, http.StatusOK, page.ContentWarning(page.ContentWarningData{User: currentUser(r), Batch: formatID(batchID),
		Project: page.Project{Title: warning.Title, SupportURL: warning.SupportURL}, Warning: warning.Text}))
}

// acknowledgeBatchWarning acknowledges the warning that a page without an item
// showed.
func (s *Server) acknowledgeBatchWarning(w http.ResponseWriter, r *http.Request) error {
	batchID := formID[project.BatchID](r, "batch")
	if err := s.db.AcknowledgeBatchWarning(r.Context(), currentAccount(r).ID, batchID); err != nil {
		return err
	}
	return redirectToItem(w, r, batchID, "")
}

// acknowledgeItemWarning acknowledges the warning that an item showed.
func (s *Server) acknowledgeItemWarning(w http.ResponseWriter, r *http.Request) error {
	if err := s.db.AcknowledgeWarning(r.Context(), currentAccount(r).ID, itemToken(r)); err != nil {
		return err
	}
	return redirectToItem(w, r, 0, itemToken(r))
}
