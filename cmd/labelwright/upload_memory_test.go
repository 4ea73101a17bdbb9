package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/require"
)

// maxUploadRSS is the resident memory that a server takes at most, in MiB, while ten of the
// largest files arrive at the same time and are then imported. The README states it.
const maxUploadRSS = 160

const uploadRowSize = 4 << 10

// A rowReader generates the rows of an upload while they are sent.
type rowReader struct {
	count, next int
	rest        []byte
}

// Read returns the next rows.
func (r *rowReader) Read(buffer []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.next == r.count {
			return 0, io.EOF
		}
		head := fmt.Sprintf(`{"id":"row-%d","query":"Q?","model":"m","answer":"`, r.next)
		r.rest = []byte(head + strings.Repeat("word ", uploadRowSize/5)[:uploadRowSize-len(head)-3] + "\"}\n")
		r.next++
	}
	n := copy(buffer, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// A lead is a signed-in client of a server.
type lead struct {
	http.Client
	base string
}

func (l *lead) post(path, contentType string, body io.Reader) (response *http.Response, text string, err error) {
	r, err := http.NewRequest(http.MethodPost, l.base+path, body)
	if err != nil {
		return nil, "", err
	}
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err = l.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response, string(content), err
}

// newLead adds a lead with a project and signs in at a server.
func (env testEnv) newLead(base string, i int) *lead {
	env.Helper()
	email := fmt.Sprintf("lead%d@example.org", i)
	if code, _, stderr := runCommand(env.T, "a quiet morning tram\n", "--database-url", env.databaseURL, "user", "add",
		"--email", email, "--name", "Lena", "--role", "lead", "--password-stdin"); code != exitOK {
		env.Fatal(stderr)
	}
	env.mustRun("project", "create", "--key", fmt.Sprintf("p%d", i), "--title", "Pilot", "--protocol", "rag-generation",
		"--lead", email)
	jar, _ := cookiejar.New(nil) // never an error
	l := &lead{http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}, base}
	form := url.Values{"email": {email}, "password": {"a quiet morning tram"}}
	response, text, err := l.post("/sign-in", "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
	if err != nil || response.StatusCode != http.StatusSeeOther {
		env.Fatalf("sign in: %v: %s", err, text)
	}
	return l
}

// upload sends a file and returns the path of its preview.
func (l *lead) upload(path string, content io.Reader) (preview string, err error) {
	var head bytes.Buffer
	form := multipart.NewWriter(&head)
	if _, err := form.CreateFormFile("file", "items.jsonl"); err != nil {
		return "", err
	}
	end := "\r\n--" + form.Boundary() + "--\r\n"
	response, text, err := l.post(path, form.FormDataContentType(), io.MultiReader(&head, content,
		strings.NewReader(end)))
	if err == nil && response.StatusCode != http.StatusSeeOther {
		err = fmt.Errorf("status %d: %s", response.StatusCode, text)
	}
	if err != nil {
		return "", err
	}
	return response.Header.Get("Location"), nil
}

// importUpload waits for the preview, confirms it, and waits until the items are imported.
func (l *lead) importUpload(preview, wantText string) error {
	if text, err := l.wait(preview); err != nil || !strings.Contains(text, wantText) {
		return fmt.Errorf("the preview is %.200s: %w", text, err)
	}
	response, text, err := l.post(preview, "application/x-www-form-urlencoded", http.NoBody)
	if err == nil && response.StatusCode != http.StatusSeeOther {
		err = fmt.Errorf("status %d: %s", response.StatusCode, text)
	}
	if err == nil {
		_, err = l.wait(preview)
	}
	return err
}

// wait returns a page when it no longer shows the progress of work in the background.
func (l *lead) wait(path string) (text string, err error) {
	for {
		response, err := l.Get(l.base + path)
		if err != nil {
			return "", err
		}
		content, err := io.ReadAll(response.Body)
		if err = errors.Join(err, response.Body.Close()); err != nil || response.Header.Get("Refresh") == "" {
			return string(content), err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// memoryOf returns a memory figure of a process in MiB, such as VmHWM, its highest resident
// memory until now.
func memoryOf(t *testing.T, pid int, figure string) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		require.Missing(t, "proc", "Memory is read from /proc: "+err.Error())
	}
	_, after, _ := strings.Cut(string(status), figure+":")
	var kilobytes int
	if _, err := fmt.Sscan(after, &kilobytes); err != nil {
		t.Fatal(err)
	}
	return kilobytes >> 10
}

// Ten of the largest files at the same time take little memory of a server that has no disk.
// With LABELWRIGHT_SLOW=1 they are as large as a file may be; else a quarter of that, which
// is too much for a server that holds one of them in memory.
func TestServe_TenLargestUploads_BoundedMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("This test measures memory, which the race detector multiplies, so it runs only without -short.")
	}
	env := newTestEnv(t)
	const uploads = 10
	size := importer.FileLimit / 4
	if require.FullSize() {
		size = importer.FileLimit - 1<<20
	}
	count := size / uploadRowSize
	s := startServeProcess(t, "--database-url", env.databaseURL, "--log", "warn")
	var leads [uploads]*lead
	for i := range leads {
		leads[i] = env.newLead(s.baseURL, i)
	}
	before := memoryOf(t, s.Process.Pid, "VmRSS")
	var previews [uploads]string
	var group errgroup.Group
	for i, l := range leads {
		group.Go(func() (err error) {
			previews[i], err = l.upload(fmt.Sprintf("/projects/p%d/import", i), &rowReader{count: count})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	received := memoryOf(t, s.Process.Pid, "VmHWM")
	for i, l := range leads[:3] {
		group.Go(func() error { return l.importUpload(previews[i], "items in items.jsonl") })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	peak := memoryOf(t, s.Process.Pid, "VmHWM")
	t.Logf("%d files of %d MiB: %d MiB resident before, at most %d MiB while they arrive, %d MiB with three imports",
		uploads, size>>20, before, received, peak)
	if peak > maxUploadRSS {
		t.Errorf("the server took %d MiB, more than %d MiB", peak, maxUploadRSS)
	}
	env.checkContains(env.mustRun("project", "list"), fmt.Sprint(count))
}
