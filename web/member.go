package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

func (s *Server) listMembers(ctx context.Context, projectID project.ID) (lines []page.MemberRow, err error) {
	members, err := s.db.Members(ctx, projectID)
	for _, m := range members {
		lines = append(lines, page.MemberRow(m))
	}
	return lines, err
}

func (s *Server) showMembers(w http.ResponseWriter, r *http.Request) error {
	p, err := s.projectFromPath(r)
	if err != nil {
		return err
	}
	return s.renderMembers(w, r, http.StatusOK, page.MembersData{Project: p})
}

func (s *Server) renderMembers(w http.ResponseWriter, r *http.Request, status int, d page.MembersData) (err error) {
	d.User = currentUser(r)
	if d.Members, err = s.listMembers(r.Context(), d.Project.ID); err != nil {
		return err
	}
	return render(w, r, status, page.Members(d))
}

// addMember brings somebody into a project, or gives a new link to somebody
// who has not come yet. A link is shown once, in the answer.
func (s *Server) addMember(w http.ResponseWriter, r *http.Request) error {
	p, err := s.projectFromPath(r)
	if err != nil {
		return err
	}
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	if fields.Has("invite_account_id") {
		return s.inviteMember(w, r, p, fields)
	}
	newAccount := account.NewAccount{Email: fields.Get("email"), Name: fields.Get("name"), Role: account.Role(fields.Get("role"))}
	a, isNew, err := s.db.AddMember(r.Context(), currentAccount(r).ID, p, newAccount)
	if status := formErrorStatus(err); status != 0 {
		return s.renderMembers(w, r, status, page.MembersData{Project: p, Email: newAccount.Email, Name: newAccount.Name, Role: newAccount.Role, Errors: memberErrors(newAccount, err)})
	}
	if err != nil {
		return err
	}
	data := page.MembersData{Project: p, Notice: memberAddedNotice(a, newAccount.Role)}
	if isNew {
		data.Link, err = s.invite(r, a)
	}
	if err != nil {
		return err
	}
	return s.renderMembers(w, r, http.StatusOK, data)
}

// invite makes the link with which somebody chooses a password.
func (s *Server) invite(r *http.Request, a account.Account) (page.InvitationLink, error) {
	token, err := s.db.Invite(r.Context(), currentAccount(r).ID, a.ID)
	return s.newInvitationLink(a.Name, token), err
}

// memberErrors says what kept somebody from being added: where it is their
// fields, everything about those. Who is known here needs no name.
func memberErrors(p account.NewAccount, err error) page.FormErrors {
	formErrors := accountErrors(p, account.Annotator)
	if slices.ContainsFunc(formErrors, func(c ui.FieldError) bool { return c.Message == fault.Message(err) }) {
		return formErrors
	}
	return toFormErrors(err, "email")
}

func memberAddedNotice(a account.Account, role account.Role) string {
	if role == account.Lead {
		return a.Name + " leads this project now."
	}
	return a.Name + " can be chosen for batches of this project now."
}

// accountErrors returns what is wrong with a new person's fields, each judged by
// itself; the role is taken to be the one given.
func accountErrors(p account.NewAccount, role account.Role) (formErrors page.FormErrors) {
	if _, err := (account.NewAccount{Name: "x", Email: p.Email, Role: role}).Check(); err != nil {
		formErrors = append(formErrors, toFormErrors(err, "email")...)
	}
	if _, err := (account.NewAccount{Name: p.Name, Email: "x@example.org", Role: role}).Check(); err != nil {
		formErrors = append(formErrors, toFormErrors(err, "name")...)
	}
	return formErrors
}

func (s *Server) inviteMember(w http.ResponseWriter, r *http.Request, p project.Project, fields url.Values) error {
	id, err := strconv.ParseInt(fields.Get("invite_account_id"), 10, 64)
	if err != nil {
		return fault.NotFound
	}
	a, token, err := s.db.InviteMember(r.Context(), currentAccount(r).ID, p, account.ID(id))
	if err != nil {
		return err
	}
	return s.renderMembers(w, r, http.StatusOK, page.MembersData{Project: p, Link: s.newInvitationLink(a.Name, token)})
}
