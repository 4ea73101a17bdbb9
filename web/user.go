package web

import (
	"net/http"
	"slices"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

const chooseRole = locale.Text("Choose a role.")

func (s *Server) showUsers(w http.ResponseWriter, r *http.Request) error {
	return s.renderUsers(w, r, http.StatusOK, page.UsersData{NewAccount: account.NewAccount{Role: account.Annotator}})
}

func (s *Server) renderUsers(w http.ResponseWriter, r *http.Request, status int, d page.UsersData) (err error) {
	d.User = currentUser(r)
	if d.Accounts, err = s.db.Accounts(r.Context(), currentAccount(r).ID); err != nil {
		return err
	}
	return render(w, r, status, page.Users(d))
}

// addUser creates an account. Its invitation link is shown once, in the
// response.
func (s *Server) addUser(w http.ResponseWriter, r *http.Request) error {
	fields := r.PostForm
	newAccount := account.NewAccount{Name: fields.Get("name"), Email: fields.Get("email"),
		Role: account.Role(fields.Get("role"))}
	id, err := s.db.CreateAccount(r.Context(), currentAccount(r).ID, newAccount, "")
	if status := formErrorStatus(err); status != 0 {
		return s.renderUsers(w, r, status, page.UsersData{NewAccount: newAccount,
			Errors: newUserErrors(currentLocale(r), newAccount, err)})
	}
	if err != nil {
		return err
	}
	var link page.InvitationLink
	if !s.config.OIDCOnly {
		link, err = s.invite(r, account.Account{ID: id, Name: plaintext.Trim(newAccount.Name)})
	}
	if err != nil {
		return err
	}
	return s.renderUsers(w, r, http.StatusOK, page.UsersData{NewAccount: account.NewAccount{Role: account.Annotator},
		Link: link})
}

func newUserErrors(l *locale.Locale, newAccount account.NewAccount, err error) page.FormErrors {
	formErrors := accountErrors(l, newAccount, account.Annotator)
	if !slices.Contains(account.Roles, newAccount.Role) {
		formErrors = append(formErrors, ui.FieldError{FieldID: "role", Message: l.Translate(chooseRole)})
	}
	if formErrors == nil {
		formErrors = toFormErrors(l, err, "email")
	}
	return formErrors
}

// accountErrors checks the name and the email address of a new account, each
// by itself, for an account with the given role.
func accountErrors(l *locale.Locale, a account.NewAccount, role account.Role) (formErrors page.FormErrors) {
	if _, err := (account.NewAccount{Name: "x", Email: a.Email, Role: role}).Check(); err != nil {
		formErrors = append(formErrors, toFormErrors(l, err, "email")...)
	}
	if _, err := (account.NewAccount{Name: a.Name, Email: "x@example.org", Role: role}).Check(); err != nil {
		formErrors = append(formErrors, toFormErrors(l, err, "name")...)
	}
	return formErrors
}

// loadUser returns the account of the path as its page shows it.
func (s *Server) loadUser(r *http.Request) (page.UserData, error) {
	a, err := s.db.Account(r.Context(), pathID[account.ID](r))
	if err != nil {
		return page.UserData{}, err
	}
	tokens, err := s.db.APITokens(r.Context(), currentAccount(r).ID, a.ID)
	return page.UserData{User: currentUser(r), Account: a, Role: a.Role, Disabled: a.Disabled, Email: a.Email,
		Tokens: tokens, HasLink: !s.config.OIDCOnly}, err
}

func (s *Server) showUser(w http.ResponseWriter, r *http.Request) error {
	d, err := s.loadUser(r)
	if err != nil {
		return err
	}
	if queryParam(r, "after") == "change" {
		d.Notice = locale.From(r.Context()).T("Changes saved.")
	}
	return render(w, r, http.StatusOK, page.UserPage(d))
}

func (s *Server) updateUser(w http.ResponseWriter, r *http.Request) error {
	d, err := s.loadUser(r)
	if err != nil {
		return err
	}
	fields := r.PostForm
	d.Role, d.Disabled = account.Role(fields.Get("role")), fields.Get("disabled") == "1"
	change := account.UserChange{Role: &d.Role, Disabled: &d.Disabled}
	if fields.Has("email") {
		d.Email = fields.Get("email")
		change.Email = &d.Email
	}
	if !slices.Contains(account.Roles, d.Role) {
		d.Errors = page.FormErrors{{FieldID: "role", Message: currentLocale(r).Translate(chooseRole)}}
		return render(w, r, http.StatusUnprocessableEntity, page.UserPage(d))
	}
	err = s.db.ChangeAccount(r.Context(), currentAccount(r).ID, d.Account.ID, change)
	if status := formErrorStatus(err); status != 0 {
		d.Errors = toFormErrors(currentLocale(r), err, "role")
		return render(w, r, status, page.UserPage(d))
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.UserPath(d.Account.ID)+"?after=change")
}

// inviteUser creates a link with which the user sets a new password.
func (s *Server) inviteUser(w http.ResponseWriter, r *http.Request) error {
	d, err := s.loadUser(r)
	if err != nil {
		return err
	}
	if d.Link, err = s.invite(r, d.Account); err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.UserPage(d))
}
