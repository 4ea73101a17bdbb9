package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/telemetry"
	"github.com/labelwright/labelwright/web/problem"
)

type testLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *testLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// take returns the lines since the last call.
func (l *testLog) take(t *testing.T) (lines []map[string]any) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range bytes.Lines(l.text.Bytes()) {
		var fields map[string]any
		if err := json.Unmarshal(line, &fields); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		lines = append(lines, fields)
	}
	l.text.Reset()
	return lines
}

// A loggedServer is a server of a fixture with a log and a recorder of its own.
type loggedServer struct {
	projectFixture
	handler  http.Handler
	log      *testLog
	recorder *telemetry.Recorder
	cookies  map[string]string // by kind of user
}

func newLoggedServer(t *testing.T, level slog.Level, proxies int, o telemetry.Options) loggedServer {
	t.Helper()
	h := newProjectFixture(t)
	s := loggedServer{projectFixture: h, log: &testLog{}, cookies: map[string]string{"anonymous": ""}}
	base, err := url.Parse(h.baseURL)
	if err != nil {
		t.Fatal(err)
	}
	o.Log = slog.New(telemetry.NewLogHandler(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: level})))
	s.recorder = telemetry.New(o)
	db, err := postgres.OpenRecorded(t.Context(), h.databaseURL, s.recorder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	s.handler = newServer(db, Config{BaseURL: base, TrustedProxies: proxies, Log: o.Log, Recorder: s.recorder})
	for _, kind := range userKinds[1:] {
		s.cookies[kind] = "labelwright=" + h.browserFor(kind).sessionToken()
	}
	return s
}

func (s loggedServer) newRequest(kind, method, path, form string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, s.baseURL+path, strings.NewReader(form)).WithContext(s.Context())
	r.RemoteAddr = "192.0.2.7:4711"
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", formContentType)
	}
	if s.cookies[kind] != "" {
		r.Header.Set("Cookie", s.cookies[kind])
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func (s loggedServer) serve(r *http.Request) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	s.handler.ServeHTTP(recorder, r)
	return recorder
}

func linesOf(lines []map[string]any, message string) (found []map[string]any) {
	for _, line := range lines {
		if line["msg"] == message {
			found = append(found, line)
		}
	}
	return found
}

func TestLog_Request_NamesAccountAndClient(t *testing.T) {
	t.Parallel()
	s := newLoggedServer(t, slog.LevelInfo, 0, telemetry.Options{})
	path := s.routePath("/work/{token}")
	recorder := s.serve(s.newRequest("annotator", http.MethodGet, path, "", "X-Forwarded-For", "203.0.113.9",
		requestIDHeader, "forged"))
	text := s.log.text.String()
	lines := linesOf(s.log.take(t), "request")
	if len(lines) != 1 {
		t.Fatalf("the log has %s", text)
	}
	for key, want := range map[string]any{
		"account_id": float64(s.accounts["annotator"].ID), "client": "192.0.2.7",
		"request_id": recorder.Header().Get(requestIDHeader),
		"route":      "/work/{token}", "method": "GET", "status": 200.0, "level": "INFO",
	} {
		if lines[0][key] != want {
			t.Errorf("%s is %v, want %v", key, lines[0][key], want)
		}
	}
	if strings.Contains(text, strings.TrimPrefix(path, "/work/")) ||
		recorder.Header().Get(requestIDHeader) == "forged" {
		t.Errorf("the log has a token, or an id that a client chose: %s", text)
	}
	s.serve(s.newRequest("anonymous", http.MethodPost, "/sign-in", url.Values{"email": {s.accounts["lead"].Email},
		"password": {password}}.Encode()))
	if lines := linesOf(s.log.take(t), "request"); len(lines) != 1 ||
		lines[0]["account_id"] != float64(s.accounts["lead"].ID) {
		t.Errorf("a sign-in does not name its account: %v", lines)
	}
	s.serve(s.newRequest("anonymous", http.MethodGet, "/sign-in", ""))
	if lines := linesOf(s.log.take(t), "request"); len(lines) != 1 || lines[0]["account_id"] != nil ||
		lines[0]["client"] != "192.0.2.7" {
		t.Errorf("a request without an account: %v", lines)
	}
}

