package web

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/oidc"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/problem"
)

// newSignInData returns the data of the sign-in page, as the settings of the company's sign-in want it.
func (s *Server) newSignInData(email, nextPath string) page.SignInData {
	d := page.SignInData{Email: email, NextPath: localPath(nextPath)}
	d.Companies, d.CompanyOnly, d.HasPasskeys = s.companies(), s.config.OIDCOnly, s.hasPasskeys()
	return d
}

// companies returns the names of the providers of the company's sign-in.
func (s *Server) companies() (names []string) {
	for _, p := range s.config.OIDC {
		names = append(names, p.Name)
	}
	return names
}

// refusePasswords answers a request that would use or set a password where only the company signs users in.
func (s *Server) refusePasswords(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if s.config.OIDCOnly {
			return fault.Forbidden.Errorf("Sign in with %s. Passwords are not used here.", strings.Join(s.companies(), ", "))
		}
		return h(w, r)
	}
}

// callbackAddress is where the company's sign-in sends users back to.
func (s *Server) callbackAddress() string {
	return s.config.BaseURL.JoinPath("sign-in", "oidc", "callback").String()
}

// beginCompanySignIn sends the browser to the company's sign-in. The session keeps the attempt: its cookie is Lax, so
// the browser sends it when the company sends the user back.
func (s *Server) beginCompanySignIn(w http.ResponseWriter, r *http.Request) error {
	name := queryParam(r, "provider")
	i := slices.IndexFunc(s.config.OIDC, func(p *oidc.Provider) bool { return p.Name == name || name == "" })
	if i < 0 {
		return fault.NotFound
	}
	d := s.newSignInData("", queryParam(r, "next"))
	if s.signInLimiter.OnLimit(w, r, "sign-in "+clientAddress(r)) {
		return s.renderFailedSignIn(w, r, d, errTooManyAttempts)
	}
	address, attempt, err := s.config.OIDC[i].Begin(r.Context(), s.callbackAddress(), d.NextPath,
		currentAccount(r) != nil)
	if err != nil {
		s.log.WarnContext(r.Context(), "company sign-in did not begin", "error", err)
		return s.renderFailedSignIn(w, r, d, err)
	}
	text, err := json.Marshal(attempt)
	if err != nil {
		return err
	}
	s.sessions.Put(r.Context(), sessionCompanySignIn, string(text))
	return redirect(w, r, address)
}

// finishCompanySignIn signs in a user who returns from the company's sign-in. Each attempt is used once.
func (s *Server) finishCompanySignIn(w http.ResponseWriter, r *http.Request) error {
	if len(s.config.OIDC) == 0 {
		return fault.NotFound
	}
	var attempt oidc.Attempt
	if text := s.sessions.PopString(r.Context(), sessionCompanySignIn); text != "" {
		if err := json.Unmarshal([]byte(text), &attempt); err != nil {
			return err
		}
	}
	i := slices.IndexFunc(s.config.OIDC, func(p *oidc.Provider) bool { return p.Issuer == attempt.Issuer })
	if i < 0 {
		i, attempt = 0, oidc.Attempt{}
	}
	d := s.newSignInData("", attempt.NextPath)
	user, err := s.config.OIDC[i].Finish(r.Context(), s.callbackAddress(), attempt, r.URL.Query())
	if err != nil {
		s.log.WarnContext(r.Context(), "company sign-in failed", "error", err)
		return s.renderFailedSignIn(w, r, d, err)
	}
	a, err := s.db.SignInExternal(r.Context(), user, s.config.OIDC[i].Create)
	if err != nil {
		return s.renderFailedSignIn(w, r, d, err)
	}
	return s.completeSignIn(w, r, a, d.NextPath)
}

// renderFailedSignIn renders the sign-in page with the reason why nobody is signed in, or returns an internal error.
func (s *Server) renderFailedSignIn(w http.ResponseWriter, r *http.Request, d page.SignInData, err error) error {
	f := problem.ToFault(err)
	d.ErrorMessage = currentLocale(r).Message(f)
	switch f.Kind {
	case fault.SignedOut, fault.Invalid:
		s.logDenial(r, deniedSignIn)
		return render(w, r, http.StatusUnprocessableEntity, page.SignIn(d))
	case fault.Limited:
		s.logDenial(r, deniedSignIn)
		w.Header().Set("Retry-After", "60")
		return render(w, r, http.StatusTooManyRequests, page.SignIn(d))
	case fault.Unavailable:
		w.Header().Set("Retry-After", problem.RetryAfter)
		return render(w, r, http.StatusServiceUnavailable, page.SignIn(d))
	}
	return err
}
