// Package telemetry measures requests and queries: metrics for Prometheus, traces for
// OpenTelemetry, and a log of slow queries. Nothing in it holds item texts, form values,
// arguments of queries, or paths, which contain tokens.
package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// Options configure a Recorder.
type Options struct {
	Version   string
	Log       *slog.Logger
	SlowQuery time.Duration // log queries that take at least this long; 0: none
	OTLP      string        // URL of the OpenTelemetry collector that gets traces; "": none
}

// A Recorder measures the requests and queries of a process. A nil Recorder does nothing.
type Recorder struct {
	options  Options
	metrics  metrics
	tracer   trace.Tracer
	shutdown func(context.Context) error
}

// New returns a Recorder. Close ends it.
func New(ctx context.Context, o Options) (*Recorder, error) {
	r := &Recorder{options: o, metrics: newMetrics(o.Version), tracer: noop.NewTracerProvider().Tracer(""),
		shutdown: func(context.Context) error { return nil }}
	if o.OTLP == "" {
		return r, nil
	}
	provider, err := newTracerProvider(ctx, o)
	if err != nil {
		return nil, err
	}
	r.tracer, r.shutdown = provider.Tracer("github.com/labelwright/labelwright"), provider.Shutdown
	return r, nil
}

// Close sends the traces that are not sent yet.
func (r *Recorder) Close(ctx context.Context) error { return r.shutdown(ctx) }

// Method returns the method of a request for logs, metrics and traces: “other” for what is none,
// because a client can send any word.
func Method(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// StartRequest records a request. A caller that trusts its proxy passes the headers, so that
// the trace continues the proxy's. The request ends with its route, which is "" for an
// unknown path, and its status.
func (r *Recorder) StartRequest(ctx context.Context, method string, trusted http.Header) (_ context.Context, end func(route string, status int)) {
	if r == nil {
		return ctx, func(string, int) {}
	}
	start, method := time.Now(), Method(method)
	r.metrics.requestsInFlight.Inc()
	if trusted != nil {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(trusted))
	}
	ctx, span := r.tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer))
	return ctx, func(route string, status int) {
		r.metrics.requestsInFlight.Dec()
		r.metrics.observeRequest(method, route, status, time.Since(start))
		endRequestSpan(ctx, span, method, route, status)
	}
}

func endRequestSpan(ctx context.Context, span trace.Span, method, route string, status int) {
	defer span.End()
	if !span.IsRecording() {
		return
	}
	request := RequestFrom(ctx)
	span.SetName(strings.TrimSpace(method + " " + route))
	span.SetAttributes(attribute.String("http.request.method", method), attribute.String("http.route", route), attribute.Int("http.response.status_code", status),
		attribute.String("labelwright.request_id", request.ID), attribute.Int64("labelwright.account_id", int64(request.Account)))
	if status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
}

// CountDenial counts a denied access, for a reason from a fixed list.
func (r *Recorder) CountDenial(reason string) {
	if r != nil {
		r.metrics.denials.WithLabelValues(reason).Inc()
	}
}

// StartQuery records a query until it ends. Its arguments are not recorded.
func (r *Recorder) StartQuery(ctx context.Context, sql string) (_ context.Context, end func(error)) {
	if r == nil {
		return ctx, func(error) {}
	}
	start := time.Now()
	ctx, span := r.tracer.Start(ctx, operation(sql), trace.WithSpanKind(trace.SpanKindClient))
	if span.IsRecording() {
		span.SetAttributes(attribute.String("db.system.name", "postgresql"), attribute.String("db.query.text", shorten(sql)))
	}
	return ctx, func(err error) {
		duration := time.Since(start)
		r.metrics.observeQuery(duration, err)
		if err != nil && span.IsRecording() {
			span.SetStatus(codes.Error, sqlState(err))
		}
		span.End()
		if r.options.SlowQuery > 0 && duration >= r.options.SlowQuery {
			r.metrics.slowQueries.Inc()
			r.options.Log.WarnContext(ctx, "slow query", "ms", duration.Milliseconds(), "failed", err != nil, "sql", shorten(sql))
		}
	}
}

// sqlState returns the code of a database error. Its text may quote a value.
func sqlState(err error) string {
	if coded, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err); ok {
		return coded.SQLState()
	}
	return "connection"
}

// operation returns the first word of a statement, such as SELECT.
func operation(sql string) string {
	if words := strings.Fields(sql[:min(len(sql), 100)]); len(words) > 0 {
		return strings.ToUpper(words[0])
	}
	return "QUERY"
}

// maxQueryLength is how much of a statement the log and a trace have, in bytes.
const maxQueryLength = 2000

// shorten returns a statement on one line.
func shorten(sql string) string {
	text := strings.Join(strings.Fields(sql), " ")
	if len(text) > maxQueryLength {
		text = strings.ToValidUTF8(text[:maxQueryLength], "") + " …"
	}
	return text
}
