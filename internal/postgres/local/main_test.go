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

// ownerDirEnv makes the test binary run a server in this directory until a test kills it.
const ownerDirEnv = "LABELWRIGHT_TEST_OWNER_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(ownerDirEnv); dir != "" {
		runOwner(dir)
		return
	}
	m.Run()
	_ = os.RemoveAll(preparedCluster.dir)
}

// runOwner starts a server, prints its PID and runs forever.
func runOwner(dir string) {
	s, err := Start(context.Background(), Options{Dir: dir, Log: discardLog})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(s.process.cmd.Process.Pid)
	select {}
}

var discardLog = slog.New(slog.DiscardHandler)

// newDir creates a directory that the server's account can reach. That account cannot
// reach t.TempDir if root runs the tests.
func newDir(t *testing.T) string {
	t.Helper()
	dir, err := makeTempDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func makeTempDir() (string, error) {
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

// preparedCluster is a stopped cluster that newCluster copies.
var preparedCluster struct {
	once sync.Once
	dir  string
	err  error
}

func newCluster(t *testing.T) string {
	t.Helper()
	preparedCluster.once.Do(func() { preparedCluster.err = prepareCluster() })
	if preparedCluster.err != nil {
		t.Fatal(preparedCluster.err)
	}
	dir := newDir(t)
	output, err := exec.Command("cp", "-a", filepath.Join(preparedCluster.dir, "data"), dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return dir
}

func prepareCluster() (err error) {
	if preparedCluster.dir, err = makeTempDir(); err != nil {
		return err
	}
	ctx := context.Background()
	s, err := Start(ctx, Options{Dir: preparedCluster.dir, Volatile: true, Log: discardLog})
	if err != nil {
		return err
	}
	return s.Stop(ctx)
}

// startServer starts a server and stops it at the end of the test.
func startServer(t *testing.T, o Options) *Server {
	t.Helper()
	if o.Log == nil {
		o.Log = discardLog
	}
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop(context.Background()) })
	return s
}

func stopServer(t *testing.T, s *Server) {
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

func execSQL(t *testing.T, s *Server, sql string) {
	t.Helper()
	if _, err := connect(t, s).Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func queryText(t *testing.T, s *Server, sql string) string {
	t.Helper()
	var value string
	if err := connect(t, s).QueryRow(t.Context(), sql).Scan(&value); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return value
}

func serverPID(s *Server) int { return s.process.cmd.Process.Pid }

// startProgram runs a program as the account of the server.
func startProgram(t *testing.T, dir, program string, args ...string) *exec.Cmd {
	t.Helper()
	acct, err := selectAccount(filepath.Join(dir, "data"), "")
	if err != nil {
		t.Fatal(err)
	}
	cmd := acct.command(context.Background(), program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cmd.SysProcAttr.Credential} // do not end with this thread
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

// writePID writes a PID to the first line of the server's PID file, and creates the
// file if it is missing.
func writePID(t *testing.T, dir string, pid int) {
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
	acct, err := selectAccount(filepath.Join(dir, "data"), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := acct.chown(path); err != nil {
		t.Fatal(err)
	}
}

func waitUntil(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not after 10 s: %s", what)
		}
	}
}

// checkError checks the message that a user reads.
func checkError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("got no error")
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error lacks %q:\n%v", part, err)
		}
	}
}
