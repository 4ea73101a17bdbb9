package web

import (
	"crypto/subtle"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/web/page"
)

// firstPage lets the person who started the program make the first account,
// with the link it printed. Once there is an admin, it is gone.
func (s *Server) firstPage(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkFirst(r); err != nil {
		return err
	}
	return show(w, r, http.StatusOK, page.First(page.FirstData{Path: r.URL.Path, Least: account.LeastPassword}))
}

func (s *Server) checkFirst(r *http.Request) error {
	given, want := []byte(chi.URLParam(r, "token")), []byte(s.config.FirstToken)
	if len(want) == 0 || subtle.ConstantTimeCompare(given, want) != 1 {
		return fault.NotFound
	}
	none, err := s.db.NoAdmin(r.Context())
	if err == nil && !none {
		return fault.NotFound
	}
	return err
}

func (s *Server) makeFirst(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkFirst(r); err != nil {
		return err
	}
	d := page.FirstData{Path: r.URL.Path, Name: r.PostFormValue("name"), Email: r.PostFormValue("email"), Least: account.LeastPassword}
	id, err := s.addFirst(r, d)
	if fault.KindOf(err) == fault.Invalid {
		d.Problem = fault.Message(err)
		return show(w, r, http.StatusUnprocessableEntity, page.First(d))
	}
	if err != nil {
		return err
	}
	a, err := s.db.Account(r.Context(), id)
	if err != nil {
		return err
	}
	if err := s.enter(w, r, a); err != nil {
		return err
	}
	return seeOther(w, r, "/")
}

func (s *Server) addFirst(r *http.Request, d page.FirstData) (int64, error) {
	person, err := account.Person{Name: d.Name, Email: d.Email, Role: account.Admin}.Check()
	if err != nil {
		return 0, err
	}
	password := r.PostFormValue("password")
	if err := account.CheckPassword(password); err != nil {
		return 0, err
	}
	hash, err := account.Hash(r.Context(), password)
	if err != nil {
		return 0, err
	}
	return s.db.AddFirstAdmin(r.Context(), person, hash)
}
