package pgtest

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestAPreparedClusterIsReused(t *testing.T) {
	t.Parallel()
	base := room(t)
	var prepared atomic.Int32
	counted := func(ctx context.Context, url string) error {
		prepared.Add(1)
		return words(ctx, url)
	}
	for _, c := range []struct {
		key  string
		want int32
	}{{"one", 1}, {"one", 1}, {"two", 2}, {"one", 2}} {
		begun := time.Now()
		h := open(t, base, c.key, counted)
		t.Logf("key %s: open in %v", c.key, time.Since(begun))
		if got := prepared.Load(); got != c.want {
			t.Errorf("after key %s it was prepared %d times, not %d", c.key, got, c.want)
		}
		if n := count(t, h.url(h.template), "words"); n != 0 {
			t.Errorf("the template holds %d words", n)
		}
	}
}

func TestTestBinariesAtOncePrepareOnce(t *testing.T) {
	t.Parallel()
	skipWithoutPostgres(t)
	base := room(t)
	var prepared atomic.Int32
	var binaries sync.WaitGroup
	for range 3 {
		binaries.Go(func() {
			h, err := openPrivate(t.Context(), base, "shared", func(ctx context.Context, url string) error {
				prepared.Add(1)
				return words(ctx, url)
			})
			if err != nil {
				t.Error(err)
				return
			}
			if err := h.close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	binaries.Wait()
	if got := prepared.Load(); got != 1 {
		t.Errorf("it was prepared %d times", got)
	}
}

func TestAFailedPreparationIsToldAndNotKept(t *testing.T) {
	t.Parallel()
	skipWithoutPostgres(t)
	base := room(t)
	broken := errors.New("migration 7 is broken")
	_, err := openPrivate(t.Context(), base, "same", func(context.Context, string) error { return broken })
	if !errors.Is(err, broken) {
		t.Fatalf("the error is %v", err)
	}
	h := open(t, base, "same", words)
	if n := count(t, h.url(h.template), "words"); n != 0 {
		t.Errorf("the template holds %d words", n)
	}
}

func TestClosingLeavesOnlyThePreparedCluster(t *testing.T) {
	t.Parallel()
	base := room(t)
	h := open(t, base, key, words)
	if err := h.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := entries(t, base, "*", "*"); len(left) != 2 || filepath.Base(left[0]) != "lock" {
		t.Errorf("left are %v", left)
	}
}

func TestAKilledRunIsClearedAwayAndALivingOneIsNot(t *testing.T) {
	t.Parallel()
	base := room(t)
	living := open(t, base, key, words)
	killed := hire(t, base)
	if n := len(entries(t, base, "*", "run-*")); n != 2 {
		t.Fatalf("there are %d runs, not 2", n)
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	next := open(t, base, key, words)
	if n := len(entries(t, base, "*", "run-*")); n != 2 {
		t.Errorf("there are %d runs, not the living and the next", n)
	}
	for _, h := range []*host{living, next} {
		if _, err := h.create(t.Context(), h.template); err != nil {
			t.Error(err)
		}
	}
}

// hire starts another process that holds a server in base.
func hire(t *testing.T, base string) *exec.Cmd {
	t.Helper()
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), ownerDir+"="+base)
	owner.Stderr = os.Stderr
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = owner.Process.Kill() })
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the owner opened no server: %v", err)
	}
	return owner
}

func TestLongUnusedClustersGo(t *testing.T) {
	t.Parallel()
	n := nursery{dir: t.TempDir()}
	now := time.Now()
	for i, name := range []string{"ready-oldest", "ready-old", "ready-c", "ready-b", "ready-a", "ready-newest"} {
		dir := filepath.Join(n.dir, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		at := now.Add(time.Duration(i) * time.Minute)
		if err := os.Chtimes(dir, at, at); err != nil {
			t.Fatal(err)
		}
	}
	n.sweep(t.Context())
	if left := entries(t, n.dir, "ready-old*"); len(left) != 0 {
		t.Errorf("left are %v", left)
	}
	if left := entries(t, n.dir, "ready-*"); len(left) != readyKept {
		t.Errorf("%d are left, not %d", len(left), readyKept)
	}
}

func TestAPlaceOfAnotherAccountIsRefused(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	elsewhere := filepath.Join(base, "elsewhere")
	if err := os.Mkdir(elsewhere, 0o700); err != nil {
		t.Fatal(err)
	}
	trap := filepath.Join(base, "place")
	if err := os.Symlink(elsewhere, trap); err != nil {
		t.Fatal(err)
	}
	if err := ownDir(trap); err == nil {
		t.Error("a link that anybody may have laid was followed")
	}
	if os.Geteuid() != 0 {
		return
	}
	if err := os.Chown(elsewhere, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if err := ownDir(elsewhere); err == nil {
		t.Error("a directory of another account was taken")
	}
}

func TestFinishedDatabasesAreDroppedInTheEnd(t *testing.T) {
	t.Parallel()
	h := open(t, quickDir(), key, words)
	h.keep = 2
	forgotten := ""
	for range 5 {
		name, err := h.create(t.Context(), h.template)
		if err != nil {
			t.Fatal(err)
		}
		if forgotten == "" {
			forgotten = name
			connect(t, h.url(name)) // stays open
		}
		h.finish(name)
	}
	h.dropping.Wait()
	if n := count(t, h.url("postgres"), "pg_database WHERE datname LIKE 'test%'"); n != h.keep {
		t.Errorf("%d finished databases are there, not %d", n, h.keep)
	}
	if n := count(t, h.url("postgres"), "pg_database WHERE datname = $1", forgotten); n != 0 {
		t.Error("the one with a forgotten connection is still there")
	}
}
