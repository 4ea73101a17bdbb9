package web

import (
	"context"
	"net/http"

	"github.com/alexedwards/scs/v2"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/telemetry"
)

// The keys of a session.
const (
	sessionSignIn           = "sign_in"           // the id of the account.SignIn
	sessionAlreadySubmitted = "already_submitted" // the path that shows the notice
	sessionCompanySignIn    = "company_sign_in"   // an oidc.Attempt that has begun
	sessionSecondStep       = "second_step"       // a secondStep that has begun
	sessionPasskey          = "passkey"           // a passkey.Attempt that has begun
	sessionTOTPKey          = "totp_key"          // of an authenticator app that is being set up
	sessionBatchForm        = "batch_form"        // previewed, not opened
	sessionSheetResult      = "sheet_result"      // of the last submitted sheet, shown once
	sessionBatchEffect      = "batch_effect"      // of the last change, shown once
	sessionProtocolSource   = "protocol_source"   // previewed, not published
)

func (s *Server) newSessionManager() *scs.SessionManager {
	m := scs.New()
	m.Store = sessionStore{s.db}
	m.ErrorFunc = s.renderSessionError
	m.HashTokenInStore = true
	m.Lifetime = account.SignInLifetime
	m.Cookie.Name = "labelwright"
	m.Cookie.Persist = false
	m.Cookie.SameSite = http.SameSiteLaxMode
	if s.isSecure() {
		m.Cookie.Name = "__Host-labelwright"
		m.Cookie.Secure = true
	}
	return m
}

// A sessionWriter is the response of a request with a session. When the session
// cannot be saved, the error replaces what the handler writes.
type sessionWriter struct {
	http.ResponseWriter
	hasFailed bool
}

// WriteHeader drops the status of a handler whose session was not saved.
func (w *sessionWriter) WriteHeader(status int) {
	if !w.hasFailed {
		w.ResponseWriter.WriteHeader(status)
	}
}

// Write drops the body of a handler whose session was not saved.
func (w *sessionWriter) Write(body []byte) (int, error) {
	if w.hasFailed {
		return len(body), nil
	}
	return w.ResponseWriter.Write(body)
}

// Unwrap gives http.ResponseController the writer below.
func (w *sessionWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// withSession loads the session of a request and saves its changes.
func (s *Server) withSession(next http.Handler) http.Handler {
	loadAndSave := s.sessions.LoadAndSave(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := context.WithValue(r.Context(), foundSessionKey{}, &foundSession{})
		loadAndSave.ServeHTTP(&sessionWriter{ResponseWriter: w}, r.WithContext(ctx))
	})
}

// renderSessionError writes the error of a session that could not be loaded or
// saved. The handler may have set headers of its own by then.
func (s *Server) renderSessionError(w http.ResponseWriter, r *http.Request, err error) {
	for _, name := range []string{"Location", "Refresh", "Set-Cookie", "Clear-Site-Data", "Content-Disposition"} {
		w.Header().Del(name)
	}
	s.renderError(w, r, err)
	if sw, ok := w.(*sessionWriter); ok {
		sw.hasFailed = true
	}
}

// loadAccount puts the account of the session, and its sign-in, into the request. It deletes
// the session of a sign-in that has ended.
func (s *Server) loadAccount(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		found, _ := ctx.Value(foundSessionKey{}).(*foundSession)
		if found.signInID != 0 && found.account == nil {
			if err := s.sessions.Destroy(ctx); err != nil {
				s.renderError(w, r, err)
				return
			}
		}
		if found.account != nil {
			telemetry.RequestFrom(ctx).Account = found.account.ID
			ctx = withChosenLocale(account.WithSettings(ctx, found.settings))
		}
		ctx = context.WithValue(context.WithValue(ctx, accountKey, found.account), signInKey, found.signInID)
		s.serveWithBadges(next, w, r.WithContext(ctx))
	})
}
