package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// heard gathers what a command prints while it runs.
type heard struct {
	sync.Mutex
	bytes.Buffer
}

func (h *heard) Write(b []byte) (int, error) {
	h.Lock()
	defer h.Unlock()
	return h.Buffer.Write(b)
}

func (h *heard) text() string {
	h.Lock()
	defer h.Unlock()
	return h.String()
}

func TestTheDemoAnswersAndStopsCleanly(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var out, faults heard
	code := make(chan int)
	go func() {
		code <- run(ctx, []string{"demo", "--addr", "127.0.0.1:0", "--log", "warn"}, streams{strings.NewReader(""), &out, &faults})
	}()
	base := waitFor(t, &out, &faults, `Labelwright is ready at (http://\S+)`)
	password := waitFor(t, &out, &faults, `password “([^”]+)”`)
	for email, lands := range map[string]string{"admin@demo.example": "/projects", "lead@demo.example": "/projects", "anna@demo.example": "/work"} {
		page := signIn(t, base, email, password)
		if !strings.Contains(page, "Replies to hard days") || !strings.Contains(page, "Open questions, held open") {
			t.Errorf("%s does not find the samples at %s", email, lands)
		}
	}
	interrupt()
	select {
	case got := <-code:
		if got != done || faults.text() != "" {
			t.Errorf("exit %d: %s", got, faults.text())
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the demo does not stop")
	}
	if _, err := http.Get(base + "/healthz"); err == nil {
		t.Error("the demo still answers")
	}
}

func waitFor(t *testing.T, out, faults *heard, pattern string) string {
	t.Helper()
	form := regexp.MustCompile(pattern)
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if found := form.FindStringSubmatch(out.text()); found != nil {
			return found[1]
		}
		if strings.Contains(faults.text(), "no PostgreSQL") {
			if strings.Contains(os.Getenv("LABELWRIGHT_REQUIRE"), "postgres") {
				t.Fatalf("PostgreSQL is required here: %s", faults.text())
			}
			t.Skipf("There is no PostgreSQL here, so the demo is not tested: %s", faults.text())
		}
	}
	t.Fatalf("%q was never said:\n%s%s", pattern, out.text(), faults.text())
	return ""
}

// signIn signs in as a browser would and returns the page it lands on.
func signIn(t *testing.T, base, email, password string) string {
	t.Helper()
	jar, _ := cookiejar.New(nil)
	form := url.Values{"email": {email}, "password": {password}}
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/sign-in", strings.NewReader(form.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	answer, err := (&http.Client{Jar: jar}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}
