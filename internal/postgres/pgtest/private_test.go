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

func TestOpenPrivate_SameKey_Reuses(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	var prepared atomic.Int32
	countingPrepare := func(ctx context.Context, url string) error {
		prepared.Add(1)
		return prepareWords(ctx, url)
	}
	for _, c := range []struct {
		key  string
		want int32
	}{{"one", 1}, {"one", 1}, {"two", 2}, {"one", 2}} {
		startedAt := time.Now()
		s := openPrivateServer(t, dir, c.key, countingPrepare)
		t.Logf("key %s: opened in %v", c.key, time.Since(startedAt))
		if got := prepared.Load(); got != c.want {
			t.Errorf("after key %s: prepared %d times, want %d", c.key, got, c.want)
		}
		if n := countRows(t, s.url(s.template), "words"); n != 0 {
			t.Errorf("template has %d words, want 0", n)
		}
	}
}

func TestOpenPrivate_PreparesOnce(t *testing.T) {
	t.Parallel()
	skipWithoutPostgres(t)
	dir := newDir(t)
	var prepared atomic.Int32
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			s, err := openPrivate(t.Context(), dir, "shared", func(ctx context.Context, url string) error {
				prepared.Add(1)
				return prepareWords(ctx, url)
			})
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := prepared.Load(); got != 1 {
		t.Errorf("prepared %d times, want 1", got)
	}
}

func TestOpenPrivate_Failed_NotCached(t *testing.T) {
	t.Parallel()
	skipWithoutPostgres(t)
	dir := newDir(t)
	errBroken := errors.New("migration 7 is broken")
	_, err := openPrivate(t.Context(), dir, "same", func(context.Context, string) error { return errBroken })
	if !errors.Is(err, errBroken) {
		t.Fatalf("got %v, want %v", err, errBroken)
	}
	s := openPrivateServer(t, dir, "same", prepareWords)
	if n := countRows(t, s.url(s.template), "words"); n != 0 {
		t.Errorf("template has %d words, want 0", n)
	}
}

func TestClose_KeepsPreparedCluster(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s := openPrivateServer(t, dir, wordsKey, prepareWords)
	if err := s.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if paths := glob(t, dir, "*", "*"); len(paths) != 2 || filepath.Base(paths[0]) != "lock" {
		t.Errorf("%v left, want the lock and the prepared cluster", paths)
	}
}

func TestOpenPrivate_KilledRun_IsRemoved(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	running := openPrivateServer(t, dir, wordsKey, prepareWords)
	killed := startOwner(t, dir)
	if n := len(glob(t, dir, "*", "run-*")); n != 2 {
		t.Fatalf("%d runs, want 2", n)
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	next := openPrivateServer(t, dir, wordsKey, prepareWords)
	if n := len(glob(t, dir, "*", "run-*")); n != 2 {
		t.Errorf("%d runs, want the running and the next one", n)
	}
	for _, s := range []*dbServer{running, next} {
		if _, err := s.createDatabase(t.Context(), s.template); err != nil {
			t.Error(err)
		}
	}
}

// startOwner starts another process that runs a server in dir.
func startOwner(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	owner := exec.Command(os.Args[0])
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
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatalf("the owner started no server: %v", err)
	}
	return owner
}

func TestRemoveStale_KeepsNewest(t *testing.T) {
	t.Parallel()
	cache := clusterCache{dir: t.TempDir()}
	now := time.Now()
	for i, name := range []string{"ready-oldest", "ready-old", "ready-c", "ready-b", "ready-a", "ready-newest"} {
		dir := filepath.Join(cache.dir, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		modified := now.Add(time.Duration(i) * time.Minute)
		if err := os.Chtimes(dir, modified, modified); err != nil {
			t.Fatal(err)
		}
	}
	cache.removeStale(t.Context())
	if paths := glob(t, cache.dir, "ready-old*"); len(paths) != 0 {
		t.Errorf("the oldest are left: %v", paths)
	}
	if paths := glob(t, cache.dir, "ready-*"); len(paths) != maxPrepared {
		t.Errorf("%d left, want %d", len(paths), maxPrepared)
	}
}

func TestMakeOwnedDir_NotOwned_Refused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := filepath.Join(dir, "elsewhere")
	if err := os.Mkdir(target, 0o700); err != nil {
		t.Fatal(err)
	}
	symlink := filepath.Join(dir, "link")
	if err := os.Symlink(target, symlink); err != nil {
		t.Fatal(err)
	}
	if err := makeOwnedDir(symlink); err == nil {
		t.Error("makeOwnedDir followed a symbolic link")
	}
	if os.Geteuid() != 0 {
		return
	}
	if err := os.Chown(target, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if err := makeOwnedDir(target); err == nil {
		t.Error("makeOwnedDir accepted a directory of another account")
	}
}

func TestReleaseDatabase_BeyondLimit_Drops(t *testing.T) {
	t.Parallel()
	s := openPrivateServer(t, fastTempDir(), wordsKey, prepareWords)
	s.maxFinished = 2
	oldest := ""
	for range 5 {
		name, err := s.createDatabase(t.Context(), s.template)
		if err != nil {
			t.Fatal(err)
		}
		if oldest == "" {
			oldest = name
			connect(t, s.url(name)) // not closed
		}
		s.releaseDatabase(name)
	}
	s.drops.Wait()
	if n := countRows(t, s.url("postgres"), "pg_database WHERE datname LIKE 'test%'"); n != s.maxFinished {
		t.Errorf("%d finished databases, want %d", n, s.maxFinished)
	}
	if n := countRows(t, s.url("postgres"), "pg_database WHERE datname = $1", oldest); n != 0 {
		t.Error("the database with an open connection still exists")
	}
}
