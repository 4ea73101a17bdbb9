package pgtest

import (
	"context"
	"testing"
)

func TestExternalServer_LeavesNothing(t *testing.T) {
	t.Parallel()
	dsn := openPrivateServer(t, fastTempDir(), wordsKey, prepareWords).url("postgres")
	const testDatabases = "pg_database WHERE starts_with(datname, 'labelwright_test')"
	for _, name := range []string{"labelwright_test_42_template", "labelwright_test_42_1", "labelwright_testament"} {
		if _, err := connect(t, dsn).Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
			t.Fatal(err)
		}
	}
	first, second := openExternalServer(t, dsn), openExternalServer(t, dsn)
	if n := countRows(t, dsn, testDatabases); n != 1+2*2 {
		t.Errorf("%d databases, want one of another program and two of each run", n)
	}
	if err := first.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := second.createDatabase(t.Context(), second.template); err != nil {
		t.Errorf("after the first run was closed: %v", err)
	}
	if err := second.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := countRows(t, dsn, testDatabases); n != 1 {
		t.Errorf("%d databases, want only the one of another program", n)
	}
}

// openExternalServer opens dsn like TEST_DATABASE_URL and creates one database.
func openExternalServer(t *testing.T, dsn string) *dbServer {
	t.Helper()
	s, err := openServer(t.Context(), dsn, "any key", prepareWords)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.admin.Close() })
	name, err := s.createDatabase(t.Context(), s.template)
	if err != nil {
		t.Fatal(err)
	}
	if n := countRows(t, s.url(name), "words"); n != 0 {
		t.Errorf("a new database has %d words, want 0", n)
	}
	return s
}

func TestUnreachableServer_FailsInsteadOfSkipping(t *testing.T) {
	t.Parallel()
	_, err := openServer(context.Background(), "postgres://user@127.0.0.1:1/none", "key", prepareWords)
	if recorded := recordSkipOrFail(err, ""); recorded.failMessage == "" {
		t.Errorf("skipped with %q, want a failure", recorded.skipMessage)
	}
}

func TestWithDatabase_DSNForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ dsn, want string }{
		{"postgres://u:p@host:5433/main?sslmode=disable", "postgres://u:p@host:5433/other?sslmode=disable"},
		{"postgres://u@/main?host=/run/pg", "postgres://u@/other?host=/run/pg"},
		{"postgres://host", "postgres://host/other"},
		{"host=/run/pg dbname=main", "host=/run/pg dbname=main dbname=other"},
	} {
		if got := withDatabase(c.dsn, "other"); got != c.want {
			t.Errorf("withDatabase(%q) = %q, want %q", c.dsn, got, c.want)
		}
	}
}
