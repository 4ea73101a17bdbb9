package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// maxDirectRows is the number of items and labels up to which a batch is opened while the
// browser waits. It takes a second or two.
const maxDirectRows = 50_000

const openAgain = locale.Text("Open the batch again.")

// startOpening opens a large batch in the background, and goes to the page with its progress.
func (s *Server) startOpening(w http.ResponseWriter, r *http.Request, p project.Project, spec project.BatchSpec) error {
	id, err := s.db.StartBatchOpening(r.Context(), currentAccount(r).ID, p, spec, currentLocale(r).Tag())
	if err != nil {
		return err
	}
	return redirect(w, r, page.OpeningPath(p.Key, formatID(id)))
}

// showOpening shows how far the opening of a batch is, and goes to its board when it is done.
func (s *Server) showOpening(w http.ResponseWriter, r *http.Request, p project.Project) error {
	id := parseID[postgres.OpeningID](pathParam(r, "id"))
	opening, err := s.db.BatchOpening(r.Context(), currentAccount(r).ID, p, id)
	if err != nil {
		return err
	}
	if opening.IsLost {
		opening.Problem = stoppedReason(currentLocale(r), openAgain)
	}
	switch {
	case opening.Problem == "" && opening.IsFinished:
		s.sessions.Remove(r.Context(), sessionBatchForm)
		return redirect(w, r, page.ProjectPath(p.Key, "batches", opening.BatchName)+"?after=open")
	case opening.Problem == "":
		w.Header().Set("Refresh", "2")
	}
	return render(w, r, http.StatusOK, page.Opening(page.OpeningData{User: currentUser(r), Project: p,
		Path:      page.OpeningPath(p.Key, formatID(id)),
		BatchName: opening.BatchName, Done: opening.DoneCount, Total: opening.TotalCount, Problem: opening.Problem}))
}
