package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/web/page"
)

func newAccountData(r *http.Request) page.AccountData {
	return page.AccountData{User: currentUser(r), Email: currentAccount(r).Email, MinPasswordLength: account.MinPasswordLength}
}

func (s *Server) showAccount(w http.ResponseWriter, r *http.Request) error {
	d := newAccountData(r)
	d.PasswordChanged = queryParam(r, "after") == "password"
	return render(w, r, http.StatusOK, page.Account(d))
}

// changePassword requires the current password, and ends every other session of
// the account.
func (s *Server) changePassword(w http.ResponseWriter, r *http.Request) error {
	err := s.setPassword(w, r, *currentAccount(r))
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Unavailable:
		d := newAccountData(r)
		d.ErrorMessage = fault.Message(err)
		return render(w, r, http.StatusUnprocessableEntity, page.Account(d))
	}
	if err != nil {
		return err
	}
	return redirect(w, r, "/account?after=password")
}

func (s *Server) setPassword(w http.ResponseWriter, r *http.Request, a account.Account) error {
	err := s.db.ConfirmPassword(r.Context(), a, r.PostFormValue("current_password"), s.browserToken(r))
	switch {
	case fault.KindOf(err) == fault.SignedOut:
		return fault.Invalid.Errorf("The current password is incorrect.")
	case err != nil:
		return err
	}
	password := r.PostFormValue("password")
	if err := account.CheckPassword(password); err != nil {
		return err
	}
	hash, err := account.HashPassword(r.Context(), password)
	if err != nil {
		return err
	}
	if err := s.db.SetPassword(r.Context(), a.ID, a.ID, hash); err != nil {
		return err
	}
	if a, err = s.db.Account(r.Context(), a.ID); err != nil {
		return err
	}
	return s.startSession(w, r, a)
}
