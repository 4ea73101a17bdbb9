package web

import (
	"context"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// How long a session lasts: in total, and without a request.
const (
	sessionLifetime    = 12 * time.Hour
	sessionIdleTimeout = time.Hour
)

// The keys of a session.
const (
	sessionAccount           = "account"
	sessionEpoch             = "epoch"              // of the account at sign-in
	sessionLastActive        = "last_active"        // Unix time of the last request, to the minute
	sessionShortcutsDisabled = "shortcuts_disabled" // single keys do nothing
	sessionAlreadySubmitted  = "already_submitted"  // the path that shows the notice
	sessionBatchForm         = "batch_form"         // previewed, not opened
	sessionProtocolSource    = "protocol_source"    // previewed, not published
)

func (s *Server) newSessionManager() *scs.SessionManager {
	m := scs.New()
	m.Store = s.db.Sessions()
	m.ErrorFunc = s.renderSessionError
	m.HashTokenInStore = true
	m.Lifetime = sessionLifetime
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
		loadAndSave.ServeHTTP(&sessionWriter{ResponseWriter: w}, r)
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

// loadAccount puts the account of the session into the request.
func (s *Server) loadAccount(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, err := s.accountFromSession(r.Context())
		if err != nil {
			s.renderError(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), accountKey, a)))
	})
}

// accountFromSession returns the account that is signed in, or nil. It ends a
// session that was idle too long, and one from before a password change.
func (s *Server) accountFromSession(ctx context.Context) (*account.Account, error) {
	id := s.sessions.GetInt64(ctx, sessionAccount)
	if id == 0 {
		return nil, nil
	}
	now, lastActive := time.Now().Unix(), s.sessions.GetInt64(ctx, sessionLastActive)
	if now-lastActive > int64(sessionIdleTimeout.Seconds()) {
		return nil, s.sessions.Destroy(ctx)
	}
	a, err := s.db.Account(ctx, account.ID(id))
	if fault.KindOf(err) == fault.NotFound || err == nil && (a.Disabled || a.SessionEpoch != s.sessions.GetInt(ctx, sessionEpoch)) {
		return nil, s.sessions.Destroy(ctx)
	}
	if now-lastActive > 60 {
		s.sessions.Put(ctx, sessionLastActive, now)
	}
	return &a, err
}
