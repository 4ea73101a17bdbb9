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

// clusterCache is a directory of this account with prepared clusters (ready-*) and
// running copies of them (run-*). It is locked until release is called.
type clusterCache struct {
	dir     string
	bin     local.Binaries
	release func()
}

func openClusterCache(ctx context.Context, base string) (*clusterCache, error) {
	c := &clusterCache{dir: filepath.Join(base, fmt.Sprintf("labelwright-pgtest-%d", os.Geteuid()))}
	if err := makeOwnedDir(c.dir); err != nil {
		return nil, err
	}
	release, err := waitForLock(ctx, c.dir)
	if err != nil {
		return nil, err
	}
	c.release = release
	return c, nil
}

// makeOwnedDir creates dir and verifies that this account owns it, because every account
// may be able to write to its parent.
func makeOwnedDir(dir string) error {
	mode := os.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o755 // the server runs as another account
	}
	if err := os.Mkdir(dir, mode); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("creating a directory for test databases: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("checking the directory for test databases: %w", err)
	}
	if !info.IsDir() || !isOwned(info) {
		return fmt.Errorf("%s is for test databases, but belongs to another account. Remove it", dir)
	}
	return nil
}

// waitForLock waits until dir is unlocked. Other test binaries need it for about a second.
func waitForLock(ctx context.Context, dir string) (release func(), err error) {
	for {
		release, err := local.LockDir(dir)
		if !errors.Is(err, local.ErrLocked) {
			return release, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (c *clusterCache) options(dir string) local.Options {
	return local.Options{
		Dir: dir, BinDir: c.bin.Dir, CacheDir: binaryCacheDir(c.dir),
		Volatile: true, Log: slog.New(slog.DiscardHandler),
	}
}

// binaryCacheDir returns the directory for a downloaded PostgreSQL. It is not in the
// cluster cache, because programs often cannot run from a file system in memory.
func binaryCacheDir(fallback string) string {
	if os.Geteuid() == 0 {
		return "/var/cache/labelwright"
	}
	userCache, err := os.UserCacheDir()
	if err != nil {
		userCache = fallback
	}
	return filepath.Join(userCache, "labelwright")
}

// clusterPath returns the path of the cluster prepared under key by this PostgreSQL.
func (c *clusterCache) clusterPath(key string) string {
	sum := sha256.Sum256([]byte(c.bin.Version + "\x00" + key))
	return filepath.Join(c.dir, fmt.Sprintf("ready-%x", sum[:8]))
}

// copyCluster returns a directory with a copy of a cluster, and prepares it if needed.
func (c *clusterCache) copyCluster(ctx context.Context, prepared string, prepare Prepare) (string, error) {
	c.removeStale(ctx)
	if err := c.ensurePrepared(ctx, prepared, prepare); err != nil {
		return "", err
	}
	dir, err := c.makeRunDir()
	if err != nil {
		return "", err
	}
	// cp preserves owners and modes, which PostgreSQL checks.
	if output, err := exec.CommandContext(ctx, "cp", "-a", prepared,
		filepath.Join(dir, "data")).CombinedOutput(); err != nil {
		return "", fmt.Errorf("copying the prepared cluster: %w: %s", err, output)
	}
	return dir, nil
}

// ensurePrepared prepares the cluster if it is missing. It works in a temporary directory
// and renames it, so that a failed preparation leaves no cluster.
func (c *clusterCache) ensurePrepared(ctx context.Context, prepared string, prepare Prepare) error {
	now := time.Now()
	if err := os.Chtimes(prepared, now, now); err == nil {
		return nil // its new time protects it from removeStale
	}
	dir, err := c.makeRunDir()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := c.prepareCluster(ctx, dir, prepare); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(dir, "data"), prepared); err != nil {
		return fmt.Errorf("storing the prepared cluster: %w", err)
	}
	return nil
}

func (c *clusterCache) prepareCluster(ctx context.Context, dir string, prepare Prepare) error {
	server, err := local.Start(ctx, c.options(dir))
	if err != nil {
		return fmt.Errorf("starting a server for tests: %w", err)
	}
	if err := prepare(ctx, server.URL(local.Database)); err != nil {
		return errors.Join(fmt.Errorf("preparing the test database: %w", err), server.Stop(ctx))
	}
	return server.Stop(ctx)
}

func (c *clusterCache) makeRunDir() (string, error) {
	dir, err := os.MkdirTemp(c.dir, "run-")
	if err != nil {
		return "", fmt.Errorf("creating a directory for test databases: %w", err)
	}
	if os.Geteuid() == 0 {
		err = os.Chmod(dir, 0o755)
	}
	return dir, err
}

// maxPrepared is the number of prepared clusters that are kept. Switching between
// branches stays quick, and editing migrations does not fill the memory.
const maxPrepared = 4

// removeStale removes the directories of killed runs, which are no longer locked, and
// the prepared clusters that were unused for the longest time.
func (c *clusterCache) removeStale(ctx context.Context) {
	runs, _ := filepath.Glob(filepath.Join(c.dir, "run-*"))
	for _, dir := range runs {
		_ = local.Remove(ctx, dir)
	}
	prepared, _ := filepath.Glob(filepath.Join(c.dir, "ready-*"))
	slices.SortFunc(prepared, func(a, b string) int { return modTime(a).Compare(modTime(b)) })
	for _, dir := range prepared[:max(0, len(prepared)-maxPrepared)] {
		_ = os.RemoveAll(dir)
	}
}

func modTime(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
