//go:build unix

package local

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestStart_AfterCrash_KeepsData(t *testing.T) {
	t.Parallel()
	dir := newCluster(t)
	s := startServer(t, Options{Dir: dir})
	execSQL(t, s, "CREATE TABLE saved AS SELECT 'yes' AS answer")
	killProcess(t, serverPID(s))
	<-s.Exited()
	checkError(t, s.Stop(t.Context()), "PostgreSQL stopped")

	s = startServer(t, Options{Dir: dir})
	if got := queryText(t, s, "SELECT answer FROM saved"); got != "yes" {
		t.Errorf("committed value = %q, want yes", got)
	}
}

func TestStart_OwnerKilled_Works(t *testing.T) {
	for _, c := range []struct {
		name       string
		withServer bool
	}{
		{"owner", false},
		{"owner and server", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := newCluster(t)
			owner, server := startOwner(t, dir)
			killProcess(t, owner.Process.Pid)
			if c.withServer {
				killProcess(t, server)
			}
			_ = owner.Wait()
			queryText(t, startServer(t, Options{Dir: dir}), "SELECT 'here'")
		})
	}
}

func TestServer_OwnerKilled_Stops(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux, where the kernel signals the death of the parent")
	}
	t.Parallel()
	dir := newCluster(t)
	owner, server := startOwner(t, dir)
	killProcess(t, owner.Process.Pid)
	_ = owner.Wait()
	waitUntil(t, "server stopped", func() bool { return !isServerOf(server, filepath.Join(dir, "data")) })
}

// startOwner starts another process that runs a server in dir, and returns its PID.
func startOwner(t *testing.T, dir string) (owner *exec.Cmd, pid int) {
	t.Helper()
	owner = exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), ownerDirEnv+"="+dir)
	owner.Stderr = os.Stderr
	stdout, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = owner.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the owner started no server: %v", err)
	}
	pid, err = strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return owner, pid
}

func TestStart_Orphan_StopsItFirst(t *testing.T) {
	t.Parallel()
	dir := newCluster(t)
	s := startServer(t, Options{Dir: dir})
	bin := s.bin.path("postgres")
	stopServer(t, s)
	dataDir := filepath.Join(dir, "data")
	orphan := startProgram(t, dir, bin, "-D", dataDir, "-c", "listen_addresses=", "-c",
		"unix_socket_directories="+dataDir)
	waitUntil(t, "orphan ready", func() bool {
		text, _ := os.ReadFile(filepath.Join(dataDir, "postmaster.pid"))
		return strings.Contains(string(text), "ready")
	})
	queryText(t, startServer(t, Options{Dir: dir}), "SELECT 'here'")
	if isServerOf(orphan.Process.Pid, dataDir) {
		t.Error("orphan still runs")
	}
}

// On systems without /proc, a server is recognized by its command line.
func TestIsServerCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, line string
		want       bool
	}{
		{"own server", "/usr/lib/postgresql/17/bin/postgres -D /x/data -c port=5432\n", true},
		{"no options", "postgres -D /x/data\n", true},
		{"longer path", "postgres -D /x/data2 -c port=5432\n", false},
		{"longer path with a space", "postgres -D /x/data 2 -c port=5432\n", false},
		{"subdirectory", "postgres -D /x/data/run -c port=5432\n", false},
		{"backend", "postgres: checkpointer\n", false},
		{"other program", "vim -D /x/data\n", false},
		{"path as program", "sleep 60 # /x/postgres\n", false},
		{"no process", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := isServerCommand(c.line, "/x/data"); got != c.want {
				t.Errorf("isServerCommand(%q) = %v", c.line, got)
			}
		})
	}
}

func TestStart_StalePIDFile_Works(t *testing.T) {
	for _, c := range []struct {
		name  string
		stale func(t *testing.T, dir string)
	}{
		{"PID of another program", func(t *testing.T, dir string) {
			writePID(t, dir, startProgram(t, dir, "/bin/sleep", "60").Process.Pid)
		}},
		{"PID of a zombie", func(t *testing.T, dir string) {
			writePID(t, dir, newZombie(t, dir))
		}},
		{"PID unused", func(t *testing.T, dir string) {
			writePID(t, dir, 1<<22-1)
		}},
		{"file empty", func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "data", "postmaster.pid"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := newCluster(t)
			c.stale(t, dir)
			queryText(t, startServer(t, Options{Dir: dir}), "SELECT 'here'")
		})
	}
}

// newZombie returns the PID of a program that has exited and was not waited for.
func newZombie(t *testing.T, dir string) int {
	t.Helper()
	cmd := startProgram(t, dir, "/bin/sleep", "0")
	time.Sleep(50 * time.Millisecond)
	if err := syscall.Kill(cmd.Process.Pid, 0); err != nil {
		t.Fatalf("no zombie: %v", err)
	}
	return cmd.Process.Pid
}

func TestStart_OtherPID_SparesServer(t *testing.T) {
	t.Parallel()
	other := startServer(t, Options{Dir: newCluster(t), Volatile: true})
	dir := newCluster(t)
	writePID(t, dir, serverPID(other))
	queryText(t, startServer(t, Options{Dir: dir}), "SELECT 'here'")
	queryText(t, other, "SELECT 'still here'")
}

// A statement of a killed server may still write. A second server on the cluster would
// destroy it.
func TestStart_StatementRunning_Waits(t *testing.T) {
	t.Parallel()
	dir := newCluster(t)
	s := startServer(t, Options{Dir: dir})
	conn := connect(t, s)
	const length = 1500 * time.Millisecond
	ended := make(chan struct{})
	t.Cleanup(func() { <-ended }) // before the connection is closed
	go func() {
		defer close(ended)
		_, _ = conn.Exec(context.Background(), `DO $$ DECLARE start timestamptz := clock_timestamp();
			BEGIN WHILE clock_timestamp() < start + interval '1500 ms' LOOP END LOOP; END $$`)
	}()
	startedAt := time.Now()
	waitUntil(t, "statement running", func() bool {
		return queryText(t, s, "SELECT count(*)::text FROM pg_stat_activity WHERE query LIKE 'DO %' AND state = 'active'") == "1"
	})
	killProcess(t, serverPID(s))
	<-s.Exited()
	_ = s.Stop(t.Context())
	// Also if another program has the PID of the killed server.
	writePID(t, dir, startProgram(t, dir, "/bin/sleep", "60").Process.Pid)

	queryText(t, startServer(t, Options{Dir: dir}), "SELECT 'here'")
	if elapsed := time.Since(startedAt); elapsed < length {
		t.Errorf("server started after %v, during a statement of %v", elapsed, length)
	}
}

func TestStart_InitdbKilled_Works(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // interrupts initdb as soon as it writes
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(dir, "data.new", "global")); err == nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if _, err := Start(ctx, Options{Dir: dir, Volatile: true, Log: discardLog}); err == nil {
		t.Fatal("initdb finished: nothing was interrupted")
	}
	if _, err := os.Stat(filepath.Join(dir, "data.new")); err != nil {
		t.Fatalf("initdb was not interrupted: %v", err)
	}
	queryText(t, startServer(t, Options{Dir: dir, Volatile: true}), "SELECT 'here'")
}

func TestRemove_OwnerAlive_Refused(t *testing.T) {
	t.Parallel()
	dir := newCluster(t)
	owner, _ := startOwner(t, dir)
	checkError(t, Remove(t.Context(), dir), "in use by another process")
	killProcess(t, owner.Process.Pid)
	_ = owner.Wait()
	if err := Remove(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s still exists", dir)
	}
}

func killProcess(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
