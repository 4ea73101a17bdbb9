//go:build unix

package local

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// ownerDir makes the test binary the owner of a server, to be killed by a test.
const ownerDir = "LABELWRIGHT_TEST_OWNER_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(ownerDir); dir != "" {
		own(dir)
		return
	}
	m.Run()
	_ = os.RemoveAll(prepared.dir)
}

// own starts a server, says its process number, and stays.
func own(dir string) {
	s, err := Start(context.Background(), Options{Dir: dir, Log: quiet})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(s.process.cmd.Process.Pid)
	select {}
}

var quiet = slog.New(slog.DiscardHandler)

// room makes a directory that the server's account can reach; those of t.TempDir
// are closed to it when root runs the tests.
func room(t *testing.T) string {
	t.Helper()
	dir, err := makeRoom()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func makeRoom() (string, error) {
	base := "/dev/shm"
	if _, err := os.Stat(base); err != nil {
		base = "/tmp"
	}
	dir, err := os.MkdirTemp(base, "labelwright-local-")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755)
}

// prepared is a stopped cluster, made once and copied to the tests that begin with one.
var prepared struct {
	once sync.Once
	dir  string
	err  error
}

func cluster(t *testing.T) string {
	t.Helper()
	prepared.once.Do(func() { prepared.err = prepare() })
	if prepared.err != nil {
		t.Fatal(prepared.err)
	}
	dir := room(t)
	said, err := exec.Command("cp", "-a", filepath.Join(prepared.dir, "data"), dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return dir
}

func prepare() (err error) {
	if prepared.dir, err = makeRoom(); err != nil {
		return err
	}
	ctx := context.Background()
	s, err := Start(ctx, Options{Dir: prepared.dir, Volatile: true, Log: quiet})
	if err != nil {
		return err
	}
	return s.Stop(ctx)
}

// start fails the test where the server does not come up, and stops it at the end.
func start(t *testing.T, o Options) *Server {
	t.Helper()
	if o.Log == nil {
		o.Log = quiet
	}
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop(context.Background()) })
	return s
}

func stop(t *testing.T, s *Server) {
	t.Helper()
	if err := s.Stop(t.Context()); err != nil {
		t.Fatalf("Stop: %v", err)
	}
}

func connect(t *testing.T, s *Server) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.URL(Database))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func run(t *testing.T, s *Server, sql string) {
	t.Helper()
	if _, err := connect(t, s).Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func ask(t *testing.T, s *Server, sql string) string {
	t.Helper()
	var answer string
	if err := connect(t, s).QueryRow(t.Context(), sql).Scan(&answer); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return answer
}

func pidOf(s *Server) int { return s.process.cmd.Process.Pid }

// inhabit runs a program of the account that runs the server.
func inhabit(t *testing.T, dir, program string, args ...string) *exec.Cmd {
	t.Helper()
	who, err := accountFor(filepath.Join(dir, "data"), "")
	if err != nil {
		t.Fatal(err)
	}
	cmd := who.command(context.Background(), program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cmd.SysProcAttr.Credential} // not bound to this thread
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

// writePid puts a process number into the first line of the server's pid file,
// making the file where there is none.
func writePid(t *testing.T, dir string, pid int) {
	t.Helper()
	path := filepath.Join(dir, "data", "postmaster.pid")
	text, err := os.ReadFile(path)
	if err != nil {
		text = []byte("0\n" + filepath.Join(dir, "data") + "\n0\n5432\n\n\n")
	}
	_, rest, _ := strings.Cut(string(text), "\n")
	if err := os.WriteFile(path, []byte(strconv.Itoa(pid)+"\n"+rest), 0o600); err != nil {
		t.Fatal(err)
	}
	who, err := accountFor(filepath.Join(dir, "data"), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := who.give(path); err != nil {
		t.Fatal(err)
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after 10 s, still not so: %s", what)
		}
	}
}

// mustSay checks the sentence that a person meets.
func mustSay(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("there is no error")
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q:\n%v", part, err)
		}
	}
}
