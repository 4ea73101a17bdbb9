// Package web is what a browser sees: routes, sessions, who may open what, and
// a page for every error. Handlers read a request, call one use case of
// package postgres, and show a page.
package web

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/httprate"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/web/static"
)

// A Config says how the server is reached.
type Config struct {
	BaseURL        *url.URL // where people reach it; https turns on secure cookies
	TrustedProxies int      // how many trusted proxies stand before it
	SetupToken     string   // opens the page that makes the first admin; empty: closed
	Log            *slog.Logger
}

// A Server answers requests.
type Server struct {
	db            *postgres.DB
	config        Config
	sessions      *scs.SessionManager
	signInLimiter *httprate.RateLimiter // of signing in, by address
	// exporting bounds how many exports run at once, so that annotators never
	// wait for one.
	exportSlots   chan struct{}
	reports       reportCache
	disagreements disagreementCache
	log           *slog.Logger
}

// How long a session lasts: in all, and without a request.
const (
	sessionLifetime    = 12 * time.Hour
	sessionIdleTimeout = time.Hour
)

// New returns the server of db.
func New(db *postgres.DB, c Config) http.Handler {
	s := &Server{db: db, config: c, log: c.Log, sessions: newSessionManager(db, c.BaseURL.Scheme == "https"),
		signInLimiter: httprate.NewRateLimiter(60, time.Minute), exportSlots: make(chan struct{}, 2)}
	mux := chi.NewMux()
	mux.Use(s.logRequests, s.recoverPanics, s.setSecurityHeaders, resolveClientIP(c.TrustedProxies), middleware.GetHead)
	mux.Get("/healthz", serveHealth)
	mux.Get("/readyz", s.serveReadiness)
	mux.With(s.requireKnownHost).Handle("/static/*", static.Handler())
	mux.Group(func(group chi.Router) {
		group.Use(s.requireKnownHost, middleware.Compress(5, "text/html", "application/json"), s.requireSameOrigin, s.sessions.LoadAndSave, s.loadAccount)
		group.NotFound(s.serve(func(http.ResponseWriter, *http.Request) error { return fault.NotFound }))
		group.MethodNotAllowed(s.serve(rejectMethod))
		for _, r := range s.routes() {
			group.Method(r.method, r.path, s.guard(r))
		}
	})
	return mux
}

// rejectMethod answers a request whose address takes other methods, and names
// them.
func rejectMethod(w http.ResponseWriter, r *http.Request) error {
	routeContext := chi.RouteContext(r.Context())
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		if !routeContext.Routes.Match(chi.NewRouteContext(), method, cmp.Or(r.URL.RawPath, r.URL.Path)) {
			continue
		}
		w.Header().Add("Allow", method)
		if method == http.MethodGet {
			w.Header().Add("Allow", http.MethodHead)
		}
	}
	return errMethodNotAllowed
}

func newSessionManager(db *postgres.DB, secure bool) *scs.SessionManager {
	m := scs.New()
	m.Store = db.Sessions()
	m.HashTokenInStore = true
	m.Lifetime = sessionLifetime
	m.Cookie.Name = "labelwright"
	m.Cookie.Persist = false
	m.Cookie.SameSite = http.SameSiteLaxMode
	if secure {
		m.Cookie.Name = "__Host-labelwright"
		m.Cookie.Secure = true
	}
	return m
}

// resolveClientIP finds who asks: the peer, or what the last of the trusted proxies
// says of it.
func resolveClientIP(proxies int) func(http.Handler) http.Handler {
	if proxies > 0 {
		return middleware.ClientIPFromXFFTrustedProxies(proxies)
	}
	return middleware.ClientIPFromRemoteAddr
}

func serveHealth(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("alive\n")) // nobody is left to tell of an error
}

func (s *Server) serveReadiness(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if err := s.db.CheckReady(r.Context()); err != nil {
		s.log.WarnContext(r.Context(), "not ready", "error", err)
		w.Header().Set("Retry-After", "5")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte("not ready\n"))
		return
	}
	_, _ = w.Write([]byte("ready\n"))
}
