package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/require"
)

// A syncBuffer collects the output of a running command.
type syncBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer // not embedded: its ReadFrom would go past the lock
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *syncBuffer) contents() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// Not next to other tests: commands share the log of the process, and theirs would be in its output.
func TestDemo_Interrupt_StopsCleanly(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var stdout, stderr syncBuffer
	code := make(chan int)
	go func() {
		code <- run(ctx, []string{"demo", "--addr", "127.0.0.1:0", "--log", "warn"}, streams{in: strings.NewReader(""),
			out: &stdout, err: &stderr})
	}()
	base := waitForOutput(t, &stdout, &stderr, `Labelwright is ready at (http://\S+)`)
	password := waitForOutput(t, &stdout, &stderr, `password “([^”]+)”`)
	for email, landingPath := range map[string]string{"admin@demo.example": "/projects",
		"lead@demo.example": "/projects", "anna@demo.example": "/work"} {
		page := signIn(t, base, email, password)
		if !strings.Contains(page, "Empathy pilot") || !strings.Contains(page, "Ambiguity pilot") {
			t.Errorf("%s does not see the samples at %s", email, landingPath)
		}
	}
	interrupt()
	select {
	case got := <-code:
		if got != exitOK || stderr.contents() != "" {
			t.Errorf("exit %d: %s", got, stderr.contents())
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the demo did not stop")
	}
	if _, err := http.Get(base + "/healthz"); err == nil {
		t.Error("the demo still answers")
	}
}

func waitForOutput(t *testing.T, stdout, stderr *syncBuffer, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if found := re.FindStringSubmatch(stdout.contents()); found != nil {
			return found[1]
		}
		if strings.Contains(stderr.contents(), "no PostgreSQL") {
			require.Missing(t, "postgres", stderr.contents())
		}
	}
	t.Fatalf("the output never matched %q:\n%s%s", pattern, stdout.contents(), stderr.contents())
	return ""
}

// signIn signs in and returns the landing page.
func signIn(t *testing.T, base, email, password string) string {
	t.Helper()
	jar, _ := cookiejar.New(nil)
	form := url.Values{"email": {email}, "password": {password}}
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/sign-in",
		strings.NewReader(form.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err := (&http.Client{Jar: jar}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}
