package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/postgres/pgtest"
)

// Migrations and the application take the same address, with the settings of the pool.
func TestOpen_PoolSettings_Apply(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t) + "&pool_max_conns=3"
	if err := MigrateUp(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if n := db.pool.Config().MaxConns; n != 3 {
		t.Errorf("%d connections at most", n)
	}
}
