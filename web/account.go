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

// front leads to where somebody's work is.
func (s *Server) front(w http.ResponseWriter, r *http.Request) error {
	switch a := who(r); {
	case a == nil:
		return seeOther(w, r, "/sign-in")
	case a.Role.Leads():
		return seeOther(w, r, "/projects")
	}
	return seeOther(w, r, "/work")
}

func (s *Server) signInPage(w http.ResponseWriter, r *http.Request) error {
	d := page.SignInData{Next: localPath(r.URL.Query().Get("next"))}
	switch r.URL.Query().Get("after") {
	case "sign-out":
		d.Notice = "You are signed out."
	case "kept":
		d.Notice = "You were signed out while you worked. What you typed is kept: sign in, and it is back."
	}
	return show(w, r, http.StatusOK, page.SignIn(d))
}

func (s *Server) signIn(w http.ResponseWriter, r *http.Request) error {
	email, next := r.PostFormValue("email"), localPath(r.PostFormValue("next"))
	if s.attempts.OnLimit(w, r, "sign-in "+httprate.CanonicalizeIP(middleware.GetClientIP(r.Context()))) {
		return s.signInAgain(w, r, page.SignInData{Email: email, Next: next, Problem: "There were very many attempts from here. Please wait a minute."}, http.StatusTooManyRequests)
	}
	a, err := s.db.SignIn(r.Context(), email, r.PostFormValue("password"), s.browserToken(r))
	switch fault.KindOf(err) {
	case fault.SignedOut:
		return s.signInAgain(w, r, page.SignInData{Email: email, Next: next, Problem: fault.Message(err)}, http.StatusUnprocessableEntity)
	case fault.Busy:
		w.Header().Set("Retry-After", "60")
		return s.signInAgain(w, r, page.SignInData{Email: email, Next: next, Problem: fault.Message(err)}, http.StatusTooManyRequests)
	}
	if err != nil {
		return err
	}
	if err := s.enter(w, r, a); err != nil {
		return err
	}
	if next == "" {
		next = "/"
	}
	return seeOther(w, r, next)
}

func (s *Server) signInAgain(w http.ResponseWriter, r *http.Request, d page.SignInData, status int) error {
	return show(w, r, status, page.SignIn(d))
}

// enter begins a session for a, under a new token, and has the browser known
// as one of a's.
func (s *Server) enter(w http.ResponseWriter, r *http.Request, a account.Account) error {
	ctx := r.Context()
	if err := s.sessions.RenewToken(ctx); err != nil {
		return err
	}
	s.sessions.Put(ctx, sessionAccount, a.ID)
	s.sessions.Put(ctx, sessionEpoch, a.Epoch)
	s.sessions.Put(ctx, sessionSeen, time.Now().Unix())
	token, err := s.db.KnowBrowser(ctx, a.ID, s.browserToken(r))
	if err != nil {
		return err
	}
	//nolint:gosec // it is secure wherever people reach us by https
	http.SetCookie(w, &http.Cookie{Name: s.browserCookie(), Value: token, Path: "/", MaxAge: int(postgres.BrowserLasts.Seconds()),
		Secure: s.secure(), HttpOnly: true, SameSite: http.SameSiteLaxMode})
	return nil
}

// browserCookie names the cookie of a browser that somebody signed in from. It
// opens nothing: it only says whose guesses at a password are whose.
func (s *Server) browserCookie() string { return s.sessions.Cookie.Name + "-browser" }

func (s *Server) browserToken(r *http.Request) string {
	c, err := r.Cookie(s.browserCookie())
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
	return seeOther(w, r, "/sign-in?after=sign-out")
}

// askToSignIn leads somebody who is signed out to the sign-in page, and back
// afterwards. What they sent for an item is kept.
func (s *Server) askToSignIn(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodGet {
		return seeOther(w, r, "/sign-in?next="+url.QueryEscape(r.URL.RequestURI()))
	}
	keep, is := map[string]func(*http.Request) error{
		"/work/{token}":                     s.keepForm,
		"/projects/{key}/adjudication/{id}": s.keepDecision,
	}[chi.RouteContext(r.Context()).RoutePattern()]
	if !is {
		return fault.SignedOut
	}
	if err := keep(r); err != nil {
		return err
	}
	return seeOther(w, r, "/sign-in?after=kept&next="+url.QueryEscape(r.URL.RequestURI()))
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

func (s *Server) invitationPage(w http.ResponseWriter, r *http.Request) error {
	return s.showInvitation(w, r, http.StatusOK, nil)
}

func (s *Server) showInvitation(w http.ResponseWriter, r *http.Request, status int, problems []string) error {
	a, err := s.db.Invited(r.Context(), chi.URLParam(r, "token"))
	if err != nil {
		return err
	}
	return show(w, r, status, page.Invitation(page.InvitationData{
		Path: r.URL.Path, Name: a.Name, Email: a.Email, Returns: a.Joined, Least: account.LeastPassword, Problems: problems}))
}

func (s *Server) takeInvitation(w http.ResponseWriter, r *http.Request) error {
	token, password := chi.URLParam(r, "token"), r.PostFormValue("password")
	if err := account.CheckPassword(password); err != nil {
		return s.showInvitation(w, r, http.StatusUnprocessableEntity, []string{fault.Message(err)})
	}
	if _, err := s.db.Invited(r.Context(), token); err != nil {
		return err
	}
	hash, err := account.Hash(r.Context(), password)
	if err != nil {
		return err
	}
	id, err := s.db.TakeInvitation(r.Context(), token, hash)
	if err != nil {
		return err
	}
	a, err := s.db.Account(r.Context(), id)
	if err != nil {
		return err
	}
	if err := s.enter(w, r, a); err != nil {
		return err
	}
	return seeOther(w, r, "/")
}

func (s *Server) accountPage(w http.ResponseWriter, r *http.Request) error {
	d := page.AccountData{Visitor: visitor(r), Email: who(r).Email, Least: account.LeastPassword}
	d.Changed = r.URL.Query().Get("after") == "password"
	return show(w, r, http.StatusOK, page.Account(d))
}

// changePassword asks for the old password, and ends every other session.
func (s *Server) changePassword(w http.ResponseWriter, r *http.Request) error {
	a := who(r)
	err := s.setPassword(w, r, *a)
	switch fault.KindOf(err) {
	case fault.Invalid, fault.SignedOut, fault.Busy:
		d := page.AccountData{Visitor: visitor(r), Email: a.Email, Least: account.LeastPassword, Problem: fault.Message(err)}
		return show(w, r, http.StatusUnprocessableEntity, page.Account(d))
	}
	if err != nil {
		return err
	}
	return seeOther(w, r, "/account?after=password")
}

func (s *Server) setPassword(w http.ResponseWriter, r *http.Request, a account.Account) error {
	if err := s.db.ConfirmPassword(r.Context(), a, r.PostFormValue("old"), s.browserToken(r)); err != nil {
		if fault.KindOf(err) == fault.SignedOut {
			return fault.Invalid.Says("The old password is not right.")
		}
		return err
	}
	password := r.PostFormValue("password")
	if err := account.CheckPassword(password); err != nil {
		return err
	}
	hash, err := account.Hash(r.Context(), password)
	if err != nil {
		return err
	}
	if err := s.db.SetPassword(r.Context(), a.ID, a.ID, hash); err != nil {
		return err
	}
	if a, err = s.db.Account(r.Context(), a.ID); err != nil {
		return err
	}
	return s.enter(w, r, a)
}
