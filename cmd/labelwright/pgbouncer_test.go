package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/require"
)

// startPgBouncer starts PgBouncer in transaction mode before a database, with one connection
// that all clients share: work that holds one and needs a second would wait forever. It
// returns the database's address through it.
func startPgBouncer(t *testing.T, databaseURL string) string {
	t.Helper()
	program := require.Program(t, "pgbouncer")
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	dir := newDataDir(t)
	address := closedPort(t)
	_, port, _ := net.SplitHostPort(address)
	server := fmt.Sprintf("host=%s port=%d user=%s", config.Host, config.Port, config.User)
	if config.Password != "" {
		server += " password=" + config.Password
	}
	settings := fmt.Sprintf(`[databases]
* = %s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %s
unix_socket_dir =
pool_mode = transaction
default_pool_size = 1
max_client_conn = 200
auth_type = any
`, server, port)
	path := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(path, []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, path)
	var log syncBuffer
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.SysProcAttr = socketOwner(t, config.Host)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for range 500 {
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			return fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", config.User, address, config.Database)
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("PgBouncer did not start: %s", log.contents())
	return ""
}

// socketOwner makes a program run as the account of the private PostgreSQL if root runs the
// tests: PgBouncer refuses root, and other accounts cannot reach the socket.
func socketOwner(t *testing.T, socketDir string) *syscall.SysProcAttr {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	uid, gid := uint32(65534), uint32(65534)
	if info, err := os.Stat(socketDir); err == nil {
		stat := info.Sys().(*syscall.Stat_t)
		uid, gid = stat.Uid, stat.Gid
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid, Groups: []uint32{}}}
}

// Two nodes start at once on an empty database behind PgBouncer, with and without an
// address for migrations. Then annotators label on both.
func TestPgBouncer_TwoNodes_Label(t *testing.T) {
	t.Parallel()
	for name, hasMigrateURL := range map[string]bool{"address for migrations": true, "pooler only": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			direct := pgtest.NewEmpty(t)
			pooled := startPgBouncer(t, direct)
			env := testEnv{t, pooled, t.TempDir()}
			args := []string{"--database-url", pooled}
			if hasMigrateURL {
				args = append(args, "--database-migrate-url", direct)
			}
			var nodes errgroup.Group
			var urls [2]string
			for i := range urls {
				nodes.Go(func() error {
					urls[i] = startServe(t, args...).baseURL
					return nil
				})
			}
			_ = nodes.Wait()
			env.labelThroughPooler(urls)
			env.checkNothingLeaked(direct)
		})
	}
}

func (env testEnv) labelThroughPooler(urls [2]string) {
	env.Helper()
	const annotators, items = 6, 40
	var emails []string
	for i := range annotators {
		email := fmt.Sprintf("ann%d@example.org", i)
		emails = append(emails, email)
		env.mustRun("user", "add", "--email", email, "--name", "Ann", "--role", "annotator")
	}
	if code, _, stderr := runCommand(env.T, "a quiet morning tram\n", "--database-url", env.databaseURL, "user", "add",
		"--email", "lena@example.org", "--name", "Lena", "--role", "lead", "--password-stdin"); code != exitOK {
		env.Fatal(stderr)
	}
	env.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "rag-generation", "--lead",
		"lena@example.org", "--instructions", env.writeFile("rules.md", "Cite as [1].\n"))
	rows := "id,query,answer,system\n"
	for i := range items {
		rows += fmt.Sprintf("i%d,Question %d?,Answer.,alpha\n", i, i)
	}
	env.mustRun("import", "--project", "pilot", env.writeFile("items.csv", rows))
	env.mustRun("batch", "open", "--project", "pilot", "--batch", "first", "--annotators", strings.Join(emails, ","),
		"--overlap", "2", "--duplicates", "0", "--calibration", "0", "--fewer-calibration", "A test.")
	db := env.openDB()
	var work errgroup.Group
	for _, email := range emails {
		work.Go(func() error { return labelAll(env.Context(), db, email) })
	}
	for _, base := range urls {
		work.Go(func() error { return readReports(env.Context(), base) })
	}
	if err := work.Wait(); err != nil {
		env.Error(err)
	}
	env.checkContains(env.mustRun("batch", "list", "--project", "pilot"), fmt.Sprintf("%d of %d",
		2*items, 2*items))
	env.checkContains(env.mustRun("export", "--project", "pilot", "--out", filepath.Join(env.dir, "dataset"),
		"--consensus"), fmt.Sprintf("%d annotations", 2*items))
	env.mustRun("report", "--project", "pilot", "--format", "json")
}

// labelAll labels every item that an annotator gets.
func labelAll(ctx context.Context, db *postgres.DB, email string) error {
	a, err := db.AccountByEmail(ctx, email)
	if err != nil {
		return err
	}
	for {
		token, err := db.OpenNext(ctx, a.ID, 0)
		if err != nil || token == "" {
			return err
		}
		values := map[string]int{"proper_action": 1, "response_on_topic": 1, "helpful": 0, "incomplete": 0,
			"unsafe_content": 0}
		if err := db.SaveDraft(ctx, a.ID, token, 1, labeling.Submission{Tab: "t",
			Answers: protocol.Answers{Values: values}}); err != nil {
			return err
		}
		if _, err := db.Submit(ctx, a.ID, token,
			labeling.Submission{Answers: protocol.Answers{Values: values}}); err != nil {
			return err
		}
	}
}

// readReports signs in at a node and opens pages with long queries.
func readReports(ctx context.Context, base string) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	client := &http.Client{Jar: jar}
	form := url.Values{"email": {"lena@example.org"}, "password": {"a quiet morning tram"}}
	request, _ := http.NewRequestWithContext(ctx, http.MethodPost, base+"/sign-in", strings.NewReader(form.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	paths := []string{"/projects/pilot", "/projects/pilot/batches/first", "/projects/pilot/report",
		"/projects/pilot/items"}
	for _, path := range append([]string{""}, slices.Repeat(paths, 5)...) {
		if path != "" {
			request, _ = http.NewRequestWithContext(ctx, http.MethodGet, base+path, nil)
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		body, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if response.StatusCode >= 300 || !strings.Contains(string(body), "Pilot") {
			return fmt.Errorf("%s answers %d: %s", path, response.StatusCode, body)
		}
	}
	return nil
}

// checkNothingLeaked checks that no lock and no setting stays on a connection of the pool.
func (env testEnv) checkNothingLeaked(direct string) {
	env.Helper()
	conn, err := pgx.Connect(env.Context(), direct)
	if err != nil {
		env.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(env.Context()))
	var locks int
	var statementTimeout string
	err = conn.QueryRow(env.Context(), `
		SELECT count(*), current_setting('statement_timeout')
		FROM pg_locks
		WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database
		WHERE datname = current_database())`).Scan(&locks, &statementTimeout)
	if err != nil || locks != 0 || statementTimeout != "1min" {
		env.Errorf("%d locks, the role has a statement timeout of %s, %v", locks, statementTimeout, err)
	}
}
