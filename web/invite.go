package web

import (
	"errors"
	"net/http"
	"slices"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

func (s *Server) showInviteMembers(w http.ResponseWriter, r *http.Request, p project.Project) error {
	return render(w, r, http.StatusOK, page.InviteList(page.InviteListData{User: currentUser(r), Project: p,
		Role: account.Annotator}))
}

// inviteMembers adds all members of a pasted list, or none. Their links are shown once, in the
// response, which has nothing about the accounts.
func (s *Server) inviteMembers(w http.ResponseWriter, r *http.Request, p project.Project) error {
	return s.inviteListed(w, r, page.InviteListData{Project: p}, account.MemberRoles,
		func(users []account.NewAccount) ([]postgres.Invitation, error) {
			return s.db.AddMembers(r.Context(), currentAccount(r).ID, p, users)
		})
}

func (s *Server) showInviteUsers(w http.ResponseWriter, r *http.Request) error {
	return render(w, r, http.StatusOK, page.InviteList(page.InviteListData{User: currentUser(r),
		Role: account.Annotator}))
}

// inviteUsers creates all accounts of a pasted list, or none.
func (s *Server) inviteUsers(w http.ResponseWriter, r *http.Request) error {
	return s.inviteListed(w, r, page.InviteListData{}, account.Roles,
		func(users []account.NewAccount) ([]postgres.Invitation, error) {
			return s.db.CreateAccounts(r.Context(), currentAccount(r).ID, users)
		})
}

// inviteListed reads the list of a form, passes it to add, and shows the links or the errors
// by line.
func (s *Server) inviteListed(w http.ResponseWriter, r *http.Request, d page.InviteListData, roles []account.Role,
	add func([]account.NewAccount) ([]postgres.Invitation, error)) error {
	d.User, d.List, d.Role = currentUser(r), r.PostFormValue("list"), account.Role(r.PostFormValue("role"))
	if !slices.Contains(roles, d.Role) {
		d.Errors = page.FormErrors{{FieldID: "role", Message: currentLocale(r).Translate(chooseRole)}}
		return render(w, r, http.StatusUnprocessableEntity, page.InviteList(d))
	}
	users, err := importer.ReadUsers("list", d.List, d.Role, roles)
	var invitations []postgres.Invitation
	if err == nil {
		invitations, err = add(users)
	}
	if fileErrors, ok := errors.AsType[importer.FileErrors](err); ok {
		d.ListErrors = fileErrors
		return render(w, r, http.StatusUnprocessableEntity, page.InviteList(d))
	}
	if status := formErrorStatus(err); status != 0 {
		d.Errors = toFormErrors(currentLocale(r), err, "list")
		return render(w, r, status, page.InviteList(d))
	}
	if err != nil {
		return err
	}
	d.Links = s.listedLinks(invitations)
	return render(w, r, http.StatusOK, page.InviteList(d))
}

func (s *Server) listedLinks(invitations []postgres.Invitation) (links []page.ListedLink) {
	for _, i := range invitations {
		links = append(links, page.ListedLink{Email: i.Email, Role: i.Role, Link: s.newInvitationLink(i.Name,
			i.Token).Link})
	}
	return links
}
