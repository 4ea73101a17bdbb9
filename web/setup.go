package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/web/page"
)

// showSetup shows the form for the first admin. Its link is printed when the
// program starts. Once an admin exists, the page is gone.
func (s *Server) showSetup(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkSetupToken(r); err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.Setup(page.SetupData{Path: r.URL.Path, MinPasswordLength: account.MinPasswordLength}))
}

func (s *Server) checkSetupToken(r *http.Request) error {
	return s.db.CheckSetupToken(r.Context(), pathParam(r, "token"))
}

func (s *Server) createFirstAdmin(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkSetupToken(r); err != nil {
		return err
	}
	d := page.SetupData{Path: r.URL.Path, Name: r.PostFormValue("name"), Email: r.PostFormValue("email"), MinPasswordLength: account.MinPasswordLength}
	id, err := s.storeFirstAdmin(r, d)
	if fault.KindOf(err) == fault.Invalid {
		d.ErrorMessage = fault.Message(err)
		return render(w, r, http.StatusUnprocessableEntity, page.Setup(d))
	}
	if err != nil {
		return err
	}
	return s.signInNewUser(w, r, id)
}

func (s *Server) storeFirstAdmin(r *http.Request, d page.SetupData) (account.ID, error) {
	newAccount, err := account.NewAccount{Name: d.Name, Email: d.Email, Role: account.Admin}.Check()
	if err != nil {
		return 0, err
	}
	password := r.PostFormValue("password")
	if err := account.CheckPassword(password); err != nil {
		return 0, err
	}
	hash, err := account.HashPassword(r.Context(), password)
	if err != nil {
		return 0, err
	}
	return s.db.CreateFirstAdmin(r.Context(), pathParam(r, "token"), newAccount, hash)
}
