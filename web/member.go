package web

import (
	"context"
	"net/http"
	"slices"

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

func (s *Server) showMembers(w http.ResponseWriter, r *http.Request, p project.Project) error {
	return s.renderMembers(w, r, http.StatusOK, page.MembersData{Project: p})
}

func (s *Server) renderMembers(w http.ResponseWriter, r *http.Request, status int, d page.MembersData) (err error) {
	d.User = currentUser(r)
	if d.Members, err = s.listMembers(r.Context(), d.Project.ID); err != nil {
		return err
	}
	return render(w, r, status, page.Members(d))
}

// addMember adds a member to a project, or creates a new link for one who has
// not signed in yet. The link is shown once, in the response.
func (s *Server) addMember(w http.ResponseWriter, r *http.Request, p project.Project) error {
	fields := r.PostForm
	if fields.Has("invite_account_id") {
		return s.inviteMember(w, r, p)
	}
	newAccount := account.NewAccount{Email: fields.Get("email"), Name: fields.Get("name"), Role: account.Role(fields.Get("role"))}
	a, isNew, err := s.db.AddMember(r.Context(), currentAccount(r).ID, p, newAccount)
	if status := formErrorStatus(err); status != 0 {
		return s.renderMembers(w, r, status, page.MembersData{Project: p, Email: newAccount.Email, Name: newAccount.Name, Role: newAccount.Role, Errors: memberErrors(newAccount, err)})
	}
	if err != nil {
		return err
	}
	d := page.MembersData{Project: p, Notice: memberAddedNotice(a, newAccount.Role)}
	if isNew {
		d.Link, err = s.invite(r, a)
	}
	if err != nil {
		return err
	}
	return s.renderMembers(w, r, http.StatusOK, d)
}

// memberErrors returns why a member was not added. If a field of the new account
// is the cause, it returns the errors of all its fields. A member who already
// has an account needs no name.
func memberErrors(newAccount account.NewAccount, err error) page.FormErrors {
	formErrors := accountErrors(newAccount, account.Annotator)
	if slices.ContainsFunc(formErrors, func(e ui.FieldError) bool { return e.Message == fault.Message(err) }) {
		return formErrors
	}
	return toFormErrors(err, "email")
}

func memberAddedNotice(a account.Account, role account.Role) string {
	if role == account.Lead {
		return a.Name + " now leads this project."
	}
	return a.Name + " is now a member. You can choose them for batches."
}

func (s *Server) inviteMember(w http.ResponseWriter, r *http.Request, p project.Project) error {
	a, token, err := s.db.InviteMember(r.Context(), currentAccount(r).ID, p, formID[account.ID](r, "invite_account_id"))
	if err != nil {
		return err
	}
	return s.renderMembers(w, r, http.StatusOK, page.MembersData{Project: p, Link: s.newInvitationLink(a.Name, token)})
}
