package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

func (s *Server) showWithheld(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error {
	return s.renderWithheld(w, r, http.StatusOK, page.WithheldData{Project: p, Batch: b})
}

func (s *Server) renderWithheld(w http.ResponseWriter, r *http.Request, status int, d page.WithheldData) error {
	d.User = currentUser(r)
	annotators, err := s.db.WithheldItems(r.Context(), d.Batch.ID)
	if err != nil {
		return err
	}
	for _, a := range annotators {
		d.Annotators = append(d.Annotators, page.WithheldRow(a))
	}
	return render(w, r, status, page.Withheld(d))
}

// allowSeen lets annotators label items although they have seen answers to them, for the reason of the form.
func (s *Server) allowSeen(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error {
	change := project.BatchChange{AllowSeen: r.PostForm["allow_seen"], Reason: r.PostForm.Get("reason")}
	_, err := s.db.ChangeBatch(r.Context(), currentAccount(r).ID, p, b.Name, change)
	if status := formErrorStatus(err); status != 0 {
		return s.renderWithheld(w, r, status, page.WithheldData{Project: p, Batch: b, Chosen: change.AllowSeen,
			Reason: change.Reason, Errors: toFormErrors(currentLocale(r), err, "allow_seen")})
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.BatchPath(p, b, "withheld"))
}
