package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/web/page"
)

// showRetention shows what is deleted after which period.
func (s *Server) showRetention(w http.ResponseWriter, r *http.Request) error {
	classes, err := s.db.Retention(r.Context(), currentAccount(r).ID)
	if err != nil {
		return err
	}
	d := page.RetentionData{User: currentUser(r)}
	for _, c := range classes {
		d.Deleted = append(d.Deleted, page.DeletedData(c))
	}
	for _, k := range postgres.KeptClasses {
		d.Kept = append(d.Kept, page.KeptData(k))
	}
	return render(w, r, http.StatusOK, page.Retention(d))
}
