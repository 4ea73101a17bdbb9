// Package pgtest gives each test a PostgreSQL database of its own, already
// migrated. One private server serves a test binary; it starts with the first
// test that asks and is gone with the last.
//
//	func TestMain(m *testing.M) { pgtest.Main(m, migrations.Key, postgres.Migrate) }
//
//	func TestSubmit(t *testing.T) {
//		t.Parallel()
//		db := open(t, pgtest.New(t))
//
// TEST_DATABASE_URL names a server to use in place of a private one; its role must
// be allowed to create databases. Where no PostgreSQL can be had tests are skipped,
// unless LABELWRIGHT_REQUIRE lists "postgres" (as in "postgres,npm"): then they fail.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Prepare brings the empty database at url to the state that every test starts from,
// and closes its connections.
type Prepare func(ctx context.Context, url string) error

// Main runs the tests of a package. key stands for all that prepare does, such as a
// hash of the migrations: while it stays the same the prepared database is reused
// between runs. Call it last in TestMain.
func Main(m *testing.M, key string, prepare Prepare) {
	suite = &lazyServer{open: func(ctx context.Context) (*dbServer, error) {
		return openServer(ctx, os.Getenv("TEST_DATABASE_URL"), key, prepare)
	}}
	m.Run() // its verdict becomes the exit code when TestMain returns
	if err := suite.close(); err != nil {
		fmt.Fprintln(os.Stderr, "pgtest:", err)
	}
}

// New returns the URL of a prepared database that no other test sees. Close what
// is opened on it with t.Cleanup; the database itself needs no care.
func New(t testing.TB) string {
	t.Helper()
	return suite.newDatabase(t, func(s *dbServer) string { return s.template })
}

// NewEmpty returns the URL of a database with nothing in it, for tests of the
// migrations themselves.
func NewEmpty(t testing.TB) string {
	t.Helper()
	return suite.newDatabase(t, func(*dbServer) string { return "template0" })
}

// suite is what Main prepared for this test binary.
var suite *lazyServer

// lazyServer opens the host at the first call, so that a run without database tests
// starts no server.
type lazyServer struct {
	open   func(context.Context) (*dbServer, error)
	once   sync.Once
	server *dbServer
	err    error
}

func (s *lazyServer) newDatabase(t testing.TB, template func(*dbServer) string) string {
	t.Helper()
	if s == nil {
		t.Fatal("pgtest: TestMain of this package must call pgtest.Main")
	}
	// Not the context of t: the server outlives the test that happens to be first.
	s.once.Do(func() { s.server, s.err = s.open(context.Background()) })
	if s.err != nil {
		skipOrFail(t, s.err, os.Getenv("LABELWRIGHT_REQUIRE"))
	}
	name, err := s.server.createDatabase(t.Context(), template(s.server))
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() { s.server.releaseDatabase(name) })
	return s.server.url(name)
}

func (s *lazyServer) close() error {
	s.once.Do(func() {})
	if s.server == nil {
		return nil
	}
	return s.server.close(context.Background())
}

// unavailableError means that there is no PostgreSQL on this machine and none to be had.
type unavailableError struct{ error }

func (e unavailableError) Unwrap() error { return e.error }

// skipOrFail skips t where PostgreSQL is missing and not required. Every other failure
// is one of ours, and hides nothing.
func skipOrFail(t testing.TB, err error, required string) {
	t.Helper()
	if _, ok := errors.AsType[unavailableError](err); !ok {
		t.Fatalf("pgtest: %v", err)
	}
	if slices.Contains(strings.Split(required, ","), "postgres") {
		t.Fatalf("pgtest: LABELWRIGHT_REQUIRE lists postgres, but %v", err)
	}
	t.Skipf("needs PostgreSQL: %v", err)
}
