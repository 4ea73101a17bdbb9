package pgtest

import (
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/postgres/local"
)

// A Restartable is a PostgreSQL of one test, which the test may stop, kill and start again.
type Restartable struct {
	t       testing.TB
	options local.Options
	server  *local.Server
}

// NewRestartable starts a PostgreSQL with a prepared database. It stops with the test.
func NewRestartable(t testing.TB, prepare Prepare) *Restartable {
	t.Helper()
	dir, err := makeOpenDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	r := &Restartable{t: t, options: local.Options{Dir: dir, Log: slog.New(slog.DiscardHandler)}}
	if _, err := local.FindBinaries(t.Context(), r.options); err != nil {
		skipOrFail(t, unavailableError{err}, os.Getenv("LABELWRIGHT_REQUIRE"))
	}
	r.Start()
	t.Cleanup(func() { _ = r.server.Stop(t.Context()) })
	if err := prepare(t.Context(), r.URL()); err != nil {
		t.Fatal(err)
	}
	return r
}

// makeOpenDir makes a folder that the account of PostgreSQL may enter, unlike t.TempDir.
func makeOpenDir() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "labelwright-test-"); err == nil {
		err = os.Chmod(dir, 0o755)
	}
	return dir, err
}

// URL returns the address of the database. It stays the same when the server is restarted.
func (r *Restartable) URL() string { return r.server.URL(local.Database) }

// Start starts the server again.
func (r *Restartable) Start() {
	r.t.Helper()
	server, err := local.Start(r.t.Context(), r.options)
	if err != nil {
		r.t.Fatal(err)
	}
	r.server = server
}

// Stop stops the server as its operator would. Connections are closed.
func (r *Restartable) Stop() {
	r.t.Helper()
	if err := r.server.Stop(r.t.Context()); err != nil {
		r.t.Error(err)
	}
}

// Kill ends the server without a checkpoint.
func (r *Restartable) Kill() {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.options.Dir, "data", "postmaster.pid"))
	if err != nil {
		r.t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil || pid <= 1 {
		r.t.Fatalf("the PID file has %q", line)
	}
	postmaster, err := os.FindProcess(pid)
	if err == nil {
		err = postmaster.Kill()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	<-r.server.Exited()
	_ = r.server.Stop(r.t.Context()) // releases the folder
}
