package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// showRound shows what a round moved. The page of a batch that is no round is not found.
func (s *Server) showRound(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error {
	if !b.IsRound() {
		return fault.NotFound
	}
	comparison, err := s.db.CompareRound(r.Context(), currentAccount(r).ID, p, b)
	if err != nil {
		return err
	}
	members, err := s.db.Members(r.Context(), p.ID)
	if err != nil {
		return err
	}
	names := map[string]string{}
	for _, m := range members {
		names[m.Pseudonym] = m.Name
	}
	return render(w, r, http.StatusOK, page.Round(page.RoundData{User: currentUser(r), Project: p, Batch: b,
		Comparison: comparison, Names: names}))
}
