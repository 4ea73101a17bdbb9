package pgtest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/postgres/local"
)

// nursery is the directory of this account where prepared clusters wait (ready-*)
// and copies of them serve (run-*). Who has opened it is alone in it.
type nursery struct {
	dir     string
	bin     local.Binaries
	release func()
}

func openNursery(ctx context.Context, base string) (*nursery, error) {
	n := &nursery{dir: filepath.Join(base, fmt.Sprintf("labelwright-pgtest-%d", os.Geteuid()))}
	if err := ownDir(n.dir); err != nil {
		return nil, err
	}
	release, err := claim(ctx, n.dir)
	if err != nil {
		return nil, err
	}
	n.release = release
	return n, nil
}

// ownDir makes dir, which may stand where everybody can write, and makes sure that
// it is nobody else's.
func ownDir(dir string) error {
	mode := os.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o755 // the server runs as another account
	}
	if err := os.Mkdir(dir, mode); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("making a place for test databases: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("making a place for test databases: %w", err)
	}
	if !info.IsDir() || !ours(info) {
		return fmt.Errorf("%s is for test databases, but belongs to another account; please remove it", dir)
	}
	return nil
}

// claim waits until dir is free: other test binaries are done with it in a second.
func claim(ctx context.Context, dir string) (release func(), err error) {
	for {
		release, err := local.Claim(dir)
		if !errors.Is(err, local.ErrClaimed) {
			return release, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (n *nursery) options(dir string) local.Options {
	return local.Options{
		Dir: dir, BinDir: n.bin.Dir, CacheDir: cacheDir(n.dir),
		Volatile: true, Log: slog.New(slog.DiscardHandler),
	}
}

// cacheDir returns where a fetched PostgreSQL is kept: memory, where nursery may be,
// often forbids programs.
func cacheDir(nursery string) string {
	if os.Geteuid() == 0 {
		return "/var/cache/labelwright"
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = nursery
	}
	return filepath.Join(cache, "labelwright")
}

// name tells prepared clusters apart by all that went into them.
func (n *nursery) name(key string) string {
	sum := sha256.Sum256([]byte(n.bin.Version + "\x00" + key))
	return filepath.Join(n.dir, fmt.Sprintf("ready-%x", sum[:8]))
}

// copyOf returns a directory with a copy of the prepared cluster ready.
func (n *nursery) copyOf(ctx context.Context, ready string, prepare Prepare) (string, error) {
	n.sweep(ctx)
	if err := n.makeReady(ctx, ready, prepare); err != nil {
		return "", err
	}
	dir, err := n.workDir()
	if err != nil {
		return "", err
	}
	// Owners and modes matter to PostgreSQL; cp keeps them.
	if said, err := exec.CommandContext(ctx, "cp", "-a", ready, filepath.Join(dir, "data")).CombinedOutput(); err != nil {
		return "", fmt.Errorf("copying the prepared cluster: %w: %s", err, said)
	}
	return dir, nil
}

// makeReady prepares the cluster if it is not there, beside its place at first.
func (n *nursery) makeReady(ctx context.Context, ready string, prepare Prepare) error {
	now := time.Now()
	if err := os.Chtimes(ready, now, now); err == nil {
		return nil // and known to be in use
	}
	dir, err := n.workDir()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := n.prepareIn(ctx, dir, prepare); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(dir, "data"), ready); err != nil {
		return fmt.Errorf("keeping the prepared cluster: %w", err)
	}
	return nil
}

func (n *nursery) prepareIn(ctx context.Context, dir string, prepare Prepare) error {
	server, err := local.Start(ctx, n.options(dir))
	if err != nil {
		return fmt.Errorf("starting a server for tests: %w", err)
	}
	if err := prepare(ctx, server.URL(local.Database)); err != nil {
		return errors.Join(fmt.Errorf("preparing the test database: %w", err), server.Stop(ctx))
	}
	return server.Stop(ctx)
}

func (n *nursery) workDir() (string, error) {
	dir, err := os.MkdirTemp(n.dir, "run-")
	if err != nil {
		return "", fmt.Errorf("making a place for test databases: %w", err)
	}
	if os.Geteuid() == 0 {
		err = os.Chmod(dir, 0o755)
	}
	return dir, err
}

// readyKept is how many prepared clusters stay, so that switching between two
// branches is quick and a long day of editing migrations fills no memory.
const readyKept = 4

// sweep removes what killed runs left, and prepared clusters long unused. What is
// in use says so by its claim.
func (n *nursery) sweep(ctx context.Context) {
	runs, _ := filepath.Glob(filepath.Join(n.dir, "run-*"))
	for _, dir := range runs {
		_ = local.Remove(ctx, dir)
	}
	ready, _ := filepath.Glob(filepath.Join(n.dir, "ready-*"))
	slices.SortFunc(ready, func(a, b string) int { return age(a).Compare(age(b)) })
	for _, dir := range ready[:max(0, len(ready)-readyKept)] {
		_ = os.RemoveAll(dir)
	}
}

func age(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