// The address of the client and the id of a request are a proxy's only if it is trusted.
func TestRequestID_TrustedProxy_Kept(t *testing.T) {
	t.Parallel()
	s := newLoggedServer(t, slog.LevelInfo, 1, telemetry.Options{})
	for sent, isKept := range map[string]bool{
		"9f2c-1": true, "01JD0Z7M4A:proxy/1+2=": true, "": false, "with space": false, "a\x1b[2J": false, "é": false,
		strings.Repeat("a", 101): false,
	} {
		recorder := s.serve(s.newRequest("annotator", http.MethodGet, "/admin/users", "", "X-Forwarded-For",
			"198.51.100.1, 203.0.113.9", requestIDHeader, sent))
		id := recorder.Header().Get(requestIDHeader)
		if (id == sent) != isKept || id == "" || !strings.Contains(recorder.Body.String(), "<code>"+id+"</code>") {
			t.Errorf("%q: the id is %q, the page %s", sent, id, recorder.Body)
		}
		for _, line := range s.log.take(t) {
			if line["request_id"] != id || line["client"] != "203.0.113.9" {
				t.Errorf("%q: the log has %v", sent, line)
			}
		}
	}
	recorder := s.serve(s.newRequest("annotator", http.MethodGet, "/admin/users", "", "Accept", "application/json",
		requestIDHeader, "abc"))
	var problem problem.Details
	if err := json.Unmarshal(recorder.Body.Bytes(), &problem); err != nil || problem.RequestID != "abc" {
		t.Errorf("the problem has the id %q, %v", problem.RequestID, err)
	}
}

func TestLog_Probes_DebugLevel(t *testing.T) {
	t.Parallel()
	s := newLoggedServer(t, slog.LevelDebug, 0, telemetry.Options{})
	for path, want := range map[string]string{"/healthz": "DEBUG", "/readyz": "DEBUG", "/static/base.css": "DEBUG",
		"/sign-in": "INFO", "/absent": "INFO"} {
		s.serve(s.newRequest("anonymous", http.MethodGet, path, ""))
		if lines := linesOf(s.log.take(t), "request"); len(lines) != 1 || lines[0]["level"] != want {
			t.Errorf("%s: %v", path, lines)
		}
	}
}

// Each denied access is one line.
func TestLog_Denial_LoggedOnce(t *testing.T) {
	t.Parallel()
	s := newLoggedServer(t, slog.LevelInfo, 0, telemetry.Options{})
	host := s.newRequest("anonymous", http.MethodGet, "/sign-in", "")
	host.Host = "evil.example"
	for name, c := range map[string]struct {
		request       *http.Request
		reason, level string
		isSignedIn    bool
	}{
		"signed out": {s.newRequest("anonymous", http.MethodGet, "/projects", ""), "signed_out", "INFO", false},
		"signed out post": {s.newRequest("anonymous", http.MethodPost, "/projects", "title=x"), "signed_out",
			"INFO", false},
		"saved form": {s.newRequest("anonymous", http.MethodPost, s.routePath("/work/{token}"), "helpful=1"),
			"signed_out", "INFO", false},
		"role":      {s.newRequest("annotator", http.MethodGet, "/admin/users", ""), "role", "WARN", true},
		"role post": {s.newRequest("lead", http.MethodPost, "/admin/users", "email=x"), "role", "WARN", true},
		"other project": {s.newRequest("other lead", http.MethodGet, "/projects/mine", ""), "not_found",
			"INFO", true},
		"no such project": {s.newRequest("lead", http.MethodGet, "/projects/none", ""), "not_found", "INFO", true},
		"other item": {s.newRequest("admin", http.MethodGet, s.routePath("/work/{token}"), ""), "not_found",
			"INFO", true},
		"other site": {s.newRequest("lead", http.MethodPost, "/projects", "title=x", "Sec-Fetch-Site",
			"cross-site"), "other_site", "WARN", false},
		"other host": {host, "unknown_host", "INFO", false},
		"wrong password": {s.newRequest("anonymous", http.MethodPost, "/sign-in",
			"email=ann%40example.org&password=wrong"), "sign_in", "INFO", false},
		"confirmation": {s.newRequest("admin", http.MethodPost, "/account/password",
			"current_password=wrong&password=x"), "password", "INFO", true},
	} {
		s.serve(c.request)
		lines := linesOf(s.log.take(t), "access denied")
		if len(lines) != 1 || lines[0]["reason"] != c.reason || lines[0]["level"] != c.level ||
			lines[0]["client"] != "192.0.2.7" || lines[0]["request_id"] == "" ||
			(lines[0]["account_id"] != nil) != c.isSignedIn {
			t.Errorf("%s: %v", name, lines)
		}
	}
	for _, r := range []*http.Request{
		s.newRequest("lead", http.MethodGet, "/projects/mine", ""), s.newRequest("anonymous", http.MethodGet,
			"/sign-in", ""), s.newRequest("lead", http.MethodGet, "/absent", ""),
		s.newRequest("lead", http.MethodPost, "/projects", "title="), s.newRequest("annotator", http.MethodGet,
			"/work", ""),
	} {
		if status := s.serve(r).Code; len(linesOf(s.log.take(t), "access denied")) != 0 {
			t.Errorf("%s %s is logged as denied: %d", r.Method, r.URL.Path, status)
		}
	}
}

