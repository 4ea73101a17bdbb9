package main

import (
	"testing"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m, postgres.SchemaKey(), postgres.MigrateUp) }
