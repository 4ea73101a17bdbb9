package pgtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
)

// ownerDirEnv makes the test binary run a server in this directory until a test kills it.
const ownerDirEnv = "LABELWRIGHT_TEST_OWNER_DIR"

// wordsKey is the key of prepareWords. Tests that are not about preparing use the cluster
// of Main.
const wordsKey = "pgtest words"

func TestMain(m *testing.M) {
	if base := os.Getenv(ownerDirEnv); base != "" {
		runOwner(base)
		return
	}
	Main(m, wordsKey, prepareWords)
}

func runOwner(dir string) {
	if _, err := openPrivate(context.Background(), dir, wordsKey, prepareWords); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("open")
	select {}
}

// prepareWords creates a table of unique words.
func prepareWords(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "CREATE TABLE words (word text PRIMARY KEY)")
	return err
}

// newDir creates a directory that the server's account can reach.
func newDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(fastTempDir(), "labelwright-pgtest-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// openPrivateServer opens a private server in dir and closes it after the test.
func openPrivateServer(t *testing.T, dir, key string, prepare Prepare) *dbServer {
	t.Helper()
	skipWithoutPostgres(t)
	s, err := openPrivate(t.Context(), dir, key, prepare)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.close(context.Background()) })
	return s
}

// skipWithoutPostgres skips or fails the test like every test that uses this package.
func skipWithoutPostgres(t *testing.T) {
	t.Helper()
	New(t)
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func countRows(t *testing.T, url, sql string, args ...any) (n int) {
	t.Helper()
	if err := connect(t, url).QueryRow(t.Context(), "SELECT count(*) FROM "+sql, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func glob(t *testing.T, pattern ...string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(pattern...))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
