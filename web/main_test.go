package web

import (
	"testing"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/web/browsertest"
)

func TestMain(m *testing.M) {
	defer browsertest.Close()
	pgtest.Main(m, postgres.SchemaKey(), postgres.MigrateUp)
}
