// Package telemetry measures requests and queries: metrics for Prometheus and a log of slow
// queries. Nothing in it holds item texts, form values, arguments of queries, or paths, which
// contain tokens.
package telemetry

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

// Options configure a Recorder.
type Options struct {
	Version   string
	Log       *slog.Logger
	SlowQuery time.Duration // log queries that take at least this long; 0: none
}

// A Recorder measures the requests and queries of a process. A nil Recorder does nothing.
type Recorder struct {
	options Options
	metrics metrics
}

// New returns a Recorder.
func New(o Options) *Recorder { return &Recorder{options: o, metrics: newMetrics(o.Version)} }

// Method returns the method of a request for logs and metrics: “other” for what is none,
// because a client can send any word.
func Method(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	}
	return "other"
}

// StartRequest records a request. It ends with its route, which is "" for an unknown path, and
// its status.
func (r *Recorder) StartRequest(method string) (end func(route string, status int)) {
	if r == nil {
		return func(string, int) {}
	}
	start, method := time.Now(), Method(method)
	r.metrics.requestsInFlight.Inc()
	return func(route string, status int) {
		r.metrics.requestsInFlight.Dec()
		r.metrics.observeRequest(method, route, status, time.Since(start))
	}
}

// CountDenial counts a denied access, for a reason from a fixed list.
func (r *Recorder) CountDenial(reason string) {
	if r != nil {
		r.metrics.denials.WithLabelValues(reason).Inc()
	}
}

// StartQuery records a query until it ends. Its arguments are not recorded, nor is the text of
// its error, which may quote a value.
func (r *Recorder) StartQuery(ctx context.Context, sql string) (end func(error)) {
	if r == nil {
		return func(error) {}
	}
	start := time.Now()
	return func(err error) {
		duration := time.Since(start)
		r.metrics.observeQuery(duration, err)
		if r.options.SlowQuery > 0 && duration >= r.options.SlowQuery {
			r.metrics.slowQueries.Inc()
			r.options.Log.WarnContext(ctx, "slow query", "ms", duration.Milliseconds(), "failed", err != nil,
				"sql", shorten(sql))
		}
	}
}

// maxQueryLength is how much of a statement the log has, in bytes.
const maxQueryLength = 2000

// shorten returns a statement on one line.
func shorten(sql string) string {
	text := strings.Join(strings.Fields(sql), " ")
	if len(text) > maxQueryLength {
		text = strings.ToValidUTF8(text[:maxQueryLength], "") + " …"
	}
	return text
}
