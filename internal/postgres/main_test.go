package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m, SchemaKey(), MigrateUp) }
