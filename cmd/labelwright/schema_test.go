package main

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/postgres/local"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/require"
)

// execSQL runs a statement on the database of the test.
func (env testEnv) execSQL(sql string) {
	env.Helper()
	conn, err := pgx.Connect(env.Context(), env.databaseURL)
	if err != nil {
		env.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(env.Context()))
	if _, err := conn.Exec(env.Context(), sql); err != nil {
		env.Fatal(err)
	}
}

// isTrue reports whether a query of one value returns true.
func (env testEnv) isTrue(sql string) (found bool) {
	env.Helper()
	conn, err := pgx.Connect(env.Context(), env.databaseURL)
	if err != nil {
		env.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(env.Context()))
	if err := conn.QueryRow(env.Context(), sql).Scan(&found); err != nil {
		env.Fatal(err)
	}
	return found
}

// checkRefused runs a command that must refuse with one sentence.
func (env testEnv) checkRefused(sentence string, args ...string) {
	env.Helper()
	err := strings.TrimSpace(env.mustFail(args...))
	if !strings.Contains(err, sentence) || strings.Contains(err, "\n") {
		env.Errorf("%s: %q, want one line with %q", strings.Join(args, " "), err, sentence)
	}
}

// schemaCommands need a current schema. None changes an older one.
var schemaCommands = [][]string{
	{"project", "list"},
	{"protocol", "list"},
	{"user", "add", "--email", "ada@example.org", "--name", "Ada", "--role", "admin"},
	{"serve", "--no-migrate", "--addr", "127.0.0.1:0"},
}

func TestCommands_OlderSchema_RefuseAndChangeNothing(t *testing.T) {
	env := newTestEnv(t)
	env.mustRun("migrate", "down", "--yes")
	before := env.mustRun("migrate", "status")
	for _, args := range schemaCommands {
		env.checkRefused("is newer and needs version", args...)
	}
	if after := env.mustRun("migrate", "status"); after != before {
		t.Errorf("the schema went from %q to %q", before, after)
	}
	env.mustRun("migrate", "up")
	env.mustRun("project", "list")
}

func TestCommands_NewerSchema_Refuse(t *testing.T) {
	env := newTestEnv(t)
	env.execSQL(`UPDATE schema_migrations SET version = 999`)
	for _, args := range append(schemaCommands, []string{"serve", "--addr", "127.0.0.1:0"}, []string{"migrate", "up"},
		[]string{"migrate", "down", "--yes"}) {
		env.checkRefused("schema version 999, but this Labelwright is older", args...)
	}
}

func TestMigrateForce_DirtySchema_Repaired(t *testing.T) {
	env := newTestEnv(t)
	env.execSQL(`UPDATE schema_migrations SET dirty = true`)
	for _, args := range append(schemaCommands, []string{"serve", "--addr", "127.0.0.1:0"}, []string{"migrate", "up"}) {
		env.checkRefused("stopped halfway", args...)
	}
	env.checkContains(env.mustFail("migrate", "force", "999"), "no schema version 999", "Choose one from 1 to")
	env.mustRun("migrate", "force", latestSchema(t))
	env.mustRun("project", "list")
}

// latestSchema returns the number of the last migration.
func latestSchema(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("../../migrations/*.up.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d migrations, %v", len(files), err)
	}
	version, _, _ := strings.Cut(filepath.Base(slices.Max(files)), "_")
	return strings.TrimLeft(version, "0")
}

func TestCommands_EmptyDatabase(t *testing.T) {
	t.Parallel()
	env := testEnv{t, pgtest.NewEmpty(t), t.TempDir()}
	env.checkRefused("has no Labelwright schema", "project", "list")
	env.mustRun("user", "add", "--email", "ada@example.org", "--name", "Ada", "--role", "admin")
}

// A runningServer is `labelwright serve` in this process.
type runningServer struct {
	baseURL, setupURL string
	stdout, stderr    *syncBuffer
	interrupt         func()
	exitCode          chan int
}

// startServe starts a server and waits until it is ready. It stops with the test.
func startServe(t *testing.T, args ...string) *runningServer {
	t.Helper()
	return startServeAt(t, "127.0.0.1:0", args...)
}

// startServeAt is startServe on an address.
func startServeAt(t *testing.T, addr string, args ...string) *runningServer {
	t.Helper()
	ctx, interrupt := context.WithCancel(context.Background())
	s := &runningServer{stdout: &syncBuffer{}, stderr: &syncBuffer{}, interrupt: interrupt, exitCode: make(chan int, 1)}
	args = append([]string{"serve", "--addr", addr, "--log", "error"}, args...)
	go func() {
		s.exitCode <- run(ctx, args, streams{in: strings.NewReader(""), out: s.stdout, err: s.stderr})
	}()
	t.Cleanup(func() { interrupt(); s.wait(t) })
	s.baseURL = waitForOutput(t, s.stdout, s.stderr, `Labelwright is ready at (http://\S+)`)
	if _, link, hasLink := strings.Cut(s.stdout.contents(), "Create one at\n\n  "); hasLink {
		s.setupURL = strings.Fields(link)[0]
	}
	return s
}