// Neither the log, with every query in it, nor the metrics have a text of an item, a value
// of a form, a name, a password or a token.
func TestTelemetry_Texts_Absent(t *testing.T) {
	t.Parallel()
	const canary = "canary8142"
	s := newLoggedServer(t, slog.LevelDebug, 0, telemetry.Options{SlowQuery: time.Nanosecond})
	s.changeItems(`UPDATE items SET content = replace(content::text, 'Question', '` + canary + `')::jsonb`)
	f := newRequestFuzzer(t)
	form := url.Values{}
	for _, name := range f.fields {
		form.Set(name, canary)
	}
	requests := 0
	for _, rt := range fuzzedRoutes() {
		for _, kind := range userKinds {
			path := rt.path
			if strings.Contains(path, "{") && rt.handle != nil {
				path = s.routePath(path)
			}
			s.serve(s.newRequest(kind, rt.method, path+"?search="+canary, form.Encode()))
			s.serve(s.newRequest(kind, rt.method, strings.ReplaceAll(absentPath.Replace(rt.path), "absent", canary),
				form.Encode()))
			requests += 2
		}
	}
	log := s.log.text.String()
	recorder := httptest.NewRecorder()
	s.recorder.Handler().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	metrics := recorder.Body.String()
	for _, secret := range []string{canary, "Question 1", "An answer.", "@example.org", password,
		strings.TrimPrefix(s.routePath("/work/{token}"), "/work/"), strings.TrimPrefix(s.cookies["lead"],
			"labelwright=")} {
		for place, text := range map[string]string{"log": log, "metrics": metrics} {
			if i := strings.Index(text, secret); i >= 0 {
				t.Errorf("the %s has %q: %s", place, secret, text[max(0, i-500):min(len(text), i+100)])
			}
		}
	}
	lines := s.log.take(t)
	if n := len(linesOf(lines, "request")); n != requests {
		t.Errorf("the log has %d of %d requests", n, requests)
	}
	slow := linesOf(lines, "slow query")
	if len(slow) < requests || slow[len(slow)/2]["request_id"] == nil || !strings.Contains(fmt.Sprint(slow), "SELECT") {
		t.Errorf("the log has %d queries of %d requests", len(slow), requests)
	}
	for _, metric := range []string{`labelwright_http_request_duration_seconds_count{method="GET",route="/projects/{key}",status="200"}`, `labelwright_access_denied_total{reason="role"}`,
		`labelwright_database_query_duration_seconds_count{outcome="ok"}`,
		`labelwright_database_connections{state="idle"}`, `route="unknown"`} {
		if !strings.Contains(metrics, metric) {
			t.Errorf("no metric %s in\n%s", metric, metrics)
		}
	}
}
