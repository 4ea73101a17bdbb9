package web

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/httprate"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/web/page"
)

// redirectHome leads to where somebody's work is.
func (s *Server) redirectHome(w http.ResponseWriter, r *http.Request) error {
	switch a := currentAccount(r); {
	case a == nil:
		return redirect(w, r, "/sign-in")
	case a.Role.CanLead():
		return redirect(w, r, "/projects")
	}
	return redirect(w, r, "/work")
}

func (s *Server) showSignIn(w http.ResponseWriter, r *http.Request) error {
	d := page.SignInData{NextPath: localPath(r.URL.Query().Get("next"))}
	switch r.URL.Query().Get("after") {
	case "sign-out":
		d.Notice = "You are signed out."
	case "form-saved":
		d.Notice = "You were signed out while you worked. What you typed is kept: sign in, and it is back."
	}
	return render(w, r, http.StatusOK, page.SignIn(d))
}

func (s *Server) signIn(w http.ResponseWriter, r *http.Request) error {
	email, next := r.PostFormValue("email"), localPath(r.PostFormValue("next"))
	if s.signInLimiter.OnLimit(w, r, "sign-in "+httprate.CanonicalizeIP(middleware.GetClientIP(r.Context()))) {
		return s.renderSignIn(w, r, page.SignInData{Email: email, NextPath: next, ErrorMessage: "There were very many attempts from here. Please wait a minute."}, http.StatusTooManyRequests)
	}
	a, err := s.db.SignIn(r.Context(), email, r.PostFormValue("password"), s.browserToken(r))
	switch fault.KindOf(err) {
	case fault.SignedOut:
		return s.renderSignIn(w, r, page.SignInData{Email: email, NextPath: next, ErrorMessage: fault.Message(err)}, http.StatusUnprocessableEntity)
	case fault.Busy:
		w.Header().Set("Retry-After", "60")
		return s.renderSignIn(w, r, page.SignInData{Email: email, NextPath: next, ErrorMessage: fault.Message(err)}, http.StatusTooManyRequests)
	}
	if err != nil {
		return err
	}
	if err := s.startSession(w, r, a); err != nil {
		return err
	}
	if next == "" {
		next = "/"
	}
	return redirect(w, r, next)
}

func (s *Server) renderSignIn(w http.ResponseWriter, r *http.Request, d page.SignInData, status int) error {
	return render(w, r, status, page.SignIn(d))
}

// startSession begins a session for a, under a new token, and has the browser known
// as one of a's.
func (s *Server) startSession(w http.ResponseWriter, r *http.Request, a account.Account) error {
	ctx := r.Context()
	if err := s.sessions.RenewToken(ctx); err != nil {
		return err
	}
	s.sessions.Put(ctx, sessionAccount, a.ID)
	s.sessions.Put(ctx, sessionEpoch, a.SessionEpoch)
	s.sessions.Put(ctx, sessionLastActive, time.Now().Unix())
	token, err := s.db.RememberBrowser(ctx, a.ID, s.browserToken(r))
	if err != nil {
		return err
	}
	//nolint:gosec // it is secure wherever people reach us by https
	http.SetCookie(w, &http.Cookie{Name: s.browserCookieName(), Value: token, Path: "/", MaxAge: int(postgres.KnownBrowserTTL.Seconds()),
		Secure: s.isSecure(), HttpOnly: true, SameSite: http.SameSiteLaxMode})
	return nil
}

// browserCookieName names the cookie of a browser that somebody signed in from. It
// opens nothing: it only says whose guesses at a password are whose.
func (s *Server) browserCookieName() string { return s.sessions.Cookie.Name + "-browser" }

func (s *Server) browserToken(r *http.Request) string {
	c, err := r.Cookie(s.browserCookieName())
	if err != nil {
		return ""
	}
	return c.Value
}

func (s *Server) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.sessions.Destroy(r.Context()); err != nil {
		return err
	}
	w.Header().Set("Clear-Site-Data", `"cache", "storage"`)
	return redirect(w, r, "/sign-in?after=sign-out")
}

