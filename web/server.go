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
	Base       *url.URL // where people reach it; https turns on secure cookies
	Proxies    int      // how many trusted proxies stand before it
	FirstToken string   // opens the page that makes the first admin; empty: closed
	Log        *slog.Logger
}

// A Server answers requests.
type Server struct {
	db       *postgres.DB
	config   Config
	sessions *scs.SessionManager
	attempts *httprate.RateLimiter // of signing in, by address
	// exporting bounds how many exports run at once, so that annotators never
	// wait for one.
	exporting chan struct{}
	reports   reportDesk
	disputes  disputeDesk
	log       *slog.Logger
}

// How long a session lasts: in all, and without a request.
const (
	sessionLasts = 12 * time.Hour
	sessionIdles = time.Hour
)

// New returns the server of db.
func New(db *postgres.DB, c Config) http.Handler {
	s := &Server{db: db, config: c, log: c.Log, sessions: sessions(db, c.Base.Scheme == "https"),
		attempts: httprate.NewRateLimiter(60, time.Minute), exporting: make(chan struct{}, 2)}
	mux := chi.NewMux()
	mux.Use(s.observe, s.recover, s.headers, clientIP(c.Proxies), middleware.GetHead)
	mux.Get("/healthz", alive)
	mux.Get("/readyz", s.ready)
	mux.With(s.knownHost).Handle("/static/*", static.Handler())
	mux.Group(func(inside chi.Router) {
		inside.Use(s.knownHost, middleware.Compress(5, "text/html", "application/json"), s.sameOrigin, s.sessions.LoadAndSave, s.signedIn)
		inside.NotFound(s.serve(func(http.ResponseWriter, *http.Request) error { return fault.NotFound }))
		inside.MethodNotAllowed(s.serve(otherMethods))
		for _, r := range s.routes() {
			inside.Method(r.method, r.path, s.guard(r))
		}
	})
	return mux
}

// otherMethods answers a request whose address takes other methods, and names
// them.
func otherMethods(w http.ResponseWriter, r *http.Request) error {
	at := chi.RouteContext(r.Context())
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		if !at.Routes.Match(chi.NewRouteContext(), method, cmp.Or(r.URL.RawPath, r.URL.Path)) {
			continue
		}
		w.Header().Add("Allow", method)
		if method == http.MethodGet {
			w.Header().Add("Allow", http.MethodHead)
		}
	}
	return errMethod
}

func sessions(db *postgres.DB, secure bool) *scs.SessionManager {
	m := scs.New()
	m.Store = db.Sessions()
	m.HashTokenInStore = true
	m.Lifetime = sessionLasts
	m.Cookie.Name = "labelwright"
	m.Cookie.Persist = false
	m.Cookie.SameSite = http.SameSiteLaxMode
	if secure {
		m.Cookie.Name = "__Host-labelwright"
		m.Cookie.Secure = true
	}
	return m
}

// clientIP finds who asks: the peer, or what the last of the trusted proxies
// says of it.
func clientIP(proxies int) func(http.Handler) http.Handler {
	if proxies > 0 {
		return middleware.ClientIPFromXFFTrustedProxies(proxies)
	}
	return middleware.ClientIPFromRemoteAddr
}

func alive(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("alive\n")) // nobody is left to tell of an error
}

func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if err := s.db.Ready(r.Context()); err != nil {
		s.log.WarnContext(r.Context(), "not ready", "error", err)
		w.Header().Set("Retry-After", "5")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte("not ready\n"))
		return
	}
	_, _ = w.Write([]byte("ready\n"))
}
