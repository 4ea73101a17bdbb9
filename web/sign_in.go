package web

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/httprate"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/web/page"
)

// redirectHome sends each role to its start page.
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
	d := page.SignInData{NextPath: localPath(queryParam(r, "next"))}
	switch queryParam(r, "after") {
	case "sign-out":
		d.Notice = "You are signed out."
	case "form-saved":
		d.Notice = "You were signed out. Your answers are saved. Sign in to continue."
	}
	return render(w, r, http.StatusOK, page.SignIn(d))
}

func (s *Server) signIn(w http.ResponseWriter, r *http.Request) error {
	d := page.SignInData{Email: r.PostFormValue("email"), NextPath: localPath(r.PostFormValue("next"))}
	if s.signInLimiter.OnLimit(w, r, "sign-in "+httprate.CanonicalizeIP(middleware.GetClientIP(r.Context()))) {
		d.ErrorMessage = "Too many attempts from this network. Wait a minute, then try again."
		return render(w, r, http.StatusTooManyRequests, page.SignIn(d))
	}
	a, err := s.db.SignIn(r.Context(), d.Email, r.PostFormValue("password"), s.browserToken(r))
	d.ErrorMessage = fault.Message(err)
	switch fault.KindOf(err) {
	case fault.SignedOut:
		return render(w, r, http.StatusUnprocessableEntity, page.SignIn(d))
	case fault.Unavailable:
		w.Header().Set("Retry-After", "60")
		return render(w, r, http.StatusTooManyRequests, page.SignIn(d))
	}
	if err != nil {
		return err
	}
	if err := s.startSession(w, r, a); err != nil {
		return err
	}
	if d.NextPath == "" {
		d.NextPath = "/"
	}
	return redirect(w, r, d.NextPath)
}

// startSession starts a session for a under a new token, and marks the browser
// as one of theirs.
func (s *Server) startSession(w http.ResponseWriter, r *http.Request, a account.Account) error {
	ctx := r.Context()
	if err := s.sessions.RenewToken(ctx); err != nil {
		return err
	}
	s.sessions.Put(ctx, sessionAccount, int64(a.ID))
	s.sessions.Put(ctx, sessionEpoch, a.SessionEpoch)
	s.sessions.Put(ctx, sessionLastActive, time.Now().Unix())
	token, err := s.db.RememberBrowser(ctx, a.ID, s.browserToken(r))
	if err != nil {
		return err
	}
	//nolint:gosec // secure whenever the site is served over https
	http.SetCookie(w, &http.Cookie{Name: s.browserCookieName(), Value: token, Path: "/", MaxAge: int(postgres.KnownBrowserTTL.Seconds()),
		Secure: s.isSecure(), HttpOnly: true, SameSite: http.SameSiteLaxMode})
	return nil
}

// browserCookieName names the cookie of a browser that has signed in before. It
// gives no access: it separates the sign-in attempts of an account's own
// browsers from those of others.
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

// localPath returns next if it is a path of this site, else "".
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || u.User != nil ||
		!strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return ""
	}
	return u.RequestURI()
}
