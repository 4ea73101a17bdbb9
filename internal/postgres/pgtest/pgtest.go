// Package pgtest gives each test its own migrated PostgreSQL database. Each test binary
// runs one private server, which starts with the first test that needs it and stops
// after the last test.
//
//	func TestMain(m *testing.M) { pgtest.Main(m, postgres.SchemaKey(), postgres.MigrateUp) }
//
//	func TestSubmit(t *testing.T) {
//		t.Parallel()
//		db := open(t, pgtest.New(t))
//
// TEST_DATABASE_URL selects an external server instead of a private one. Its role needs
// the right to create databases. Without PostgreSQL, tests are skipped, or fail if
// LABELWRIGHT_REQUIRE lists "postgres", as in "postgres,node".
package pgtest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Prepare brings the empty database at url to the initial state of every test, and
// closes its connections.
type Prepare func(ctx context.Context, url string) error

// gcPercent saves a tenth of the time of the processors: tests allocate much that they soon release. Benchmarks keep
// the default.
const gcPercent = 300

// Main runs the tests of a package. key identifies what prepare does, such as a hash of
// the migrations: runs with the same key share a prepared database. Call Main last in
// TestMain.
func Main(m *testing.M, key string, prepare Prepare) {
	suite = &lazyServer{open: func(ctx context.Context) (*dbServer, error) {
		return openServer(ctx, os.Getenv("TEST_DATABASE_URL"), key, prepare)
	}}
	if flag.Parse(); os.Getenv("GOGC") == "" && flag.Lookup("test.bench").Value.String() == "" {
		debug.SetGCPercent(gcPercent)
	}
	m.Run() // its result is the exit code after TestMain returns
	if err := suite.close(); err != nil {
		fmt.Fprintln(os.Stderr, "pgtest:", err)
	}
}

// New returns the URL of a prepared database for this test alone. Close connections to
// it with t.Cleanup; pgtest drops the database.
func New(t testing.TB) string {
	t.Helper()
	return suite.newDatabase(t, func(s *dbServer) string { return s.template })
}

// NewCopy returns the URL of a copy of the database at url, which New returned in the same
// test binary. Close all connections to it before.
func NewCopy(t testing.TB, url string) string {
	t.Helper()
	source, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	return suite.newDatabase(t, func(*dbServer) string { return source.Database })
}

// NewEmpty returns the URL of an empty database, for tests of the migrations.
func NewEmpty(t testing.TB) string {
	t.Helper()
	return suite.newDatabase(t, func(*dbServer) string { return "template0" })
}

// suite is the server of this test binary, set by Main.
var suite *lazyServer

// lazyServer opens the server at the first use, so that a run without database tests
// starts none.
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
	// Not the context of t: the server outlives the first test.
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

// unavailableError means that this machine has no PostgreSQL and cannot download it.
type unavailableError struct{ error }

func (e unavailableError) Unwrap() error { return e.error }

// skipOrFail skips t if PostgreSQL is missing and not required. Any other error fails t.
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
