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

func TestColdAndWarmStart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(room(t), "made", "by", "start")
	begun := time.Now()
	s := start(t, Options{Dir: dir})
	t.Logf("cold start %v", time.Since(begun))
	if s.Version() < oldest {
		t.Errorf("Version is %d", s.Version())
	}
	run(t, s, "CREATE TABLE kept AS SELECT 'yes' AS word")
	stop(t, s)

	begun = time.Now()
	s = start(t, Options{Dir: dir})
	t.Logf("warm start %v", time.Since(begun))
	if got := ask(t, s, "SELECT word FROM kept"); got != "yes" {
		t.Errorf("after a restart the table says %q", got)
	}
}

func TestServerSettings(t *testing.T) {
	t.Parallel()
	kept, volatile := start(t, Options{Dir: cluster(t)}), start(t, Options{Dir: cluster(t), Volatile: true})
	for _, c := range []struct{ name, kept, volatile string }{
		{"fsync", "on", "off"},
		{"synchronous_commit", "on", "off"},
		{"full_page_writes", "on", "off"},
		{"autovacuum", "on", "off"},
		{"listen_addresses", "", ""},
		{"unix_socket_permissions", "0700", "0700"},
		{"TimeZone", "UTC", "UTC"},
		{"server_encoding", "UTF8", "UTF8"},
	} {
		if got := ask(t, kept, "SHOW "+c.name); got != c.kept {
			t.Errorf("%s is %q for data to keep, not %q", c.name, got, c.kept)
		}
		if got := ask(t, volatile, "SHOW "+c.name); got != c.volatile {
			t.Errorf("%s is %q for data to lose, not %q", c.name, got, c.volatile)
		}
	}
}

func TestOnlyTheOwnerReachesTheSocket(t *testing.T) {
	t.Parallel()
	s := start(t, Options{Dir: cluster(t)})
	info, err := os.Stat(s.sockets)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o700 {
		t.Errorf("the directory of the socket has mode %o", got)
	}
}

func TestCtrlCLeavesTheServerToUs(t *testing.T) {
	t.Parallel()
	s := start(t, Options{Dir: cluster(t)})
	group, err := syscall.Getpgid(pidOf(s))
	if err != nil {
		t.Fatal(err)
	}
	if group == syscall.Getpgrp() {
		t.Error("the server is in our process group")
	}
}

// The kernel tells the child that its parent is dead when the thread that made it
// ends, although the process lives on.
func TestTheServerOutlivesThreads(t *testing.T) {
	t.Parallel()
	s := start(t, Options{Dir: cluster(t)})
	for range 20 {
		var threads sync.WaitGroup
		for range 20 {
			threads.Go(runtime.LockOSThread) // ends with its goroutine
		}
		threads.Wait()
	}
	ask(t, s, "SELECT 'here'")
}

func TestURLIsUnderstoodByPgxAndMigrate(t *testing.T) {
	t.Parallel()
	s := &Server{sockets: "/a b/run"}
	config, err := pgx.ParseConfig(s.URL("some base"))
	if err != nil {
		t.Fatal(err)
	}
	if config.Host != s.sockets || config.Port != 5432 || config.Database != "some base" || config.User != Role {
		t.Errorf("pgx reads host %q, port %d, database %q, user %q", config.Host, config.Port, config.Database, config.User)
	}
	u, err := url.Parse(strings.Replace(s.URL(Database), "postgres:", "pgx5:", 1))
	if err != nil || u.Path != "/"+Database || u.Query().Get("host") != s.sockets {
		t.Errorf("as a URL it reads %v, %v", u, err)
	}
}

func TestLongDirectory(t *testing.T) {
	t.Parallel()
	base := cluster(t)
	dir := filepath.Join(base, strings.Repeat("long-", 20))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(base, "data"), filepath.Join(dir, "data")); err != nil {
		t.Fatal(err)
	}
	owner, _ := hire(t, dir)
	left, err := os.Readlink(filepath.Join(dir, "run"))
	if err != nil {
		t.Fatal(err)
	}
	kill(t, owner.Process.Pid)
	_ = owner.Wait()

	s := start(t, Options{Dir: dir})
	if !strings.HasPrefix(s.sockets, "/tmp/") {
		t.Errorf("the socket is in %s", s.sockets)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("%s of the killed owner is left: %v", left, err)
	}
	stop(t, s)
	if _, err := os.Stat(s.sockets); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", s.sockets, err)
	}
}

func TestStopIsCleanAndQuickWhileConnectionsAreOpen(t *testing.T) {
	t.Parallel()
	dir := cluster(t)
	s := start(t, Options{Dir: dir})
	connect(t, s)
	begun := time.Now()
	stop(t, s)
	t.Logf("stopped in %v", time.Since(begun))
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("Stop took %v", took)
	}
	select {
	case <-s.Exited():
	default:
		t.Error("Exited is open after Stop")
	}
	for _, left := range []string{"run", "data/postmaster.pid"} {
		if _, err := os.Stat(filepath.Join(dir, left)); !os.IsNotExist(err) {
			t.Errorf("%s is left", left)
		}
	}
}

func TestStoppingAgainDoesNotDisturbTheNextOwner(t *testing.T) {
	t.Parallel()
	dir := cluster(t)
	first := start(t, Options{Dir: dir})
	stop(t, first)
	second := start(t, Options{Dir: dir})
	stop(t, first)
	ask(t, second, "SELECT 'here'")
}

func TestNoRowReachesTheLog(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	handler := slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})
	s := start(t, Options{Dir: cluster(t), Log: slog.New(handler)})
	conn := connect(t, s)
	for _, sql := range []string{
		"CREATE TABLE people (name text PRIMARY KEY)",
		"INSERT INTO people VALUES ('Marguerite')",
		"INSERT INTO people VALUES ('Marguerite')",
		"SELECT 'Marguerite'::int",
	} {
		_, _ = conn.Exec(t.Context(), sql)
	}
	stop(t, s)
	if log.Len() == 0 {
		t.Error("the log is empty, so this shows nothing")
	}
	if strings.Contains(log.String(), "Marguerite") {
		t.Errorf("the log names a person:\n%s", log.String())
	}
}

func TestDefaultDir(t *testing.T) {
	t.Parallel()
	want := "/data/home/labelwright"
	if os.Geteuid() == 0 {
		want = "/var/lib/labelwright"
	}
	if got := DefaultDir("/data/home"); got != want {
		t.Errorf("DefaultDir is %s, not %s", got, want)
	}
	if got := DefaultDir(""); os.Getenv("HOME") != "" && !filepath.IsAbs(got) {
		t.Errorf("without a data home it is %q", got)
	}
}
