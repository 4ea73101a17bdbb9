//go:build unix

package local

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// checkRefused checks that the server refuses a connection before any password.
func checkRefused(t *testing.T, err error) {
	t.Helper()
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); !ok || pgErr.Code != "28000" {
		t.Errorf("got %v, want a refused account", err)
	}
}

func TestStart_UnknownRole_Refused(t *testing.T) {
	t.Parallel()
	s := startServer(t, Options{Dir: newCluster(t)})
	execSQL(t, s, "CREATE ROLE labelwright_app LOGIN; CREATE ROLE other LOGIN SUPERUSER; CREATE ROLE labelwright_owner LOGIN")
	for _, role := range []string{"other", "postgres", "labelwright_owner"} {
		conn, err := pgx.Connect(t.Context(), s.Address().URL(role, Database))
		if err == nil {
			_ = conn.Close(t.Context())
		}
		checkRefused(t, err)
	}
	conn, err := pgx.Connect(t.Context(), s.Address().URL("labelwright_app", Database))
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close(t.Context())
}

// A cluster that trusts every connection gets the rules at its next start.
func TestStart_TrustingCluster_TrustsNoMore(t *testing.T) {
	t.Parallel()
	dir := newCluster(t)
	writeText(t, filepath.Join(dir, "data", "pg_hba.conf"), "local all all trust\n")
	s := startServer(t, Options{Dir: dir})
	if got := queryText(t, s, "SELECT string_agg(type || ' ' || auth_method, ', ') FROM pg_hba_file_rules"); got != "local peer" {
		t.Errorf("the server accepts %q, want local peer only", got)
	}
}
