package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

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

// Metrics and profiles have an address of their own, and only that.
func TestServe_Metrics_OwnAddress(t *testing.T) {
	env := newTestEnv(t)
	env.execSQL(`INSERT INTO river.river_job (args, kind, max_attempts, state) VALUES ('{}', 'waits', 1, 'pending')`)
	env.mustRun("backup", filepath.Join(env.dir, "labelwright.backup"))
	s := startServeProcess(t, "--database-url", env.databaseURL, "--metrics-addr", "127.0.0.1:0", "--slow-query", "1ns")
	metrics := strings.TrimSuffix(waitForOutput(t, &s.stderr, &s.stderr, `"url":"(http://[^"]+/metrics)"`), "/metrics")
	getText(t, s.baseURL+"/sign-in")
	for address, want := range map[string]struct {
		status int
		text   string
	}{
		metrics + "/metrics": {200,
			`labelwright_http_request_duration_seconds_count{method="GET",route="/sign-in",status="200"} 1`},
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
		`(?m)^labelwright_build_info\{go_version="go[^"]+",version="[^"]+"\} 1$`,
		`(?m)^labelwright_database_connections\{state="idle"\} [1-9]`,
		`(?m)^labelwright_database_connections_max 16$`,
		`(?m)^labelwright_database_slow_queries_total [1-9]`, `(?m)^process_resident_memory_bytes `,
		`(?m)^labelwright_labels_total 0$`, `(?m)^labelwright_webhook_events_waiting 0$`,
		`(?m)^labelwright_jobs\{kind="waits",state="pending"\} 1$`,
		`(?m)^labelwright_job_age_seconds\{kind="waits",state="pending"\} [0-9]`,
		`(?m)^labelwright_backup_age_seconds [0-9.]+$`, `(?m)^go_goroutines `, `(?m)^labelwright_http_requests_in_flight 0$`,
	} {
		if !regexp.MustCompile(pattern).MatchString(text) {
			t.Errorf("no %s in\n%s", pattern, text)
		}
	}
	// Alerts and the dashboard ask for metrics that there are.
	for _, file := range []string{"alerts.yaml", "grafana.json"} {
		asked, err := os.ReadFile("../../.github/deploy/" + file)
		if err != nil {
			t.Fatal(err)
		}
		names := regexp.MustCompile(`\b(labelwright|process)_[a-z_]+_[a-z]+\b`).FindAllString(string(asked), -1)
		if len(names) < 6 {
			t.Errorf("%s asks for %d metrics", file, len(names))
		}
		for _, name := range names {
			if !strings.Contains(text, "\n"+name) {
				t.Errorf("%s asks for %s, which is no metric", file, name)
			}
		}
	}
	if log := s.stderr.contents(); !strings.Contains(log, `"msg":"slow query"`) {
		t.Errorf("the log has no slow query: %s", log)
	}
}

func TestServe_TelemetryFlags_Usage(t *testing.T) {
	env := newTestEnv(t)
	for _, c := range []struct{ flag, value, want string }{
		{"--metrics-addr", "9090", "--metrics-addr"}, {"--slow-query", "soon", "--slow-query"},
	} {
		code, _, stderr := runCommand(t, "", "serve", "--database-url", env.databaseURL, "--addr", "127.0.0.1:0",
			c.flag, c.value)
		if code != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%s %s: exit %d: %s", c.flag, c.value, code, stderr)
		}
	}
}

func TestServe_PublicHTTP_Warns(t *testing.T) {
	env := newTestEnv(t)
	for base, isWarned := range map[string]bool{"http://labels.example.org": true, "https://labels.example.org": false,
		"http://127.0.0.1:8080": false} {
		s := startServeProcess(t, "--database-url", env.databaseURL, "--base-url", base, "--proxies", "1")
		if log := s.stderr.contents(); strings.Contains(log, "sent unencrypted") != isWarned {
			t.Errorf("%s: %s", base, log)
		}
	}
}

func TestIsPublicHost_Names(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"labels.example.org": true, "LABELS.EXAMPLE.ORG.": true, "203.0.113.9": true, "2001:db8::1": true,
		"home.example.com": true,
		"localhost":        false, "app.localhost": false, "127.0.0.1": false, "::1": false, "10.1.2.3": false,
		"192.168.1.5": false, "fd00::1": false, "fe80::1": false,
		"labelwright": false, "nas.local": false, "labels.corp.internal": false, "labels.home.arpa": false,
	} {
		if got := isPublicHost(host); got != want {
			t.Errorf("%s: %v", host, got)
		}
	}
}
