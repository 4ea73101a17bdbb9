package web

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
)

// A rowReader generates a file row by row.
type rowReader struct {
	row       func(i int) string
	count     int
	next      int
	remaining []byte
}

// Read returns the next rows.
func (r *rowReader) Read(buffer []byte) (int, error) {
	if len(r.remaining) == 0 {
		if r.next == r.count {
			return 0, io.EOF
		}
		r.remaining = []byte(r.row(r.next))
		r.next++
	}
	n := copy(buffer, r.remaining)
	r.remaining = r.remaining[n:]
	return n, nil
}

// streamFile posts a form with a file that is generated while it is sent.
func (b browser) streamFile(path, name string, content io.Reader) testResponse {
	b.Helper()
	var head bytes.Buffer
	form := multipart.NewWriter(&head)
	if _, err := form.CreateFormFile("file", name); err != nil {
		b.Fatal(err)
	}
	end := "\r\n--" + form.Boundary() + "--\r\n"
	return b.send(http.MethodPost, path, form.FormDataContentType(), io.MultiReader(&head, content,
		strings.NewReader(end)))
}

// A file of several MiB is imported by a server without a folder for temporary files,
// such as one with a read-only root.
func TestImport_ReadOnlyDisk_Works(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	if file, err := os.CreateTemp("", ""); err == nil {
		t.Fatalf("%s can be created", file.Name())
	}
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	env.newProject(lead, "p", 0)
	b := env.signInAs(lead)
	const count = 4000
	row := func(i int) string {
		if i == 0 {
			return "id,query,answer\n"
		}
		return fmt.Sprintf("row-%d,Q?,%s\n", i, strings.Repeat("a", 1000))
	}
	preview := b.streamFile("/projects/p/import", "items.csv", &rowReader{row: row, count: count + 1}).checkRedirect("")
	b.get(preview).checkStatus(http.StatusOK).checkContains("4,000 items in items.csv")
	b.post(preview, nil).checkRedirect("/projects/p")
	if n := query[int](env, `SELECT count(*) FROM items WHERE length(content->'answer'->>'text') = 1000`); n != count {
		t.Errorf("%d items are stored, want %d", n, count)
	}
	if n := query[int](env, `SELECT (SELECT count(*) FROM uploads) + (SELECT count(*) FROM upload_chunks)`); n != 0 {
		t.Error("the upload remains after the import")
	}
	b.post("/protocols/new", nil).checkStatus(http.StatusUnprocessableEntity)
	b.upload("/protocols/new", "p.yaml", "key: x\n").checkStatus(http.StatusUnprocessableEntity).checkContains("key: x")
}

// A blockingReader is a file whose end does not come before it is released.
type blockingReader struct {
	head    io.Reader
	started chan<- struct{}
	release <-chan struct{}
	once    sync.Once
}

// Read returns the head of the file, then waits.
func (r *blockingReader) Read(buffer []byte) (int, error) {
	if n, err := r.head.Read(buffer); err == nil {
		return n, nil
	}
	r.once.Do(func() { r.started <- struct{}{} })
	<-r.release
	return 0, io.EOF
}

// An account has two uploads at once; a third gets 503.
func TestImport_ThirdUploadOfAccount_Refused(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	env.newProject(lead, "p", 0)
	started, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	for range maxAccountUploads {
		b := env.signInAs(lead)
		wg.Go(func() {
			file := "id,query,answer\n" + strings.Repeat(`"",Q?,`+strings.Repeat("a", 1000)+"\n", 2000)
			b.streamFile("/projects/p/import", "a.csv", &blockingReader{head: strings.NewReader(file), started: started,
				release: release})
		})
		<-started
	}
	b := env.signInAs(lead)
	for query[int](env, `SELECT count(*) FROM uploads`) < maxAccountUploads { // received in part
		time.Sleep(10 * time.Millisecond)
	}
	a := b.upload("/projects/p/import", "b.csv", "query,answer\nQ?,A.\n").checkStatus(
		http.StatusServiceUnavailable).checkContains("You are already uploading 2 files")
	if a.header.Get("Retry-After") == "" {
		t.Error("the response has no Retry-After")
	}
	close(release)
	wg.Wait()
	b.upload("/projects/p/import", "b.csv", "query,answer\nQ?,A.\n").checkRedirect("")
	if n := query[int](env, `SELECT count(*) FROM uploads`); n != 1 {
		t.Errorf("%d uploads are stored, want the last one", n)
	}
}

// An upload that ends early, or is not a form, is not stored and is not an error of the
// server.
func TestImport_BrokenUpload_NotStored(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	env.newProject(lead, "p", 0)
	b := env.signInAs(lead)
	before := env.hashState()
	file := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\nquery,answer\r\nQ?,A.\r\n"
	for name, c := range map[string]struct {
		body, contentType string
		status            int
	}{
		"no end":           {file, "multipart/form-data; boundary=x", 422},
		"no boundary":      {file + "--x--\r\n", "multipart/form-data", 422},
		"another boundary": {file + "--x--\r\n", "multipart/form-data; boundary=y", 422},
		"two files":        {file + file + "--x--\r\n", "multipart/form-data; boundary=x", 422},
		"other field": {strings.Replace(file, `"file"`, `"other"`, 1) + "--x--\r\n",
			"multipart/form-data; boundary=x", 422},
		"field is not text": {"--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\xff\r\n--x--\r\n",
			"multipart/form-data; boundary=x", 422},
		"name is not text": {"--x\r\nContent-Disposition: form-data; name=\"a\xff\"\r\n\r\na\r\n--x--\r\n",
			"multipart/form-data; boundary=x", 422},
		"large field": {"--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n" + strings.Repeat("a",
			formLimit+1) + "\r\n--x--\r\n", "multipart/form-data; boundary=x", 413},
		"JSON":    {"{}", "application/json", 415},
		"no file": {"", formContentType, 422},
	} {
		a := b.send(http.MethodPost, "/projects/p/import", c.contentType, strings.NewReader(c.body))
		if a.status != c.status {
			t.Errorf("%s: %d, want %d: %s", name, a.status, c.status, a.Text())
		}
	}
	if env.hashState() != before {
		t.Error("data were stored")
	}
}
