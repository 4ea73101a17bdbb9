package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/web/page"
)

// showSetup shows the form for the first admin. Its link is printed when the
// program starts. Once an admin exists, the page is gone.
func (s *Server) showSetup(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkSetupToken(r); err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.Setup(page.SetupData{Path: r.URL.Path}))
}

func (s *Server) checkSetupToken(r *http.Request) error {
	return s.db.CheckSetupToken(r.Context(), pathParam(r, "token"))
}

func (s *Server) createFirstAdmin(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkSetupToken(r); err != nil {
		return err
	}
	d := page.SetupData{Path: r.URL.Path, Name: r.PostFormValue("name"), Email: r.PostFormValue("email")}
	newAccount := account.NewAccount{Name: d.Name, Email: d.Email, Role: account.Admin}
	password, owner := r.PostFormValue("password"), account.Owner{Name: d.Name, Email: d.Email}
	d.Errors = accountErrors(currentLocale(r), newAccount, account.Admin)
	if err := account.CheckPassword(password, owner); err != nil {
		d.Errors = append(d.Errors, toFormErrors(currentLocale(r), err, "password")...)
	}
	if d.Errors != nil {
		return render(w, r, http.StatusUnprocessableEntity, page.Setup(d))
	}
	hash, err := account.HashPassword(r.Context(), clientAddress(r), password, owner)
	if err != nil {
		return err
	}
	id, err := s.db.CreateFirstAdmin(r.Context(), pathParam(r, "token"), newAccount, hash)
	if err != nil {
		return err
	}
	return s.signInNewUser(w, r, id)
}
