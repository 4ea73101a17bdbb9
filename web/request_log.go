package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/labelwright/labelwright/internal/telemetry"
)

// requestIDHeader carries the id of a request between a proxy, the server and the client.
const requestIDHeader = "X-Request-Id"

// requestIDPattern is what the id of a proxy must look like.
var requestIDPattern = regexp.MustCompile(`^[A-Za-z0-9._:/+=-]{1,100}$`)

// requestID returns the id of a request, for error pages.
func requestID(r *http.Request) string { return telemetry.RequestFrom(r.Context()).ID }

// identifyRequests gives each request an id: that of a trusted proxy, else a new one.
func (s *Server) identifyRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(requestIDHeader)
		if s.config.TrustedProxies == 0 || !requestIDPattern.MatchString(id) {
			id = rand.Text()[:12]
		}
		w.Header().Set(requestIDHeader, id)
		ctx := telemetry.WithRequest(r.Context(), &telemetry.Request{ID: id,
			Client: middleware.GetClientIP(r.Context())})
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// recordRequests measures each request and logs its outcome. It logs the route, not the
// path, because paths hold tokens.
func (s *Server) recordRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, ctx, end := time.Now(), r.Context(), s.config.Recorder.StartRequest(r.Method)
		wrapped := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		defer func() { // also when a handler aborts the response
			route, status := routePattern(ctx), cmp.Or(wrapped.Status(), http.StatusOK)
			end(route, status)
			s.log.Log(ctx, requestLogLevel(route), "request", "method", telemetry.Method(r.Method), "route", route,
				"status", status, "bytes", wrapped.BytesWritten(), "ms", time.Since(start).Milliseconds())
		}()
		next.ServeHTTP(wrapped, r)
	})
}

// routePattern returns the route of a request, or "".
func routePattern(ctx context.Context) string {
	if routeContext := chi.RouteContext(ctx); routeContext != nil {
		return routeContext.RoutePattern()
	}
	return ""
}

// requestLogLevel returns the level of a route in the log. Probes and static files are too
// many to be of interest.
func requestLogLevel(route string) slog.Level {
	if route == "/healthz" || route == "/readyz" || strings.HasPrefix(route, "/static/") {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// A denial is the reason why an access is denied, as the log and the metrics name it.
type denial string

const (
	deniedSignedOut     denial = "signed_out"
	deniedRole          denial = "role"
	deniedOtherSite     denial = "other_site"
	deniedHost          denial = "unknown_host"
	deniedSignIn        denial = "sign_in"
	deniedPassword      denial = "password" // of a user who is signed in
	deniedForbidden     denial = "forbidden"
	deniedOrNotExisting denial = "not_found" // the object does not exist, or the account may not know that it does
)

// logDenial logs a denied access. A denial of a signed-in user is a warning, because no
// page has a link to it.
func (s *Server) logDenial(r *http.Request, reason denial) {
	level := slog.LevelInfo
	if reason == deniedRole || reason == deniedOtherSite || reason == deniedForbidden {
		level = slog.LevelWarn
	}
	s.config.Recorder.CountDenial(string(reason))
	s.log.Log(r.Context(), level, "access denied", "reason", string(reason), "method", telemetry.Method(r.Method),
		"route", routePattern(r.Context()))
}
