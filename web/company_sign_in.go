package web

import (
	"encoding/json"
	"net/http"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/oidc"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/problem"
)

// newSignInData returns the data of the sign-in page, as the settings of the company's sign-in want it.
func (s *Server) newSignInData(email, nextPath string) page.SignInData {
	d := page.SignInData{Email: email, NextPath: localPath(nextPath)}
	if s.config.OIDC != nil {
		d.Company, d.CompanyOnly = s.config.OIDC.Name, s.config.OIDC.Only
	}
	return d
}

// onlyCompany returns the name of the company where only it signs users in, else "".
func (s *Server) onlyCompany() string {
	if s.config.OIDC == nil || !s.config.OIDC.Only {
		return ""
	}
	return s.config.OIDC.Name
}

// refusePasswords answers a request that would use or set a password where only the company signs users in.
func (s *Server) refusePasswords(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if s.onlyCompany() != "" {
			return fault.Forbidden.Errorf("Sign in with %s. Passwords are not used here.", s.config.OIDC.Name)
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
	if s.config.OIDC == nil {
		return fault.NotFound
	}
	d := s.newSignInData("", queryParam(r, "next"))
	if s.signInLimiter.OnLimit(w, r, "sign-in "+clientAddress(r)) {
		return s.renderFailedSignIn(w, r, d, errTooManyAttempts)
	}
	address, attempt, err := s.config.OIDC.Begin(r.Context(), s.callbackAddress(), d.NextPath,
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
	if s.config.OIDC == nil {
		return fault.NotFound
	}
	var attempt oidc.Attempt
	if text := s.sessions.PopString(r.Context(), sessionCompanySignIn); text != "" {
		if err := json.Unmarshal([]byte(text), &attempt); err != nil {
			return err
		}
	}
	d := s.newSignInData("", attempt.NextPath)
	user, err := s.config.OIDC.Finish(r.Context(), s.callbackAddress(), attempt, queryParam(r, "state"),
		queryParam(r, "code"))
	if err != nil {
		s.log.WarnContext(r.Context(), "company sign-in failed", "error", err)
		return s.renderFailedSignIn(w, r, d, err)
	}
	a, err := s.db.SignInExternal(r.Context(), user, s.config.OIDC.Create)
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
