package telemetry

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

type metrics struct {
	registry         *prometheus.Registry
	requests         *prometheus.HistogramVec
	requestsInFlight prometheus.Gauge
	denials          *prometheus.CounterVec
	queries          *prometheus.HistogramVec
	slowQueries      prometheus.Counter
}

func newMetrics(version string) metrics {
	m := metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "labelwright_http_request_duration_seconds", Help: "Time to answer a request.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}}, []string{"method", "route",
			"status"}),
		requestsInFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "labelwright_http_requests_in_flight",
			Help: "Requests being answered."}),
		denials: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "labelwright_access_denied_total",
			Help: "Requests that were denied, by reason."}, []string{"reason"}),
		queries: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "labelwright_database_query_duration_seconds", Help: "Time of a query, until its last row is read.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5, 30}}, []string{"outcome"}),
		slowQueries: prometheus.NewCounter(prometheus.CounterOpts{Name: "labelwright_database_slow_queries_total",
			Help: "Queries in the log of slow queries."}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "labelwright_build_info",
		Help:        "The version of this program. Always 1.",
		ConstLabels: prometheus.Labels{"version": version, "go_version": runtime.Version()}})
	build.Set(1)
	m.registry.MustRegister(m.requests, m.requestsInFlight, m.denials, m.queries, m.slowQueries, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// observeRequest counts a request, whose method comes from Method: the labels have few values.
func (m metrics) observeRequest(method, route string, status int, d time.Duration) {
	if route == "" {
		route = "unknown"
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Observe(d.Seconds())
}

func (m metrics) observeQuery(d time.Duration, err error) {
	outcome := "ok"
	if err != nil {
		outcome = "error"
	}
	m.queries.WithLabelValues(outcome).Observe(d.Seconds())
}

// PoolStats describe a pool of connections to the database.
type PoolStats struct {
	Acquired, Idle, Max int32
	Waits               int64 // acquisitions that had to wait for a connection, or open one
	WaitTime            time.Duration
}

// A poolCollector reads the statistics of a pool when they are asked for.
type poolCollector struct{ read func() PoolStats }

var (
	poolConnections = prometheus.NewDesc("labelwright_database_connections",
		"Open connections to the database, by state.", []string{"state"}, nil)
	poolMax = prometheus.NewDesc("labelwright_database_connections_max",
		"Connections that the server opens at most.", nil, nil)
	poolWaits = prometheus.NewDesc("labelwright_database_connection_waits_total",
		"Times that no connection was idle.", nil, nil)
	poolWaitTime = prometheus.NewDesc("labelwright_database_connection_wait_seconds_total",
		"Time until a connection was free.", nil, nil)
)

// Describe names the metrics of the pool.
func (c poolCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{poolConnections, poolMax, poolWaits, poolWaitTime} {
		out <- d
	}
}

// Collect reads the metrics of the pool.
func (c poolCollector) Collect(out chan<- prometheus.Metric) {
	s := c.read()
	out <- prometheus.MustNewConstMetric(poolConnections, prometheus.GaugeValue, float64(s.Acquired), "acquired")
	out <- prometheus.MustNewConstMetric(poolConnections, prometheus.GaugeValue, float64(s.Idle), "idle")
	out <- prometheus.MustNewConstMetric(poolMax, prometheus.GaugeValue, float64(s.Max))
	out <- prometheus.MustNewConstMetric(poolWaits, prometheus.CounterValue, float64(s.Waits))
	out <- prometheus.MustNewConstMetric(poolWaitTime, prometheus.CounterValue, s.WaitTime.Seconds())
}

// WatchPool adds the statistics of a pool of connections to the metrics.
func (r *Recorder) WatchPool(read func() PoolStats) {
	r.metrics.registry.MustRegister(poolCollector{read})
}

// WorkStats describe what the server has done and what waits.
type WorkStats struct {
	Labels        int64
	BackupAge     *float64 // seconds; nil: none was written
	WaitingEvents int64    // for webhooks
	Jobs          []JobStats
}

// JobStats describe the jobs of a kind in a state.
type JobStats struct {
	Kind, State string
	Count       int64
	Age         float64 // seconds since the first should have started
}

// A workCollector reads what waits when metrics are asked for.
type workCollector struct {
	read func(context.Context) (WorkStats, error)
}

var (
	labelsGiven = prometheus.NewDesc("labelwright_labels_total", "Items that annotators labeled.", nil, nil)
	jobCount    = prometheus.NewDesc("labelwright_jobs",
		"Work in the background, by kind.", []string{"kind", "state"}, nil)
	jobAge = prometheus.NewDesc("labelwright_job_age_seconds",
		"Time since the first of these jobs should have started.", []string{"kind", "state"}, nil)
	eventsWaiting = prometheus.NewDesc("labelwright_webhook_events_waiting",
		"Events that webhooks have not accepted yet.", nil, nil)
	backupAge = prometheus.NewDesc("labelwright_backup_age_seconds",
		"Age of the last backup. Missing: there is none.", nil, nil)
)

// maxWorkTime bounds how long a scrape waits for the database.
const maxWorkTime = 5 * time.Second

// Describe names the metrics of the work.
func (c workCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{labelsGiven, jobCount, jobAge, eventsWaiting, backupAge} {
		out <- d
	}
}

// Collect reads the metrics of the work; none while the database does not answer.
func (c workCollector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), maxWorkTime)
	defer cancel()
	s, err := c.read(ctx)
	if err != nil {
		slog.WarnContext(ctx, "metrics of the work cannot be read", "error", err)
		return
	}
	out <- prometheus.MustNewConstMetric(labelsGiven, prometheus.CounterValue, float64(s.Labels))
	out <- prometheus.MustNewConstMetric(eventsWaiting, prometheus.GaugeValue, float64(s.WaitingEvents))
	if s.BackupAge != nil {
		out <- prometheus.MustNewConstMetric(backupAge, prometheus.GaugeValue, *s.BackupAge)
	}
	for _, j := range s.Jobs {
		out <- prometheus.MustNewConstMetric(jobCount, prometheus.GaugeValue, float64(j.Count), j.Kind, j.State)
		out <- prometheus.MustNewConstMetric(jobAge, prometheus.GaugeValue, j.Age, j.Kind, j.State)
	}
}

// WatchWork adds what the server has done and what waits to the metrics.
func (r *Recorder) WatchWork(read func(context.Context) (WorkStats, error)) {
	r.metrics.registry.MustRegister(workCollector{read})
}

// Handler returns the pages for operators: /metrics for Prometheus, and the profiles of
// /debug/pprof/ without the command line, which may hold a password.
func (r *Recorder) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(r.metrics.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.Handle("GET /debug/pprof/cmdline", http.NotFoundHandler())
	return mux
}
