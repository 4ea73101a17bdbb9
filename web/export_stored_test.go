package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/project"
)

var wideExport = url.Values{"shape": {"wide"}, "format": {"csv"}}

// newRunningExport stores an export, which no server writes without startJobs, and returns its id.
func (env testEnv) newRunningExport(a account.Account, p project.Project) string {
	env.Helper()
	id, err := env.db.StartExport(env.Context(), a.ID, p, postgres.ExportOptions{Shape: "wide", Format: "csv"}, "en")
	if err != nil {
		env.Fatal(err)
	}
	return formatID(id)
}

// exportSample exports the sample project, with one export that failed and one that runs, and
// returns the id of the complete one.
func (h projectFixture) exportSample() string {
	h.Helper()
	lead, p := h.accounts["lead"], h.mustProject("hard-days")
	id, err := h.db.StartExport(h.Context(), lead.ID, p, postgres.ExportOptions{Shape: "long", Format: "parquet",
		Contents: "both", Batches: []string{"pilot"}, IncludeTexts: true}, "en")
	if err != nil {
		h.Fatal(err)
	}
	stop := h.startJobs()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		x, err := h.db.StoredExport(h.Context(), lead.ID, p, id)
		if err != nil || x.Problem != "" || time.Now().After(deadline) {
			h.Fatalf("%+v, %v", x, err)
		}
		if x.State == postgres.ExportReady {
			break
		}
	}
	stop() // the others are not written
	h.newRunningExport(lead, p)
	h.execSQL(`UPDATE exports SET finished_at = now(), problem = 'The database was full.' WHERE finished_at IS NULL`)
	h.newRunningExport(lead, p)
	h.execSQL(`UPDATE exports SET done_count = 41, total_count = 126 WHERE finished_at IS NULL`)
	h.execSQL(`UPDATE exports SET failed_checks = '["One label is missing."]' WHERE id = $1`, id)
	return formatID(id)
}

// A large export is written in the background, shown with its progress, and downloaded again, in
// parts, by every lead.
func TestExport_Large_InBackground(t *testing.T) {
	t.Parallel()
	h := newLabeledFixture(t)
	h.startJobs()
	h.server.directExport = 0
	other := h.newUser("second@example.org", account.Lead)
	h.addMembers(h.mustProject("hard-days"), account.Lead, other.Email)
	b := h.signInAs(h.accounts["lead"])
	path := b.post("/projects/hard-days/export", wideExport).checkRedirect("/projects/hard-days/exports/2")
	b.waitForPage(path).checkContains("Export ready", "Tables · CSV · Wide · Labels", "Name of lead")
	if list := b.get("/projects/hard-days/export").checkContains("Stored exports", "ready"); !strings.Contains(
		list.body, path+"/file") {
		t.Error("the list has no download")
	}
	again := h.signInAs(other)
	file := again.get(path + "/file").checkStatus(200)
	if digest := sha256.Sum256([]byte(file.body)); !strings.Contains(b.get(path).body, hex.EncodeToString(digest[:])) ||
		len(unzip(t, file)) < 5 {
		t.Error("the page has another digest, or the file is not whole")
	}
	half := len(file.body) / 2
	for tag, want := range map[string]int{file.header.Get("ETag"): http.StatusPartialContent,
		`"other"`: http.StatusOK} {
		rest := again.request(http.MethodGet, path+"/file", "", map[string]string{"Range": fmt.Sprintf("bytes=%d-",
			half), "If-Range": tag})
		if rest.status != want || want == http.StatusPartialContent && file.body[:half]+rest.body != file.body {
			t.Errorf("%s: status %d, %d bytes", tag, rest.status, len(rest.body))
		}
	}
	again.request(http.MethodGet, path+"/file", "", map[string]string{"Range": "bytes=999999999-"}).checkStatus(
		http.StatusRequestedRangeNotSatisfiable)
	if n := query[int](h.testEnv, `SELECT count(*) FROM audit_log WHERE action = 'project.download_export'
		AND account_id = $1`, other.ID); n != 4 {
		t.Errorf("%d downloads are in the audit log, want 4", n)
	}
	again.post(path+"/delete", nil).checkRedirect("/projects/hard-days/export")
	for _, gone := range []string{path, path + "/file"} {
		b.get(gone).checkStatus(http.StatusNotFound)
	}
	if n := query[int](h.testEnv, `SELECT count(*) FROM export_chunks WHERE export_id = 2`); n != 0 {
		t.Errorf("%d chunks are left", n)
	}
}

