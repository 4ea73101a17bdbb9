package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
)

func TestMain(m *testing.M) {
	if os.Getenv(runCommandEnv) != "" {
		main() // does not return
	}
	pgtest.Main(m, postgres.SchemaKey(), postgres.MigrateUp)
}

func TestCommands_NoDatabase_CreateNone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mistyped")
	code, _, stderr := runCommand(t, "", "project", "list", "--data-dir", dir)
	if code != exitFailed || !strings.Contains(stderr, "no database in "+dir) {
		t.Errorf("exit %d: %q", code, stderr)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder was created: %v", err)
	}
}