// redirectToSignIn leads somebody who is signed out to the sign-in page, and back
// afterwards. What they sent for an item is kept.
func (s *Server) redirectToSignIn(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodGet {
		return redirect(w, r, "/sign-in?next="+url.QueryEscape(r.URL.RequestURI()))
	}
	saveForm, hasForm := map[string]func(*http.Request) error{
		"/work/{token}":                     s.saveSignedOutForm,
		"/projects/{key}/adjudication/{id}": s.saveSignedOutDecision,
	}[chi.RouteContext(r.Context()).RoutePattern()]
	if !hasForm {
		return fault.SignedOut
	}
	if err := saveForm(r); err != nil {
		return err
	}
	return redirect(w, r, "/sign-in?after=form-saved&next="+url.QueryEscape(r.URL.RequestURI()))
}

// localPath returns next if it is a path of ours, and else nothing.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || u.User != nil ||
		!strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return ""
	}
	return u.RequestURI()
}

func (s *Server) showInvitation(w http.ResponseWriter, r *http.Request) error {
	return s.renderInvitation(w, r, http.StatusOK, nil)
}

func (s *Server) renderInvitation(w http.ResponseWriter, r *http.Request, status int, problems []string) error {
	a, err := s.db.InvitedAccount(r.Context(), chi.URLParam(r, "token"))
	if err != nil {
		return err
	}
	return render(w, r, status, page.Invitation(page.InvitationData{
		Path: r.URL.Path, Name: a.Name, Email: a.Email, HasAccount: a.Joined, MinPasswordLength: account.MinPasswordLength, PasswordErrors: problems}))
}

func (s *Server) acceptInvitation(w http.ResponseWriter, r *http.Request) error {
	token, password := chi.URLParam(r, "token"), r.PostFormValue("password")
	if err := account.CheckPassword(password); err != nil {
		return s.renderInvitation(w, r, http.StatusUnprocessableEntity, []string{fault.Message(err)})
	}
	if _, err := s.db.InvitedAccount(r.Context(), token); err != nil {
		return err
	}
	hash, err := account.HashPassword(r.Context(), password)
	if err != nil {
		return err
	}
	id, err := s.db.AcceptInvitation(r.Context(), token, hash)
	if err != nil {
		return err
	}
	a, err := s.db.Account(r.Context(), id)
	if err != nil {
		return err
	}
	if err := s.startSession(w, r, a); err != nil {
		return err
	}
	return redirect(w, r, "/")
}

func (s *Server) showAccount(w http.ResponseWriter, r *http.Request) error {
	d := page.AccountData{User: currentUser(r), Email: currentAccount(r).Email, MinPasswordLength: account.MinPasswordLength}
	d.PasswordChanged = r.URL.Query().Get("after") == "password"
	return render(w, r, http.StatusOK, page.Account(d))
}

// changePassword asks for the old password, and ends every other session.
func (s *Server) changePassword(w http.ResponseWriter, r *http.Request) error {
	a := currentAccount(r)
	err := s.setPassword(w, r, *a)
	switch fault.KindOf(err) {
	case fault.Invalid, fault.SignedOut, fault.Busy:
		d := page.AccountData{User: currentUser(r), Email: a.Email, MinPasswordLength: account.MinPasswordLength, ErrorMessage: fault.Message(err)}
		return render(w, r, http.StatusUnprocessableEntity, page.Account(d))
	}
	if err != nil {
		return err
	}
	return redirect(w, r, "/account?after=password")
}

func (s *Server) setPassword(w http.ResponseWriter, r *http.Request, a account.Account) error {
	if err := s.db.ConfirmPassword(r.Context(), a, r.PostFormValue("current_password"), s.browserToken(r)); err != nil {
		if fault.KindOf(err) == fault.SignedOut {
			return fault.Invalid.Errorf("The old password is not right.")
		}
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
