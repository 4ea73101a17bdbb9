package postgres_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
)

// BenchmarkServeReport shows the report of a project of BenchmarkReport in a server of its own, and all
// parts of it. first-s is the time until it is computed, page-ms the longest time of a page that shows a
// finished report, stale-page-ms the same after 1,000 further labels. peak-MiB is the largest memory of
// the server. Run it with
//
//	LABELWRIGHT_SLOW=1 go test ./internal/postgres -run '^$' -bench ServeReport -benchtime 1x -timeout 1h
func BenchmarkServeReport(b *testing.B) {
	program := buildProgram(b)
	databaseURL := newLabeledProject(b, largeProjectItems(), 3, 10)
	const email, password = "admin@example.org", "a long phrase of an admin"
	hash, err := account.HashPassword(b.Context(), "", password, account.Owner{Email: email})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := openMigrated(b, databaseURL, nil).CreateAccount(b.Context(), 0, account.NewAccount{Email: email,
		Name: "Admin", Role: account.Admin}, hash); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		pid, baseURL := startServing(b, program, databaseURL)
		client := reportReader{b, signInTo(b, baseURL, email, password), baseURL + "/projects/large/report"}
		b.ReportMetric(client.awaitReport().Seconds(), "first-s")
		paths := []string{"", "/agreement", "/annotators", "/comparison", "/metrics", "/judges", "/methods", "/full"}
		longest := func() (longest time.Duration) {
			for _, path := range paths {
				took, _ := client.get(path)
				longest = max(longest, took)
			}
			return longest
		}
		b.ReportMetric(float64(longest().Milliseconds()), "page-ms")
		addLabels(b, databaseURL, 1000)
		b.ReportMetric(float64(longest().Milliseconds()), "stale-page-ms")
		if peak, ok := processPeakMiB(pid); ok {
			b.ReportMetric(peak, "peak-MiB")
		}
	}
}

// A reportReader reads the pages of one report.
type reportReader struct {
	b         *testing.B
	client    *http.Client
	reportURL string
}

// get returns how long a page took, and whether a newer report is being computed or will be.
func (r reportReader) get(path string) (took time.Duration, isStale bool) {
	startedAt := time.Now()
	response, err := r.client.Get(r.reportURL + path)
	if err != nil {
		r.b.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
		r.b.Fatalf("%s: %s, %v", path, response.Status, err)
	}
	return time.Since(startedAt), response.Header.Get("Refresh") != ""
}

// awaitReport returns how long it took until the report was that of all labels.
func (r reportReader) awaitReport() time.Duration {
	startedAt := time.Now()
	for {
		if _, isStale := r.get(""); !isStale {
			return time.Since(startedAt)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// startServing starts a server process that stops with the benchmark, and returns its address.
func startServing(b *testing.B, program, databaseURL string) (pid int, baseURL string) {
	command := exec.Command(program, "serve", "--addr", "127.0.0.1:0", "--log", "error")
	command.Env, command.Stderr = append(os.Environ(), "DATABASE_URL="+databaseURL), os.Stderr
	stdout, err := command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		_ = command.Wait() // killed by the signal or not: it has ended
	})
	ready := regexp.MustCompile(`ready at (http://\S+)`)
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if match := ready.FindStringSubmatch(lines.Text()); match != nil {
			return command.Process.Pid, match[1]
		}
	}
	b.Fatal("the server ended before it was ready")
	return 0, ""
}

// signInTo returns a client that is signed in.
func signInTo(b *testing.B, baseURL, email, password string) *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		b.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	form := url.Values{"email": {email}, "password": {password}}
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, baseURL+"/sign-in",
		strings.NewReader(form.Encode()))
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err := client.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	if response.Request.URL.Path == "/sign-in" {
		b.Fatal("the sign-in was refused")
	}
	return client
}

// processPeakMiB returns the largest memory that a process has used; false where there is no /proc.
func processPeakMiB(pid int) (mebibytes float64, ok bool) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, err := strconv.ParseFloat(strings.TrimSpace(strings.SplitN(rest, "kB", 2)[0]), 64)
	return kilobytes / 1024, err == nil
}
