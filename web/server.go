// Package web serves the pages of the application: routes, sessions, access
// rights and errors. A handler reads a request, calls one use case of package
// postgres and renders a page.
package web

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/httprate"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/oidc"
	"github.com/labelwright/labelwright/internal/passkey"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/telemetry"
	"github.com/labelwright/labelwright/web/api"
	"github.com/labelwright/labelwright/web/problem"
	"github.com/labelwright/labelwright/web/static"
)

// A Config describes how the server is reached.
type Config struct {
	BaseURL        *url.URL // the public URL, without a slash at its end; https turns on secure cookies
	TrustedProxies int      // the number of trusted proxies in front of the server
	Log            *slog.Logger
	Recorder       *telemetry.Recorder // may be nil
	OIDC           []*oidc.Provider    // of the company's sign-in; may be empty
	OIDCOnly       bool                // passwords are refused
	SecondFactor   []account.Role      // roles that must have a second factor
}

// A Server answers requests.
type Server struct {
	handler       http.Handler
	api           *api.API
	db            *postgres.DB
	config        Config
	sessions      *scs.SessionManager
	passkeys      *passkey.Site         // nil: browsers offer none here
	signInLimiter *httprate.RateLimiter // by client address
	uploads       uploadLimiter
	log           *slog.Logger
	badgeCache    badgeCache
	live          liveHub
	isDraining    atomic.Bool   // the server ends soon
	directRows    int           // see maxDirectRows
	directBytes   int64         // see maxDirectBytes
	directExport  time.Duration // see maxDirectExport
	reportWait    time.Duration // see maxReportWait
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Drain prepares the end of the server: /readyz answers 503, so that a load balancer sends
// no new clients, each response closes its connection, and streams of events end.
func (s *Server) Drain() {
	s.isDraining.Store(true)
	s.live.close()
}

// New returns a server on db.
func New(db *postgres.DB, c Config) *Server {
	s := &Server{db: db, config: c, log: slog.New(telemetry.NewLogHandler(c.Log.Handler())),
		signInLimiter: httprate.NewRateLimiter(60, time.Minute), uploads: newUploadLimiter(), directRows: maxDirectRows,
		directBytes: maxDirectBytes, directExport: maxDirectExport, reportWait: maxReportWait}
	s.sessions, s.passkeys = s.newSessionManager(), passkey.New(c.BaseURL)
	s.live.init(db, s.log)
	mux := chi.NewMux()
	mux.Use(s.closeWhileDraining, resolveClientIP(c.TrustedProxies), s.identifyRequests, s.recordRequests,
		withBrowserLocale, s.recoverPanics, s.setSecurityHeaders, s.rejectMalformedAddress, middleware.GetHead)
	mux.Get("/healthz", serveHealth)
	mux.Get("/readyz", s.serveReadiness)
	mux.With(s.requireKnownHost).Handle("/static/*", static.Handler())
	s.mountAPI(mux)
	mux.Group(func(group chi.Router) {
		group.Use(s.requireKnownHost, compressPages(), completeAddresses(c.BaseURL.Path), s.requireSameOrigin,
			s.withSession, s.loadAccount)
		group.NotFound(s.serve(func(http.ResponseWriter, *http.Request) error { return fault.NotFound }))
		group.MethodNotAllowed(s.serve(rejectMethod))
		for _, rt := range s.routes() {
			group.Method(rt.method, rt.path, s.guard(rt))
		}
	})
	s.handler = belowPath(c.BaseURL.Path, mux)
	return s
}

// rejectMethod names the methods that the path takes.
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
	return problem.MethodNotAllowed.Errorf(
		"This address cannot be opened directly. Go to the start page and use the button there.")
}

// resolveClientIP takes the client's address from the connection, or from the
// header that the trusted proxies add.
func resolveClientIP(proxies int) func(http.Handler) http.Handler {
	if proxies > 0 {
		return middleware.ClientIPFromXFFTrustedProxies(proxies)
	}
	return middleware.ClientIPFromRemoteAddr
}

func serveHealth(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("alive\n")) // the client may be gone
}

// closeWhileDraining makes clients open a new connection, which a load balancer sends to
// another server.
func (s *Server) closeWhileDraining(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.isDraining.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) serveReadiness(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	err := s.db.CheckReady(r.Context())
	if err != nil {
		s.log.WarnContext(r.Context(), "not ready", "error", err)
	}
	if err != nil || s.isDraining.Load() {
		w.Header().Set("Retry-After", problem.RetryAfter)
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte("not ready\n"))
		return
	}
	_, _ = w.Write([]byte("ready\n"))
}