// An export that is running, cancelled, failed or lost has no file, and says why.
func TestStoredExport_WithoutFile_SaysWhy(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	p := env.newProject(lead, "p", 1)
	desk := env.signInAs(lead)
	path := "/projects/p/exports/" + env.newRunningExport(lead, p)
	if a := desk.get(path).checkStatus(200).checkContains("Exporting the dataset", "Cancel export"); a.header.Get(
		"Refresh") == "" {
		t.Error("the page does not reload")
	}
	env.execSQL(`UPDATE exports SET done_count = 5, total_count = 20`)
	desk.get(path).checkContains("5 of 20")
	desk.get("/projects/p/export").checkContains("25%")
	desk.get(path + "/file").checkStatus(http.StatusConflict).checkContains("it is running")
	desk.post(path+"/cancel", nil).checkRedirect(path)
	desk.get(path).checkContains("Export cancelled")
	desk.post(path+"/cancel", nil).checkRedirect(path)
	path = "/projects/p/exports/" + env.newRunningExport(lead, p)
	env.execSQL(`DELETE FROM river.river_job`) // as after the last attempt
	desk.get(path).checkContains("Export failed", "The server stopped")
	env.execSQL(`UPDATE exports SET problem = 'The disk is full.', finished_at = now() WHERE finished_at IS NULL`)
	desk.get(path).checkContains("Export failed", "The disk is full.")
	desk.get("/projects/p/exports/999").checkStatus(http.StatusNotFound)
}

// Clients that read a large export slowly hold no connection to the database: with more of them
// than connections, annotators work as fast as without them.
func TestExport_SlowReaders_HoldNoOneUp(t *testing.T) {
	t.Parallel()
	const readers, connections, chunks, items = 12, 2, 24, 20
	env := newTestEnvWith(t, pgtest.New(t), connections)
	lead, ann := env.newUser("lead@example.org", account.Lead), env.newUser("ann@example.org", account.Annotator)
	p := env.newProject(lead, "p", 2*items)
	batch := env.newBatchFromSpec(lead, p, project.BatchSpec{Name: "first", Annotators: []string{ann.Email}, Overlap: 1,
		Seed: 1, BreakMinutes: 5})
	id := env.newRunningExport(lead, p)
	env.execSQL(`INSERT INTO export_chunks SELECT $1::bigint, n, decode(repeat(md5(n::text), 32768), 'hex')
		FROM generate_series(0, $2::int - 1) n`, id, chunks)
	env.execSQL(`UPDATE exports SET size_bytes = $1::bigint << 19, sha256 = sha256('x'), failed_checks = '[]',
		finished_at = now()`, chunks)
	desk := env.signInAs(lead)
	before := env.timeLabels(ann, batch, items)
	for range readers {
		desk.readSlowly("/projects/p/exports/" + id + "/file")
	}
	during := env.timeLabels(ann, batch, items)
	t.Logf("a label takes %s without readers and %s with %d of them on %d connections (medians)", before, during,
		readers, connections)
	if during > 5*before+100*time.Millisecond {
		t.Errorf("a label takes %s, before %s", during, before)
	}
	if a := desk.get("/projects/p/exports/" + id + "/file"); len(a.body) != chunks<<19 {
		t.Errorf("another reader gets %d bytes", len(a.body))
	}
}

// timeLabels returns the median time of n labels.
func (env testEnv) timeLabels(a account.Account, b project.Batch, n int) time.Duration {
	times := make([]time.Duration, n)
	for i := range times {
		start := time.Now()
		env.label(a, b, 1, 1)
		times[i] = time.Since(start)
	}
	slices.Sort(times)
	return times[n/2]
}

// readSlowly starts a download, reads its first bytes, and no more until the test ends.
func (b browser) readSlowly(path string) {
	b.Helper()
	address, err := url.Parse(b.baseURL)
	if err != nil {
		b.Fatal(err)
	}
	conn, err := net.Dial("tcp", address.Host)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\n\r\n", path, address.Host,
		b.cookieHeader())
	if err != nil {
		b.Fatal(err)
	}
	start := make([]byte, len("HTTP/1.1 200"))
	if _, err := io.ReadFull(conn, start); err != nil || string(start) != "HTTP/1.1 200" {
		b.Fatalf("%s: %v", start, err)
	}
}

func (b browser) cookieHeader() string {
	address, err := url.Parse(b.baseURL)
	if err != nil {
		b.Fatal(err)
	}
	var pairs []string
	for _, c := range b.client.Jar.Cookies(address) {
		pairs = append(pairs, c.Name+"="+c.Value)
	}
	return strings.Join(pairs, "; ")
}
