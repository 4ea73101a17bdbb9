package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

func (s *Server) showUsers(w http.ResponseWriter, r *http.Request) error {
	return s.renderUsers(w, r, http.StatusOK, page.UsersData{NewAccount: account.NewAccount{Role: account.Annotator}})
}

func (s *Server) renderUsers(w http.ResponseWriter, r *http.Request, status int, d page.UsersData) (err error) {
	d.User = currentUser(r)
	if d.Accounts, err = s.db.Accounts(r.Context()); err != nil {
		return err
	}
	return render(w, r, status, page.Users(d))
}

// addUser makes an account. Its invitation link is shown once, in the answer.
func (s *Server) addUser(w http.ResponseWriter, r *http.Request) error {
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	newAccount := account.NewAccount{Name: fields.Get("name"), Email: fields.Get("email"), Role: account.Role(fields.Get("role"))}
	id, err := s.db.CreateAccount(r.Context(), currentAccount(r).ID, newAccount, "")
	if status := formErrorStatus(err); status != 0 {
		return s.renderUsers(w, r, status, page.UsersData{NewAccount: newAccount, Errors: newUserErrors(newAccount, err)})
	}
	if err != nil {
		return err
	}
	link, err := s.invite(r, account.Account{ID: id, Name: strings.TrimSpace(newAccount.Name)})
	if err != nil {
		return err
	}
	return s.renderUsers(w, r, http.StatusOK, page.UsersData{NewAccount: account.NewAccount{Role: account.Annotator}, Link: link})
}

func newUserErrors(newAccount account.NewAccount, err error) page.FormErrors {
	formErrors := accountErrors(newAccount, account.Annotator)
	if !slices.Contains(account.Roles, newAccount.Role) {
		formErrors = append(formErrors, ui.FieldError{FieldID: "role", Message: "Please choose a role."})
	}
	if formErrors == nil {
		formErrors = toFormErrors(err, "email")
	}
	return formErrors
}

func (s *Server) showUser(w http.ResponseWriter, r *http.Request) error {
	a, err := s.db.Account(r.Context(), pathID[account.ID](r))
	if err != nil {
		return err
	}
	d := page.UserData{User: currentUser(r), Account: a, Role: a.Role, Disabled: a.Disabled}
	if queryParam(r, "after") == "change" {
		d.Notice = "Saved."
	}
	return render(w, r, http.StatusOK, page.UserPage(d))
}

func (s *Server) updateUser(w http.ResponseWriter, r *http.Request) error {
	a, err := s.db.Account(r.Context(), pathID[account.ID](r))
	if err != nil {
		return err
	}
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	d := page.UserData{User: currentUser(r), Account: a, Role: account.Role(fields.Get("role")), Disabled: fields.Get("disabled") == "1"}
	if !slices.Contains(account.Roles, d.Role) {
		d.Errors = page.FormErrors{{FieldID: "role", Message: "Please choose a role."}}
		return render(w, r, http.StatusUnprocessableEntity, page.UserPage(d))
	}
	err = s.db.UpdateAccount(r.Context(), currentAccount(r).ID, a.ID, d.Role, d.Disabled)
	if status := formErrorStatus(err); status != 0 {
		d.Errors = toFormErrors(err, "role")
		return render(w, r, status, page.UserPage(d))
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.UserPath(a.ID)+"?after=change")
}

// inviteUser makes a link with which somebody chooses a new password.
func (s *Server) inviteUser(w http.ResponseWriter, r *http.Request) error {
	a, err := s.db.Account(r.Context(), pathID[account.ID](r))
	if err != nil {
		return err
	}
	if a.Disabled {
		return fault.Conflict.Errorf("This account is disabled, so a link would not open it. Enable it first.")
	}
	link, err := s.invite(r, a)
	if err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.UserPage(page.UserData{User: currentUser(r), Account: a, Role: a.Role, Disabled: a.Disabled, Link: link}))
}

func (s *Server) showAuditLog(w http.ResponseWriter, r *http.Request) error {
	d := page.AuditLogData{User: currentUser(r), Actions: postgres.AuditActions, Action: queryParam(r, "action"), BeforeID: queryID[int64](r, "before_id")}
	if d.Action != "" && !slices.Contains(postgres.AuditActions, d.Action) {
		return fault.NotFound
	}
	entries, err := s.db.AuditLog(r.Context(), d.Action, d.BeforeID, rowsPerPage+1)
	if err != nil {
		return err
	}
	if len(entries) > rowsPerPage {
		entries = entries[:rowsPerPage]
		q := url.Values{"before_id": {strconv.FormatInt(entries[rowsPerPage-1].ID, 10)}}
		if d.Action != "" {
			q.Set("action", d.Action)
		}
		d.NextPath = "/admin/audit-log?" + q.Encode()
	}
	for _, e := range entries {
		d.Entries = append(d.Entries, page.AuditEntry{CreatedAt: e.CreatedAt, Actor: e.ActorName, Action: e.Action, Subject: newSubjectLink(e.Subject), Detail: formatDetail(e.Detail)})
	}
	return render(w, r, http.StatusOK, page.AuditLog(d))
}

// newSubjectLink leads from the subject of an audit line to its page.
func newSubjectLink(subject string) ui.Link {
	kind, name, _ := strings.Cut(subject, " ")
	link := ui.Link{Text: subject}
	switch kind {
	case "account":
		link.Path = "/admin/users/" + url.PathEscape(name)
	case "project":
		link.Path = page.ProjectPath(name)
	case "protocol":
		key, version, _ := strings.Cut(name, " v")
		version, _, _ = strings.Cut(version, ".")
		link.Path = "/protocols/" + url.PathEscape(key) + "/" + url.PathEscape(version)
	case "batch":
		key, batch, _ := strings.Cut(name, "/")
		link.Path = page.ProjectPath(key, "batches", batch)
	}
	return link
}

// formatDetail returns the details of an audit line, by name.
func formatDetail(detail map[string]any) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(detail)) {
		text, ok := detail[key].(string)
		if !ok {
			raw, err := json.Marshal(detail[key])
			if err != nil {
				continue
			}
			text = string(raw)
		}
		parts = append(parts, fmt.Sprintf("%s %s", key, text))
	}
	return strings.Join(parts, ", ")
}
