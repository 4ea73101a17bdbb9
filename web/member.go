package web

import (
	"context"
	"net/http"
	"slices"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/plaintext"
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
	d := page.MembersData{Project: p}
	if queryParam(r, "after") == "removal" {
		d.Notice = locale.From(r.Context()).T("Member removed. Their labels are kept.")
	}
	return s.renderMembers(w, r, http.StatusOK, d)
}

func (s *Server) renderMembers(w http.ResponseWriter, r *http.Request, status int, d page.MembersData) (err error) {
	d.User = currentUser(r)
	if d.Members, err = s.listMembers(r.Context(), d.Project.ID); err != nil {
		return err
	}
	return render(w, r, status, page.Members(d))
}

// addMember adds a member to a project, or creates a new link for one. The link is
// shown once, in the response. The response has nothing about the account.
func (s *Server) addMember(w http.ResponseWriter, r *http.Request, p project.Project) error {
	fields := r.PostForm
	switch {
	case fields.Has("invite_account_id"):
		return s.inviteMember(w, r, p)
	case fields.Has("invite_all"):
		return s.inviteAllMembers(w, r, p)
	}
	newAccount := account.NewAccount{Email: fields.Get("email"), Name: fields.Get("name"),
		Role: account.Role(fields.Get("role"))}
	token, err := s.db.AddMember(r.Context(), currentAccount(r).ID, p, newAccount)
	if status := formErrorStatus(err); status != 0 {
		return s.renderMembers(w, r, status, page.MembersData{Project: p, Email: newAccount.Email,
			Name: newAccount.Name, Role: newAccount.Role, Errors: memberErrors(currentLocale(r), newAccount, err)})
	}
	if err != nil {
		return err
	}
	email := plaintext.Trim(newAccount.Email)
	return s.renderMembers(w, r, http.StatusOK, page.MembersData{Project: p, Link: s.newMemberLink(email, token),
		Notice: memberAddedNotice(locale.From(r.Context()), email, newAccount.Role)})
}

// memberErrors returns why a member was not added. If a field of the new account
// is the cause, it returns the errors of all its fields.
func memberErrors(l *locale.Locale, newAccount account.NewAccount, err error) page.FormErrors {
	formErrors := accountErrors(l, newAccount, account.Annotator)
	if slices.ContainsFunc(formErrors, func(e ui.FieldError) bool { return e.Message == l.Message(err) }) {
		return formErrors
	}
	return toFormErrors(l, err, "role")
}

func memberAddedNotice(l *locale.Locale, email string, role account.Role) string {
	if role == account.Lead {
		return l.T("%s is now a member as lead. An admin must have given the account the role lead.", email)
	}
	if role == account.Viewer {
		return l.T("%s is now a member as viewer. They read the report if the account has the role viewer.", email)
	}
	return l.T("%s is now a member. You can choose them for batches.", email)
}

func (s *Server) inviteMember(w http.ResponseWriter, r *http.Request, p project.Project) error {
	email, token, err := s.db.InviteMember(r.Context(), currentAccount(r).ID, p, formID[account.ID](r,
		"invite_account_id"))
	if err != nil {
		return err
	}
	return s.renderMembers(w, r, http.StatusOK, page.MembersData{Project: p, Link: s.newMemberLink(email, token)})
}

// inviteAllMembers creates new links for all members who have not signed in.
func (s *Server) inviteAllMembers(w http.ResponseWriter, r *http.Request, p project.Project) error {
	invitations, err := s.db.InviteMembers(r.Context(), currentAccount(r).ID, p)
	if err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.InviteList(page.InviteListData{User: currentUser(r), Project: p,
		IsRepeated: true, Links: s.listedLinks(invitations)}))
}

func (s *Server) newMemberLink(email, token string) page.InvitationLink {
	link := s.newInvitationLink(email, token)
	link.ForMember = true
	return link
}

// showRemoveMember says what the removal of a member changes, and asks for
// confirmation.
func (s *Server) showRemoveMember(w http.ResponseWriter, r *http.Request, p project.Project) error {
	removal, err := s.db.PreviewRemoval(r.Context(), p, pathParam(r, "pseudonym"))
	if err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.RemoveMember(page.RemoveMemberData{User: currentUser(r), Project: p,
		Removal: page.MemberRemoval{
			MemberRow: page.MemberRow(removal.Member), Labels: removal.Labels, ReturnedItems: removal.ReturnedItems,
			Drafts: removal.Drafts, Corrections: removal.Corrections,
			IsOnlyLead: removal.IsOnlyLead, HasOpenBatches: removal.HasOpenBatches,
			IsCurrentUser: removal.AccountID == currentAccount(r).ID}}))
}

func (s *Server) removeMember(w http.ResponseWriter, r *http.Request, p project.Project) error {
	removal, err := s.db.RemoveMember(r.Context(), currentAccount(r).ID, p, pathParam(r, "pseudonym"))
	if err != nil {
		return err
	}
	if a := currentAccount(r); removal.AccountID == a.ID && !a.Role.IsAdmin() {
		return redirect(w, r, "/projects")
	}
	return redirect(w, r, page.ProjectPath(p.Key, "members")+"?after=removal")
}
