package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// showRevision shows what the latest revision of the protocol changes for a batch.
func (s *Server) showRevision(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error {
	if !b.HasNewRevision() {
		return redirect(w, r, page.BatchPath(p, b))
	}
	changes, err := s.db.RevisionChanges(r.Context(), b)
	if err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.Revision(page.RevisionData{User: currentUser(r), Project: p, Batch: b,
		Changes: changes}))
}

// useRevision has a batch use the revision that the lead was shown.
func (s *Server) useRevision(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error {
	fields := r.PostForm
	revision, err := readWholeNumber(fields, "revision", locale.Text("Revision"))
	if err != nil {
		return err
	}
	if err := s.db.UseRevision(r.Context(), *currentAccount(r), p, b.Name, revision); err != nil {
		return err
	}
	return redirect(w, r, page.BatchPath(p, b)+"?after=revision")
}
