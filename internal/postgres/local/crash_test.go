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

func TestStartAfterTheServerWasKilled(t *testing.T) {
	t.Parallel()
	dir := cluster(t)
	s := start(t, Options{Dir: dir})
	run(t, s, "CREATE TABLE kept AS SELECT 'yes' AS word")
	kill(t, pidOf(s))
	<-s.Exited()
	mustSay(t, s.Stop(t.Context()), "PostgreSQL ended")

	s = start(t, Options{Dir: dir})
	if got := ask(t, s, "SELECT word FROM kept"); got != "yes" {
		t.Errorf("what was committed reads %q", got)
	}
}

func TestStartAfterTheOwnerWasKilled(t *testing.T) {
	for _, c := range []struct {
		name       string
		withServer bool
	}{
		{"the owner alone", false},
		{"the owner and the server", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := cluster(t)
			owner, server := hire(t, dir)
			kill(t, owner.Process.Pid)
			if c.withServer {
				kill(t, server)
			}
			_ = owner.Wait()
			ask(t, start(t, Options{Dir: dir}), "SELECT 'here'")
		})
	}
}

func TestTheServerEndsWithItsOwner(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux, where the kernel tells a child of its parent's death")
	}
	t.Parallel()
	dir := cluster(t)
	owner, server := hire(t, dir)
	kill(t, owner.Process.Pid)
	_ = owner.Wait()
	eventually(t, "the server has ended", func() bool { return !isServerOf(server, filepath.Join(dir, "data")) })
}

// hire starts another process that owns the server in dir.
func hire(t *testing.T, dir string) (owner *exec.Cmd, server int) {
	t.Helper()
	owner = exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), ownerDir+"="+dir)
	owner.Stderr = os.Stderr
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = owner.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the owner did not start a server: %v", err)
	}
	server, err = strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return owner, server
}

func TestAnOrphanIsEndedFirst(t *testing.T) {
	t.Parallel()
	dir := cluster(t)
	s := start(t, Options{Dir: dir})
	bin := s.bin.path("postgres")
	stop(t, s)
	data := filepath.Join(dir, "data")
	orphan := inhabit(t, dir, bin, "-D", data, "-c", "listen_addresses=", "-c", "unix_socket_directories="+data)
	eventually(t, "the orphan runs", func() bool {
		text, _ := os.ReadFile(filepath.Join(data, "postmaster.pid"))
		return strings.Contains(string(text), "ready")
	})
	ask(t, start(t, Options{Dir: dir}), "SELECT 'here'")
	if isServerOf(orphan.Process.Pid, data) {
		t.Error("the orphan still runs")
	}
}

func TestStalePidFile(t *testing.T) {
	for _, c := range []struct {
		name  string
		stale func(t *testing.T, dir string)
	}{
		{"its number is another program's by now", func(t *testing.T, dir string) {
			writePid(t, dir, inhabit(t, dir, "/bin/sleep", "60").Process.Pid)
		}},
		{"its number is that of a zombie", func(t *testing.T, dir string) {
			writePid(t, dir, zombie(t, dir))
		}},
		{"its number is nobody's", func(t *testing.T, dir string) {
			writePid(t, dir, 1<<22-1)
		}},
		{"it was cut off while being written", func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "data", "postmaster.pid"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := cluster(t)
			c.stale(t, dir)
			ask(t, start(t, Options{Dir: dir}), "SELECT 'here'")
		})
	}
}

// zombie leaves a program that has ended and that nobody has asked about.
func zombie(t *testing.T, dir string) int {
	t.Helper()
	cmd := inhabit(t, dir, "/bin/sleep", "0")
	time.Sleep(50 * time.Millisecond)
	if err := syscall.Kill(cmd.Process.Pid, 0); err != nil {
		t.Fatalf("the program left no zombie: %v", err)
	}
	return cmd.Process.Pid
}

func TestAnotherServersNumberIsNoOrphan(t *testing.T) {
	t.Parallel()
	other := start(t, Options{Dir: cluster(t), Volatile: true})
	dir := cluster(t)
	writePid(t, dir, pidOf(other))
	ask(t, start(t, Options{Dir: dir}), "SELECT 'here'")
	ask(t, other, "SELECT 'still here'")
}

// The last statement of a killed server may still write; a second server beside it
// would destroy the cluster.
func TestStartWaitsForTheLastStatementOfAKilledServer(t *testing.T) {
	t.Parallel()
	dir := cluster(t)
	s := start(t, Options{Dir: dir})
	busy := connect(t, s)
	const length = 1500 * time.Millisecond
	ended := make(chan struct{})
	t.Cleanup(func() { <-ended }) // before the connection is closed
	go func() {
		defer close(ended)
		_, _ = busy.Exec(context.Background(), `DO $$ DECLARE begun timestamptz := clock_timestamp();
			BEGIN WHILE clock_timestamp() < begun + interval '1500 ms' LOOP END LOOP; END $$`)
	}()
	begun := time.Now()
	eventually(t, "the statement runs", func() bool {
		return ask(t, s, "SELECT count(*)::text FROM pg_stat_activity WHERE query LIKE 'DO %' AND state = 'active'") == "1"
	})
	kill(t, pidOf(s))
	<-s.Exited()
	_ = s.Stop(t.Context())
	// Even where the number of the killed server is another program's by now.
	writePid(t, dir, inhabit(t, dir, "/bin/sleep", "60").Process.Pid)

	ask(t, start(t, Options{Dir: dir}), "SELECT 'here'")
	if took := time.Since(begun); took < length {
		t.Errorf("the server started after %v, beside a statement of %v", took, length)
	}
}

func TestStartAfterACutOffInitdb(t *testing.T) {
	t.Parallel()
	dir := room(t)
	ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer cancel()
	if _, err := Start(ctx, Options{Dir: dir, Volatile: true, Log: quiet}); err == nil {
		t.Fatal("a cluster was made in 150 ms, so this shows nothing")
	}
	if _, err := os.Stat(filepath.Join(dir, "data.new")); err != nil {
		t.Fatalf("initdb was not cut off in its midst: %v", err)
	}
	ask(t, start(t, Options{Dir: dir, Volatile: true}), "SELECT 'here'")
}

func TestRemove(t *testing.T) {
	t.Parallel()
	dir := cluster(t)
	owner, _ := hire(t, dir)
	mustSay(t, Remove(t.Context(), dir), "in use by another process")
	kill(t, owner.Process.Pid)
	_ = owner.Wait()
	if err := Remove(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is left", dir)
	}
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
