package web

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

type contextKey int

const (
	accountKey contextKey = iota
	signInKey
	badgesKey
)

// currentAccount returns the account that is signed in, or nil. Behind a policy
// that requires an account it is never nil.
func currentAccount(r *http.Request) *account.Account {
	a, _ := r.Context().Value(accountKey).(*account.Account)
	return a
}

// currentSettings returns the settings of the account that is signed in.
func currentSettings(r *http.Request) account.Settings { return account.SettingsFrom(r.Context()) }

// currentSignIn returns the sign-in of the browser, or 0.
func currentSignIn(r *http.Request) account.SignInID {
	id, _ := r.Context().Value(signInKey).(account.SignInID)
	return id
}

// recoverPanics turns a panic into an internal error.
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

// setSecurityHeaders turns off the browser features that no page needs. Static files override
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

// requireKnownHost rejects requests for another host name.
func (s *Server) requireKnownHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.EqualFold(r.Host, s.config.BaseURL.Host) {
			s.logDenial(r, deniedHost)
			w.WriteHeader(http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

var errOtherSite = fault.Forbidden.Errorf(
	"This request came from another site. Open the page on this site and try again.")

// requireSameOrigin rejects requests that another site makes a browser send. A
// request that changes data with a session must name its origin.
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
			s.renderError(w, r, errOtherSite)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// maxUploadTime bounds the upload of a file over a slow connection.
const maxUploadTime = 10 * time.Minute

// extendDeadlines allows a request more time than the server's timeouts.
func extendDeadlines(w http.ResponseWriter, timeout time.Duration) {
	c, deadline := http.NewResponseController(w), time.Now().Add(timeout)
	_ = c.SetReadDeadline(deadline) // a test recorder has no deadlines
	_ = c.SetWriteDeadline(deadline)
}
