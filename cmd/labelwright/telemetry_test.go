package main

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// A traceCollector receives traces as an OpenTelemetry collector does.
type traceCollector struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*collector.ExportTraceServiceRequest
}

func newTraceCollector(t *testing.T) *traceCollector {
	t.Helper()
	c := &traceCollector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := io.Reader(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			unzipped, err := gzip.NewReader(r.Body)
			if err != nil {
				t.Error(err)
				return
			}
			body = unzipped
		}
		content, err := io.ReadAll(body)
		request := &collector.ExportTraceServiceRequest{}
		if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(content, request) != nil {
			t.Errorf("%s gets %d bytes, %v", r.URL.Path, len(content), err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.requests = append(c.requests, request)
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

// spans returns the spans that were received, by name, and everything received as text.
func (c *traceCollector) spans() (byName map[string][]*trace.Span, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	byName = map[string][]*trace.Span{}
	for _, request := range c.requests {
		text += request.String()
		for _, resource := range request.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				for _, span := range scope.Spans {
					byName[span.Name] = append(byName[span.Name], span)
				}
			}
		}
	}
	return byName, text
}

func getText(t *testing.T, address string, headers ...string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// A server sends its traces to a collector when it stops, at the latest: a span for each
// request, which continues the proxy's trace, and below it one for each query.
func TestServe_OTLP_SendsRequestsAndQueries(t *testing.T) {
	env := newTestEnv(t)
	c := newTraceCollector(t)
	s := startServeProcess(t, "--database-url", env.databaseURL, "--otlp-endpoint", c.URL, "--proxies", "1", "--drain-delay", "0s")
	const traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	getText(t, s.baseURL+"/setup/an-unknown-token?next=%2Fsecret-path", "traceparent", "00-"+traceID+"-00f067aa0ba902b7-01", "X-Request-Id", "from-the-proxy")
	s.stop()
	spans, text := c.spans()
	requests := spans["GET /setup/{token}"]
	if len(requests) != 1 {
		t.Fatalf("the collector got %s\n%s", text, s.stderr.contents())
	}
	request := requests[0]
	if got := encodeHex(request.TraceId); got != traceID || request.Kind != trace.Span_SPAN_KIND_SERVER {
		t.Errorf("the request is in trace %s: %v", got, request)
	}
	for _, want := range []string{`"http.route"`, `"/setup/{token}"`, `int_value:404`, `"from-the-proxy"`, `"service.name"`, `"labelwright"`} {
		if !strings.Contains(strings.ReplaceAll(text, `string_value: `, `string_value:`), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	queries := 0
	for _, span := range spans["SELECT"] {
		if string(span.ParentSpanId) == string(request.SpanId) && span.Kind == trace.Span_SPAN_KIND_CLIENT {
			queries++
		}
	}
	if queries == 0 {
		t.Errorf("the request has no queries: %s", text)
	}
	for _, secret := range []string{"an-unknown-token", "secret-path"} {
		if strings.Contains(text, secret) {
			t.Errorf("a trace has %s", secret)
		}
	}
}

func encodeHex(id []byte) string {
	const digits = "0123456789abcdef"
	var b strings.Builder
	for _, c := range id {
		b.WriteByte(digits[c>>4])
		b.WriteByte(digits[c&15])
	}
	return b.String()
}

// A collector that is away delays neither requests nor the end of the server.
func TestServe_NoCollector_Works(t *testing.T) {
	env := newTestEnv(t)
	s := startServeProcess(t, "--database-url", env.databaseURL, "--otlp-endpoint", "http://"+closedPort(t))
	if status, _ := getText(t, s.baseURL+"/sign-in"); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	start := time.Now()
	if code := s.stop(); code != exitOK || time.Since(start) > 10*time.Second {
		t.Errorf("exit %d after %s: %s", code, time.Since(start), s.stderr.contents())
	}
	if !strings.Contains(s.stderr.contents(), "traces") {
		t.Errorf("the log does not say that traces are lost: %s", s.stderr.contents())
	}
}

// Metrics and profiles have an address of their own, and only that.
func TestServe_Metrics_OwnAddress(t *testing.T) {
	env := newTestEnv(t)
	s := startServeProcess(t, "--database-url", env.databaseURL, "--metrics-addr", "127.0.0.1:0", "--slow-query", "1ns")
	metrics := strings.TrimSuffix(waitForOutput(t, &s.stderr, &s.stderr, `"url":"(http://[^"]+/metrics)"`), "/metrics")
	getText(t, s.baseURL+"/sign-in")
	for address, want := range map[string]struct {
		status int
		text   string
	}{
		metrics + "/metrics":                                           {200, `labelwright_http_request_duration_seconds_count{method="GET",route="/sign-in",status="200"} 1`},
		metrics + "/debug/pprof/":                                      {200, "goroutine"},
		metrics + "/debug/pprof/heap?debug=1":                          {200, "heap profile"},
		metrics + "/debug/pprof/profile?seconds=1":                     {200, ""},
		metrics + "/debug/pprof/cmdline":                               {404, ""},
		metrics + "/":                                                  {404, ""},
		s.baseURL + "/metrics":                                         {404, ""},
		s.baseURL + "/debug/pprof/":                                    {404, ""},
		s.baseURL + "/debug/pprof/heap":                                {404, ""},
		strings.Replace(s.baseURL, "127.0.0.1", "localhost", 1) + "/x": {421, ""},
	} {
		if status, text := getText(t, address); status != want.status || !strings.Contains(text, want.text) {
			t.Errorf("%s: %d %.3000s", address, status, text)
		}
	}
	_, text := getText(t, metrics+"/metrics")
	for _, pattern := range []string{
		`(?m)^labelwright_build_info\{go_version="go[^"]+",version="[^"]+"\} 1$`, `(?m)^labelwright_database_connections\{state="idle"\} [1-9]`, `(?m)^labelwright_database_connections_max 16$`,
		`(?m)^labelwright_database_slow_queries_total [1-9]`, `(?m)^process_resident_memory_bytes `, `(?m)^go_goroutines `, `(?m)^labelwright_http_requests_in_flight 0$`,
	} {
		if !regexp.MustCompile(pattern).MatchString(text) {
			t.Errorf("no %s in\n%s", pattern, text)
		}
	}
	if log := s.stderr.contents(); !strings.Contains(log, `"msg":"slow query"`) {
		t.Errorf("the log has no slow query: %s", log)
	}
}

func TestServe_TelemetryFlags_Usage(t *testing.T) {
	env := newTestEnv(t)
	for _, c := range []struct{ flag, value, want string }{
		{"--metrics-addr", "9090", "--metrics-addr"}, {"--otlp-endpoint", "127.0.0.1:4318", "--otlp-endpoint"}, {"--otlp-endpoint", "grpc://x", "--otlp-endpoint"}, {"--slow-query", "soon", "--slow-query"},
	} {
		code, _, stderr := runCommand(t, "", "serve", "--database-url", env.databaseURL, "--addr", "127.0.0.1:0", c.flag, c.value)
		if code != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%s %s: exit %d: %s", c.flag, c.value, code, stderr)
		}
	}
}

func TestServe_PublicHTTP_Warns(t *testing.T) {
	env := newTestEnv(t)
	for base, isWarned := range map[string]bool{"http://labels.example.org": true, "https://labels.example.org": false, "http://127.0.0.1:8080": false} {
		s := startServeProcess(t, "--database-url", env.databaseURL, "--base-url", base)
		if log := s.stderr.contents(); strings.Contains(log, "sent unencrypted") != isWarned {
			t.Errorf("%s: %s", base, log)
		}
	}
}

func TestIsPublicHost_Names(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"labels.example.org": true, "LABELS.EXAMPLE.ORG.": true, "203.0.113.9": true, "2001:db8::1": true, "home.example.com": true,
		"localhost": false, "app.localhost": false, "127.0.0.1": false, "::1": false, "10.1.2.3": false, "192.168.1.5": false, "fd00::1": false, "fe80::1": false,
		"labelwright": false, "nas.local": false, "labels.corp.internal": false, "labels.home.arpa": false,
	} {
		if got := isPublicHost(host); got != want {
			t.Errorf("%s: %v", host, got)
		}
	}
}
