package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/mail"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/problem"
)

func (s *Server) showInvitation(w http.ResponseWriter, r *http.Request) error {
	return s.renderInvitation(w, r, http.StatusOK, nil)
}

func (s *Server) renderInvitation(w http.ResponseWriter, r *http.Request, status int, passwordErrors []string) error {
	user, err := s.db.InvitedUser(r.Context(), pathParam(r, "token"))
	if err != nil {
		return err
	}
	invitedTo := ""
	if !user.HasPassword {
		invitedTo = mail.Invitation(currentLocale(r), user.Inviter, user.ProjectTitle, s.config.BaseURL.Host)
	}
	return render(w, r, status, page.Invitation(page.InvitationData{InvitedTo: invitedTo,
		Path: r.URL.Path, Name: user.Name, Email: user.Email, HasAccount: user.HasPassword,
		PasswordErrors: passwordErrors}))
}

func (s *Server) acceptInvitation(w http.ResponseWriter, r *http.Request) error {
	token, password := pathParam(r, "token"), r.PostFormValue("password")
	invited, err := s.db.InvitedUser(r.Context(), token)
	if err != nil {
		return err
	}
	hash, err := account.HashPassword(r.Context(), clientAddress(r), password, invited.Owner())
	if isPasswordProblem(err) {
		return s.renderInvitation(w, r, problem.Status(fault.KindOf(err)), []string{currentLocale(r).Message(err)})
	}
	if err != nil {
		return err
	}
	id, err := s.db.AcceptInvitation(r.Context(), token, hash)
	if err != nil {
		return err
	}
	return s.signInNewUser(w, r, id)
}

// signInNewUser starts the first session of an account.
func (s *Server) signInNewUser(w http.ResponseWriter, r *http.Request, id account.ID) error {
	a, err := s.db.Account(r.Context(), id)
	if err != nil {
		return err
	}
	return s.completeSignIn(w, r, a, "")
}

// invite creates an invitation link for a.
func (s *Server) invite(r *http.Request, a account.Account) (page.InvitationLink, error) {
	token, err := s.db.Invite(r.Context(), currentAccount(r).ID, a.ID)
	return s.newInvitationLink(a.Name, token), err
}

func (s *Server) newInvitationLink(name, token string) page.InvitationLink {
	return page.InvitationLink{Name: name, Link: s.config.BaseURL.JoinPath("invitations", token).String()}
}
