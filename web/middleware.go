package web

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

type contextKey int

const (
	accountKey contextKey = iota
	requestIDKey
)

// currentAccount returns who is signed in. Behind a policy that asks for people it is
// never nil.
func currentAccount(r *http.Request) *account.Account {
	a, _ := r.Context().Value(accountKey).(*account.Account)
	return a
}

func requestID(r *http.Request) string {
	id, _ := r.Context().Value(requestIDKey).(string)
	return id
}

// logRequests gives a request its id and logs how it was answered: the route, not
// the address, since addresses hold tokens.
func (s *Server) logRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, id := time.Now(), rand.Text()[:12]
		wrapped := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		r = r.WithContext(context.WithValue(r.Context(), requestIDKey, id))
		next.ServeHTTP(wrapped, r)
		pattern := ""
		if route := chi.RouteContext(r.Context()); route != nil {
			pattern = route.RoutePattern()
		}
		s.log.InfoContext(r.Context(), "request", "id", id, "method", r.Method, "route", pattern,
			"status", wrapped.Status(), "bytes", wrapped.BytesWritten(), "ms", time.Since(start).Milliseconds())
	})
}

// recoverPanics answers a handler that panicked, and keeps the server up.
func (s *Server) recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch reason := recover(); reason {
			case nil:
			case http.ErrAbortHandler:
				panic(reason)
			default:
				s.renderError(w, r, fmt.Errorf("panic: %v\n%s", reason, debug.Stack()))
			}
		}()
		next.ServeHTTP(w, r)
	})
}

const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// setSecurityHeaders tells browsers what no page here ever needs. Static files take back
// that they may not be kept.
func (s *Server) setSecurityHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		h.Set("Cache-Control", "no-store")
		if s.isSecure() {
			h.Set("Strict-Transport-Security", "max-age=63072000; includeSubDomains")
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) isSecure() bool { return s.config.BaseURL.Scheme == "https" }

// requireKnownHost refuses requests for a host that is not ours.
func (s *Server) requireKnownHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.EqualFold(r.Host, s.config.BaseURL.Host) {
			w.WriteHeader(http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// requireSameOrigin refuses what another site makes a browser send. A request that
// changes something and carries a session must say where it comes from.
func (s *Server) requireSameOrigin(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := protection.Check(r)
		hasNoOrigin := r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == ""
		_, cookieErr := r.Cookie(s.sessions.Cookie.Name)
		if err == nil && hasNoOrigin && cookieErr == nil && r.Method != http.MethodGet && r.Method != http.MethodHead {
			err = fault.Forbidden
		}
		if err != nil {
			s.renderError(w, r, fault.Forbidden.Errorf("This was sent from another site. Open the page here and try again."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// openTabAs finds the account of a session. A session that is idle too long, or
// of an epoch that is over, ends here.
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

// What a session holds: the account, its epoch at sign-in, when it was last used,
// to the minute, whether its person works without single keys, and the batch
// and the protocol that they last looked at, which are not opened or published.
const (
	sessionAccount           = "account"
	sessionEpoch             = "epoch"
	sessionLastActive        = "seen"
	sessionShortcutsDisabled = "keys off"
	sessionAlreadySubmitted  = "stands"
	sessionBatchForm         = "batch"
	sessionProtocolSource    = "protocol"
)

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

// maxUploadTime is how long a slow line may take for a file.
const maxUploadTime = 10 * time.Minute

// extendDeadlines gives a request longer than the server's timeouts.
func extendDeadlines(w http.ResponseWriter, timeout time.Duration) {
	c, deadline := http.NewResponseController(w), time.Now().Add(timeout)
	_ = c.SetReadDeadline(deadline) // a recorder in a test has no deadlines
	_ = c.SetWriteDeadline(deadline)
}

// guard lets through whom the route's policy allows, and no body beyond its
// limit.
func (s *Server) guard(rt route) http.Handler {
	return s.serve(func(w http.ResponseWriter, r *http.Request) error {
		limit := rt.bodyLimit
		if limit == 0 {
			limit = formLimit
		}
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		if limit > formLimit {
			extendDeadlines(w, maxUploadTime)
		}
		if err := rt.authorize(currentAccount(r)); err != nil {
			if fault.KindOf(err) == fault.SignedOut {
				return s.redirectToSignIn(w, r)
			}
			return err
		}
		return rt.handle(w, r)
	})
}
