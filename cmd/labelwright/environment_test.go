package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/require"
)

// A testEnv is a database and a folder for commands.
type testEnv struct {
	*testing.T
	databaseURL string
	dir         string
}

func newTestEnv(t *testing.T) testEnv {
	t.Helper()
	t.Parallel()
	require.Time(t)
	return testEnv{t, pgtest.New(t), t.TempDir()}
}

// mustRun runs a command that must succeed, and returns its output.
func (env testEnv) mustRun(args ...string) string {
	env.Helper()
	code, out, err := runCommand(env.T, "", append([]string{"--database-url", env.databaseURL, "--log", "warn"},
		args...)...)
	if code != exitOK || logLine.ReplaceAllString(err, "") != "" {
		env.Fatalf("%s: exit %d: %s", strings.Join(args, " "), code, err)
	}
	return out
}

// mustFail runs a command that must fail, and returns the error.
func (env testEnv) mustFail(args ...string) string {
	env.Helper()
	code, out, err := runCommand(env.T, "", append([]string{"--database-url", env.databaseURL, "--log", "warn"},
		args...)...)
	if code != exitFailed && code != exitUsage || err == "" {
		env.Fatalf("%s: exit %d, %q, %q", strings.Join(args, " "), code, out, err)
	}
	return err
}

// writeFile writes a file to the folder and returns its path.
func (env testEnv) writeFile(name, content string) string {
	env.Helper()
	path := filepath.Join(env.dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		env.Fatal(err)
	}
	return path
}

func (env testEnv) checkContains(text string, parts ...string) {
	env.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			env.Errorf("%q is missing in %q", part, text)
		}
	}
}

func (env testEnv) openDB() *postgres.DB {
	env.Helper()
	db, err := postgres.Open(env.Context(), env.databaseURL)
	if err != nil {
		env.Fatal(err)
	}
	env.Cleanup(db.Close)
	return db
}
