package pgtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
)

// ownerDir makes the test binary one that holds a server in this directory until
// a test kills it.
const ownerDir = "LABELWRIGHT_TEST_OWNER_DIR"

// key is that of words; tests that are not about preparing use the cluster of Main.
const key = "the words of pgtest"

func TestMain(m *testing.M) {
	if base := os.Getenv(ownerDir); base != "" {
		own(base)
		return
	}
	Main(m, key, words)
}

func own(base string) {
	if _, err := openPrivate(context.Background(), base, key, words); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("open")
	select {}
}

// words prepares a table that can hold each word once.
func words(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "CREATE TABLE words (word text PRIMARY KEY)")
	return err
}

// room makes a directory that the server's account can reach.
func room(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(quickDir(), "labelwright-pgtest-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// open opens a private host in base, closed with the test.
func open(t *testing.T, base, key string, prepare Prepare) *host {
	t.Helper()
	skipWithoutPostgres(t)
	h, err := openPrivate(t.Context(), base, key, prepare)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.close(context.Background()) })
	return h
}

// skipWithoutPostgres skips or fails as every user of this package does.
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

func count(t *testing.T, url, sql string, args ...any) (n int) {
	t.Helper()
	if err := connect(t, url).QueryRow(t.Context(), "SELECT count(*) FROM "+sql, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func entries(t *testing.T, pattern ...string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(pattern...))
	if err != nil {
		t.Fatal(err)
	}
	return found
}
