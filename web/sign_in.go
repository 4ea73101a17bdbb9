package web

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/httprate"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/telemetry"
	"github.com/labelwright/labelwright/web/page"
)

// redirectHome sends each role to its start page.
func (s *Server) redirectHome(w http.ResponseWriter, r *http.Request) error {
	switch a := currentAccount(r); {
	case a == nil:
		return redirect(w, r, "/sign-in")
	case a.Role.CanLead():
		return redirect(w, r, page.InboxPath)
	case a.Role.CanView():
		return redirect(w, r, "/projects")
	}
	return redirect(w, r, "/work?start=1")
}

func (s *Server) showSignIn(w http.ResponseWriter, r *http.Request) error {
	d := s.newSignInData("", queryParam(r, "next"))
	switch queryParam(r, "after") {
	case "sign-out":
		d.Notice = currentLocale(r).T("You are signed out.")
	case "form-saved":
		d.Notice = currentLocale(r).T("You were signed out. Your answers are saved. Sign in to continue.")
	case "password":
		d.Notice = currentLocale(r).T("If this address has an account, a mail with a link is on its way. The link works once, within 72 hours.")
	}
	var err error
	if d.SendsMail, err = s.db.SendsMail(r.Context()); err != nil {
		return err
	}
	needsSetup, err := s.db.NeedsSetup(r.Context())
	if err != nil {
		return err
	}
	if needsSetup && d.Notice == "" {
		d.Notice = currentLocale(r).T("This server is new and has no admin yet. Its setup link is in the output of the command that started it, `labelwright serve`.")
	}
	return render(w, r, http.StatusOK, page.SignIn(d))
}

// sendPasswordLink mails a link for a new password, if the address has an account.
func (s *Server) sendPasswordLink(w http.ResponseWriter, r *http.Request) error {
	if s.signInLimiter.OnLimit(w, r, "sign-in "+clientAddress(r)) {
		s.logDenial(r, deniedSignIn)
		return errTooManyAttempts
	}
	if err := s.db.SendPasswordLink(r.Context(), r.PostFormValue("address")); err != nil {
		return err
	}
	return redirect(w, r, "/sign-in?after=password")
}

func (s *Server) signIn(w http.ResponseWriter, r *http.Request) error {
	d := s.newSignInData(r.PostFormValue("email"), r.PostFormValue("next"))
	if s.signInLimiter.OnLimit(w, r, "sign-in "+clientAddress(r)) {
		return s.renderFailedSignIn(w, r, d, errTooManyAttempts)
	}
	a, err := s.db.SignIn(r.Context(), s.credentials(r, d.Email, "password"))
	if err != nil {
		return s.renderFailedSignIn(w, r, d, err)
	}
	return s.completeSignIn(w, r, a, d.NextPath)
}

var errTooManyAttempts = fault.Limited.Errorf(
	"Too many attempts from this network. Wait a minute, then try again.")

// completeSignIn opens the session of a user whose password is right, after the second step if there is one.
func (s *Server) completeSignIn(w http.ResponseWriter, r *http.Request, a account.Account, nextPath string) error {
	if s.hasSecondFactor(&a) {
		return s.beginSecondStep(w, r, a, nextPath)
	}
	if a.HasPasskey {
		if err := s.db.RecordSignIn(r.Context(), a.ID); err != nil {
			return err
		}
	}
	return s.openSession(w, r, a, nextPath)
}

// openSession starts a session and opens the page that the user asked for.
func (s *Server) openSession(w http.ResponseWriter, r *http.Request, a account.Account, nextPath string) error {
	if err := s.startSession(w, r, a); err != nil {
		return err
	}
	return redirect(w, r, cmp.Or(nextPath, "/"))
}

// startSession starts a session for a under a new token, and marks the browser
// as one of theirs.
func (s *Server) startSession(w http.ResponseWriter, r *http.Request, a account.Account) error {
	ctx := r.Context()
	if old := currentAccount(r); old != nil {
		if err := s.db.EndSignIn(ctx, old.ID, currentSignIn(r)); err != nil {
			return err
		}
	}
	if err := s.sessions.RenewToken(ctx); err != nil {
		return err
	}
	id, err := s.db.StartSignIn(ctx, a.ID, describeBrowser(r), clientAddress(r))
	if err != nil {
		return err
	}
	if err := s.db.SetBrowserLanguage(ctx, a.ID, locale.ForBrowser(r.Header.Get("Accept-Language")).Tag()); err != nil {
		return err
	}
	s.sessions.Put(ctx, sessionSignIn, int64(id))
	telemetry.RequestFrom(ctx).Account = a.ID
	token, err := s.db.RememberBrowser(ctx, a.ID, s.browserToken(r))
	if err != nil {
		return err
	}
	//nolint:gosec // secure whenever the site is served over https
	http.SetCookie(w, &http.Cookie{Name: s.browserCookieName(), Value: token, Path: "/",
		MaxAge: int(postgres.KnownBrowserTTL.Seconds()),
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

// credentials returns what the form of a request says about its user, with the password in the
// given field.
func (s *Server) credentials(r *http.Request, email, passwordField string) account.Credentials {
	return account.Credentials{Email: email, Password: r.PostFormValue(passwordField), BrowserToken: s.browserToken(r),
		ClientAddress: clientAddress(r)}
}

// clientAddress returns the address of the client; for IPv6, of its network.
func clientAddress(r *http.Request) string {
	return httprate.CanonicalizeIP(middleware.GetClientIP(r.Context()))
}

// browserMarks and systemMarks are what user agents contain, and the name of what it stands for. The
// first that is found counts: browsers also name those that they descend from.
var (
	browserMarks = [][2]string{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"},
		{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"},
		{"Safari/", "Safari"}}
	systemMarks = [][2]string{{"Android", "Android"}, {"iPhone", "iOS"}, {"iPad", "iPadOS"}, {"Windows", "Windows"},
		{"Macintosh", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}}
)

// describeBrowser names the browser so that its user recognizes it.
func describeBrowser(r *http.Request) string {
	find := func(marks [][2]string) string {
		for _, mark := range marks {
			if strings.Contains(r.UserAgent(), mark[0]) {
				return mark[1]
			}
		}
		return ""
	}
	browser, system := find(browserMarks), find(systemMarks)
	switch {
	case browser == "":
		return account.UnknownBrowser
	case system == "":
		return browser
	}
	return browser + " on " + system
}

func (s *Server) signOut(w http.ResponseWriter, r *http.Request) error {
	if a := currentAccount(r); a != nil {
		if err := s.db.EndSignIn(r.Context(), a.ID, currentSignIn(r)); err != nil {
			return err
		}
	}
	return s.leave(w, r)
}

// leave deletes the session and what the browser stores.
func (s *Server) leave(w http.ResponseWriter, r *http.Request) error {
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
