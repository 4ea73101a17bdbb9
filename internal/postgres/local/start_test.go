//go:build unix

package local

import (
	"bytes"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestStart_Again_KeepsData(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(newDir(t), "made", "by", "start")
	startedAt := time.Now()
	s := startServer(t, Options{Dir: dir})
	t.Logf("cold start %v", time.Since(startedAt))
	if s.Version() < minMajor {
		t.Errorf("Version = %d, want at least %d", s.Version(), minMajor)
	}
	execSQL(t, s, "CREATE TABLE saved AS SELECT 'yes' AS answer")
	stopServer(t, s)

	startedAt = time.Now()
	s = startServer(t, Options{Dir: dir})
	t.Logf("warm start %v", time.Since(startedAt))
	if got := queryText(t, s, "SELECT answer FROM saved"); got != "yes" {
		t.Errorf("value after a restart = %q, want yes", got)
	}
}

func TestStart_Volatile_Settings(t *testing.T) {
	t.Parallel()
	durable, volatile := startServer(t, Options{Dir: newCluster(t)}), startServer(t, Options{Dir: newCluster(t),
		Volatile: true})
	for _, c := range []struct{ name, durable, volatile string }{
		{"fsync", "on", "off"},
		{"synchronous_commit", "on", "off"},
		{"full_page_writes", "on", "off"},
		{"autovacuum", "on", "off"},
		{"listen_addresses", "", ""},
		{"unix_socket_permissions", "0700", "0700"},
		{"TimeZone", "UTC", "UTC"},
		{"server_encoding", "UTF8", "UTF8"},
	} {
		if got := queryText(t, durable, "SHOW "+c.name); got != c.durable {
			t.Errorf("durable: %s = %q, want %q", c.name, got, c.durable)
		}
		if got := queryText(t, volatile, "SHOW "+c.name); got != c.volatile {
			t.Errorf("volatile: %s = %q, want %q", c.name, got, c.volatile)
		}
	}
}

func TestStart_SocketDir_IsPrivate(t *testing.T) {
	t.Parallel()
	s := startServer(t, Options{Dir: newCluster(t)})
	info, err := os.Stat(s.socketDir)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o700 {
		t.Errorf("socket directory has mode %o, want 700", got)
	}
}

func TestStart_OwnProcessGroup(t *testing.T) {
	t.Parallel()
	s := startServer(t, Options{Dir: newCluster(t)})
	group, err := syscall.Getpgid(serverPID(s))
	if err != nil {
		t.Fatal(err)
	}
	if group == syscall.Getpgrp() {
		t.Error("server is in the process group of the test")
	}
}

// The kernel signals the parent's death to the child when the thread that started it
// ends, even if the process still runs.
func TestServer_ThreadEnds_Survives(t *testing.T) {
	t.Parallel()
	s := startServer(t, Options{Dir: newCluster(t)})
	for range 20 {
		var threads sync.WaitGroup
		for range 20 {
			threads.Go(runtime.LockOSThread) // ends with its goroutine
		}
		threads.Wait()
	}
	queryText(t, s, "SELECT 'here'")
}

func TestURL_PgxAndMigrate_ParseIt(t *testing.T) {
	t.Parallel()
	s := &Server{socketDir: "/a b/run"}
	config, err := pgx.ParseConfig(s.URL("some base"))
	if err != nil {
		t.Fatal(err)
	}
	if config.Host != s.socketDir || config.Port != 5432 || config.Database != "some base" || config.User != Role {
		t.Errorf("pgx reads host %q, port %d, database %q, user %q", config.Host, config.Port, config.Database,
			config.User)
	}
	u, err := url.Parse(strings.Replace(s.URL(Database), "postgres:", "pgx5:", 1))
	if err != nil || u.Path != "/"+Database || u.Query().Get("host") != s.socketDir {
		t.Errorf("parsed URL = %v, %v", u, err)
	}
}

func TestStart_LongDir_ShortSocket(t *testing.T) {
	t.Parallel()
	base := newCluster(t)
	dir := filepath.Join(base, strings.Repeat("long-", 20))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(base, "data"), filepath.Join(dir, "data")); err != nil {
		t.Fatal(err)
	}
	owner, _ := startOwner(t, dir)
	oldSocketDir, err := os.Readlink(filepath.Join(dir, "run"))
	if err != nil {
		t.Fatal(err)
	}
	killProcess(t, owner.Process.Pid)
	_ = owner.Wait()

	s := startServer(t, Options{Dir: dir})
	if !strings.HasPrefix(s.socketDir, "/tmp/") {
		t.Errorf("socket is in %s, want /tmp", s.socketDir)
	}
	if _, err := os.Stat(oldSocketDir); !os.IsNotExist(err) {
		t.Errorf("%s of the killed owner still exists: %v", oldSocketDir, err)
	}
	stopServer(t, s)
	if _, err := os.Stat(s.socketDir); !os.IsNotExist(err) {
		t.Errorf("%s still exists: %v", s.socketDir, err)
	}
}

func TestStop_OpenConnections_IsClean(t *testing.T) {
	t.Parallel()
	dir := newCluster(t)
	s := startServer(t, Options{Dir: dir})
	connect(t, s)
	startedAt := time.Now()
	stopServer(t, s)
	t.Logf("stopped in %v", time.Since(startedAt))
	if elapsed := time.Since(startedAt); elapsed > 30*time.Second {
		t.Errorf("Stop took %v", elapsed)
	}
	select {
	case <-s.Exited():
	default:
		t.Error("Exited is not closed after Stop")
	}
	for _, left := range []string{"run", "data/postmaster.pid"} {
		if _, err := os.Stat(filepath.Join(dir, left)); !os.IsNotExist(err) {
			t.Errorf("%s still exists", left)
		}
	}
}

func TestStop_Twice_SparesNext(t *testing.T) {
	t.Parallel()
	dir := newCluster(t)
	first := startServer(t, Options{Dir: dir})
	stopServer(t, first)
	second := startServer(t, Options{Dir: dir})
	stopServer(t, first)
	queryText(t, second, "SELECT 'here'")
}

func TestLog_OmitsRowValues(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	handler := slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})
	s := startServer(t, Options{Dir: newCluster(t), Log: slog.New(handler)})
	conn := connect(t, s)
	for _, sql := range []string{
		"CREATE TABLE users (name text PRIMARY KEY)",
		"INSERT INTO users VALUES ('Marguerite')",
		"INSERT INTO users VALUES ('Marguerite')",
		"SELECT 'Marguerite'::int",
	} {
		_, _ = conn.Exec(t.Context(), sql)
	}
	stopServer(t, s)
	if log.Len() == 0 {
		t.Error("the log is empty")
	}
	if strings.Contains(log.String(), "Marguerite") {
		t.Errorf("the log contains a row value:\n%s", log.String())
	}
}

func TestDefaultDir_ByAccount(t *testing.T) {
	t.Parallel()
	want := "/data/home/labelwright"
	if os.Geteuid() == 0 {
		want = "/var/lib/labelwright"
	}
	if got := DefaultDir("/data/home"); got != want {
		t.Errorf("DefaultDir = %s, want %s", got, want)
	}
	if got := DefaultDir(""); os.Getenv("HOME") != "" && !filepath.IsAbs(got) {
		t.Errorf("DefaultDir without a data home = %q, want an absolute path", got)
	}
}
