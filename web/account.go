package web

import (
	"net/http"
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/problem"
)

func (s *Server) showAccount(w http.ResponseWriter, r *http.Request) error {
	d := page.AccountData{}
	switch queryParam(r, "after") {
	case "password":
		d.Notice = currentLocale(r).T("Your password is changed. You are signed out in all other browsers, and your API tokens are revoked.")
	case "name":
		d.Notice = currentLocale(r).T("Your name is changed.")
	case "address-link":
		d.Notice = currentLocale(r).T("A mail with a link is on its way to the new address, unless another account has it. Open the link in this browser within 72 hours.")
	case "address":
		d.Notice = currentLocale(r).T("Your email address is changed. The old address got a mail about it.")
	case "passkey":
		d.Notice = currentLocale(r).T("The passkey is added. You can sign in with it.")
	case "passkey-removed":
		d.Notice = currentLocale(r).T("The passkey is removed. Delete it on your device, too.")
	case "second-factor":
		d.Notice = currentLocale(r).T("Your second factor is removed.")
	case "sign-out":
		d.Notice = currentLocale(r).T("The browser is signed out.")
	case "settings":
		d.Notice = currentLocale(r).T("Your settings are saved.")
	case "mail":
		d.Notice = currentLocale(r).T("Your mail setting is saved.")
	}
	return s.renderAccount(w, r, http.StatusOK, d)
}

func (s *Server) renderAccount(w http.ResponseWriter, r *http.Request, status int, d page.AccountData) (err error) {
	a := currentAccount(r)
	d.User, d.Email, d.CurrentSignIn = currentUser(r), a.Email, currentSignIn(r)
	d.HasPassword, d.HasAuthenticator = !s.config.OIDCOnly && a.HasPassword, a.HasAuthenticator
	if d.Passkeys, err = s.passkeysOf(r); err != nil {
		return err
	}
	if d.NameErrors == nil {
		d.Name = a.Name
	}
	if d.SettingsErrors == nil {
		d.Settings = currentSettings(r)
	}
	if d.SignIns, err = s.db.SignIns(r.Context(), a.ID); err != nil {
		return err
	}
	tokens, err := s.db.APITokens(r.Context(), a.ID, a.ID)
	if err != nil {
		return err
	}
	d.Tokens = slices.DeleteFunc(tokens, func(t account.APIToken) bool { return !t.IsActive(time.Now()) })
	if d.HasMail, d.ReceivesMail, err = s.db.MailSettings(r.Context(), a.ID); err != nil {
		return err
	}
	return render(w, r, status, page.Account(d))
}

func (s *Server) changeName(w http.ResponseWriter, r *http.Request) error {
	name := r.PostFormValue("name")
	err := s.db.RenameAccount(r.Context(), currentAccount(r).ID, name)
	if status := formErrorStatus(err); status != 0 {
		return s.renderAccount(w, r, status, page.AccountData{Name: name,
			NameErrors: []string{currentLocale(r).Message(err)}})
	}
	if err != nil {
		return err
	}
	return redirect(w, r, "/account?after=name")
}

// sendAddressLink mails a link to the new address of the form.
func (s *Server) sendAddressLink(w http.ResponseWriter, r *http.Request) error {
	email := r.PostFormValue("new_email")
	err := s.db.SendAddressLink(r.Context(), currentAccount(r).ID, email)
	if fault.KindOf(err) == fault.Limited || formErrorStatus(err) != 0 {
		return s.renderAccount(w, r, problem.Status(fault.KindOf(err)), page.AccountData{NewEmail: email,
			NewEmailErrors: []string{currentLocale(r).Message(err)}})
	}
	if err != nil {
		return err
	}
	return redirect(w, r, "/account?after=address-link")
}

func (s *Server) showNewAddress(w http.ResponseWriter, r *http.Request) error {
	email, err := s.db.NewAddress(r.Context(), currentAccount(r).ID, pathParam(r, "token"))
	if err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.NewAddress(currentUser(r), r.URL.Path, email))
}

// takeAddress gives the user the address of a link. Opening it is not enough: programs open links in mails, too.
func (s *Server) takeAddress(w http.ResponseWriter, r *http.Request) error {
	if err := s.db.TakeAddress(r.Context(), currentAccount(r).ID, pathParam(r, "token")); err != nil {
		return err
	}
	return redirect(w, r, "/account?after=address")
}

// saveMailSetting turns mails to the account on or off.
func (s *Server) saveMailSetting(w http.ResponseWriter, r *http.Request) error {
	if err := s.db.SetReceivesMail(r.Context(), currentAccount(r).ID,
		r.PostFormValue("receives_mail") == "1"); err != nil {
		return err
	}
	return redirect(w, r, "/account?after=mail")
}

// changePassword requires the current password, and signs out every other browser
// of the account.
func (s *Server) changePassword(w http.ResponseWriter, r *http.Request) error {
	a := *currentAccount(r)
	var d page.AccountData
	err := s.confirmPassword(r)
	if isPasswordProblem(err) {
		d.CurrentPasswordErrors = []string{currentLocale(r).Message(err)}
		return s.renderAccount(w, r, problem.Status(fault.KindOf(err)), d)
	}
	if err != nil {
		return err
	}
	hash, err := account.HashPassword(r.Context(), clientAddress(r), r.PostFormValue("password"), a.Owner())
	if isPasswordProblem(err) {
		d.PasswordErrors = []string{currentLocale(r).Message(err)}
		return s.renderAccount(w, r, problem.Status(fault.KindOf(err)), d)
	}
	if err != nil {
		return err
	}
	if err := s.db.SetPassword(r.Context(), a.ID, a.ID, hash); err != nil {
		return err
	}
	if err := s.startSession(w, r, a); err != nil {
		return err
	}
	return redirect(w, r, "/account?after=password")
}

// isPasswordProblem reports whether the form with a password is shown again with err.
func isPasswordProblem(err error) bool {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Limited, fault.Unavailable:
		return true
	}
	return false
}

// endSignIn signs out one browser of the account.
func (s *Server) endSignIn(w http.ResponseWriter, r *http.Request) error {
	id := pathID[account.SignInID](r)
	if err := s.db.EndSignIn(r.Context(), currentAccount(r).ID, id); err != nil {
		return err
	}
	if id == currentSignIn(r) {
		return s.leave(w, r)
	}
	return redirect(w, r, "/account?after=sign-out")
}

// endSignIns signs out every browser of the account, also this one.
func (s *Server) endSignIns(w http.ResponseWriter, r *http.Request) error {
	if err := s.db.EndSignIns(r.Context(), currentAccount(r).ID); err != nil {
		return err
	}
	return s.leave(w, r)
}