// wait waits until the server has stopped, and returns its exit code.
func (s *runningServer) wait(t *testing.T) int {
	t.Helper()
	select {
	case code := <-s.exitCode:
		s.exitCode <- code
		return code
	case <-time.After(60 * time.Second):
		t.Fatalf("the server did not stop: %s", s.stderr.contents())
		return 0
	}
}

func TestServe_TwoNodes_SameSetupLink(t *testing.T) {
	env := newTestEnv(t)
	one, two := startServe(t, "--database-url", env.databaseURL), startServe(t, "--database-url", env.databaseURL)
	path := strings.TrimPrefix(one.setupURL, one.baseURL)
	if path == "" || path != strings.TrimPrefix(two.setupURL, two.baseURL) {
		t.Fatalf("the links are %s and %s", one.setupURL, two.setupURL)
	}
	checkStatus := func(want int) {
		t.Helper()
		for _, link := range []string{one.setupURL, two.setupURL} {
			response, err := http.Get(link)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if response.StatusCode != want {
				t.Errorf("%s answers %d, want %d", link, response.StatusCode, want)
			}
		}
	}
	checkStatus(http.StatusOK)
	env.mustRun("user", "add", "--email", "ada@example.org", "--name", "Ada", "--role", "admin")
	checkStatus(http.StatusNotFound)
	if three := startServe(t, "--database-url", env.databaseURL); three.setupURL != "" {
		t.Errorf("a node with an admin prints %s", three.setupURL)
	}
}

// newDataDir makes a folder that the account of a private PostgreSQL can reach.
func newDataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "labelwright-test-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// A second server on one data folder would lose its database with the first.
func TestServe_SameDataFolder_Refused(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(newDataDir(t), "data")
	first := startServe(t, "--data-dir", dir)
	code, _, stderr := runCommand(t, "", "serve", "--addr", "127.0.0.1:0", "--data-dir", dir, "--log", "warn")
	if code != exitFailed || !strings.Contains(stderr, "the data folder "+dir+" is in use by another Labelwright") ||
		strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit %d: %s", code, stderr)
	}
	checkReadiness(t, first, http.StatusOK)
	if code, _, stderr := runCommand(t, "", "project", "list", "--data-dir", dir); code != exitOK {
		t.Errorf("a command while the server runs: exit %d: %s", code, stderr)
	}
	first.interrupt()
	first.wait(t)
	startServe(t, "--data-dir", dir)
}

func checkReadiness(t *testing.T, s *runningServer, want int) {
	t.Helper()
	response, err := http.Get(s.baseURL + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != want {
		t.Errorf("/readyz answers %d, want %d", response.StatusCode, want)
	}
}

func TestReadyz_DirtySchema_Unavailable(t *testing.T) {
	t.Parallel()
	dir := newDataDir(t)
	s := startServe(t, "--data-dir", dir)
	address, _ := local.FindRunning(dir)
	env := testEnv{t, address.URL(local.Role, local.Database), dir}
	checkReadiness(t, s, http.StatusOK)
	env.execSQL(`UPDATE schema_migrations SET dirty = true`)
	checkReadiness(t, s, http.StatusServiceUnavailable)
	env.mustRun("migrate", "force", latestSchema(t))
	checkReadiness(t, s, http.StatusOK)
}

// A server that can store nothing gets no requests: the load balancer sends them to another one.
func TestReadyz_FullDisk_Unavailable(t *testing.T) {
	t.Parallel()
	disk := newDataDir(t)
	mount := exec.Command("mount", "-t", "tmpfs", "-o", "size=256m,mode=755", "tmpfs", disk)
	if out, err := mount.CombinedOutput(); err != nil {
		require.Missing(t, "root", "Only root can mount a small disk: "+string(out))
	}
	t.Cleanup(func() { _ = exec.Command("umount", "--lazy", disk).Run() })
	s := startServe(t, "--data-dir", filepath.Join(disk, "data"))
	checkReadiness(t, s, http.StatusOK)
	rest := filepath.Join(disk, "rest")
	if err := os.WriteFile(rest, make([]byte, 256<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	checkReadiness(t, s, http.StatusServiceUnavailable)
	if err := os.Remove(rest); err != nil {
		t.Fatal(err)
	}
	checkReadiness(t, s, http.StatusOK)
}
