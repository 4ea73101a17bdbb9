package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/web/page"
)

// showTokens lists the API tokens of the signed-in user.
func (s *Server) showTokens(w http.ResponseWriter, r *http.Request) error {
	scope := account.ScopeLabel
	if currentAccount(r).Role.CanLead() {
		scope = account.ScopeRead
	}
	d := page.TokensData{Form: account.NewAPIToken{Scopes: []account.Scope{scope}, Days: account.DefaultTokenDays}}
	if queryParam(r, "after") == "revoke" {
		d.Notice = currentLocale(r).T("The token is revoked.")
	}
	return s.renderTokens(w, r, http.StatusOK, d)
}

func (s *Server) renderTokens(w http.ResponseWriter, r *http.Request, status int, d page.TokensData) (err error) {
	a := *currentAccount(r)
	d.User = currentUser(r)
	if d.Tokens, err = s.db.APITokens(r.Context(), a.ID, a.ID); err != nil {
		return err
	}
	if d.Projects, err = s.db.Projects(r.Context(), a); err != nil {
		return err
	}
	return render(w, r, status, page.Tokens(d))
}

// createToken creates an API token. It is shown once, in the response.
func (s *Server) createToken(w http.ResponseWriter, r *http.Request) error {
	n := account.NewAPIToken{Name: r.PostFormValue("name"), Projects: r.PostForm["projects"]}
	for _, scope := range r.PostForm["scopes"] {
		n.Scopes = append(n.Scopes, account.Scope(scope))
	}
	var err error
	if n.Days, err = readWholeNumber(r.PostForm, "days", locale.Text("The number of days")); err != nil {
		return s.renderTokens(w, r, http.StatusUnprocessableEntity, page.TokensData{Form: n,
			Errors: toFormErrors(currentLocale(r), err, "days")})
	}
	a := currentAccount(r)
	token, err := s.db.CreateAPIToken(r.Context(), a.ID, a.ID, n)
	if status := formErrorStatus(err); status != 0 {
		return s.renderTokens(w, r, status, page.TokensData{Form: n, Errors: toFormErrors(currentLocale(r), err,
			"name")})
	}
	if err != nil {
		return err
	}
	return s.renderTokens(w, r, http.StatusOK, page.TokensData{NewToken: token,
		Form: account.NewAPIToken{Days: account.DefaultTokenDays}})
}

// revokeToken ends an API token of the signed-in user or, for admins, of any user.
func (s *Server) revokeToken(w http.ResponseWriter, r *http.Request) error {
	a := *currentAccount(r)
	owner, err := s.db.RevokeAPIToken(r.Context(), a, pathID[account.APITokenID](r))
	if err != nil {
		return err
	}
	if owner != a.ID {
		return redirect(w, r, page.UserPath(owner)+"?after=change")
	}
	return redirect(w, r, "/account/tokens?after=revoke")
}
