package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/labelwright/labelwright/internal/postgres/pgtest"
)

// A restored demo, which has projects in every state, gives the same reports and exports.
func TestBackup_Restored_SameReportsAndExports(t *testing.T) {
	env := newTestEnv(t)
	if _, err := prepareDemo(t.Context(), env.openDB()); err != nil {
		t.Fatal(err)
	}
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	identity := env.writeFile("key.txt", "# a comment\n"+key.String()+"\n")
	file := filepath.Join(env.dir, "labelwright.backup")
	out := env.mustRun("backup", "--recipient", key.Recipient().String(), file)
	env.checkContains(out, "Backed up", "tables into "+file)
	env.checkContains(env.mustFail("backup", file), "exists")
	restored := env
	restored.databaseURL = pgtest.NewEmpty(t)
	env.checkContains(restored.mustFail("restore", file), "encrypted", "--identity")
	env.checkContains(restored.mustRun("restore", "--identity", identity, file), "Restored", "The audit log is intact.")
	env.checkContains(restored.mustFail("restore", "--identity", identity, file), "not empty")
	for _, p := range []string{"ambiguity", "empathy"} {
		if got, want := restored.exportFiles(p, "restored"), env.exportFiles(p, "original"); !slices.Equal(got, want) {
			t.Errorf("%s: exports differ", p)
		}
		if got, want := restored.mustRun("report", "--project", p, "--format", "json"),
			env.mustRun("report", "--project", p, "--format", "json"); got != want {
			t.Errorf("%s: reports differ", p)
		}
	}
	restored.mustRun("batch", "list", "--project", "empathy")
	files, err := filepath.Glob(filepath.Join(env.dir, "*.part"))
	if err != nil || len(files) > 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

// exportFiles exports a project and returns the names and contents of its files.
func (env testEnv) exportFiles(project, name string) (files []string) {
	env.Helper()
	dir := filepath.Join(env.dir, project+"-"+name)
	env.mustRun("export", "--project", project, "--out", dir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		env.Fatal(err)
	}
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			env.Fatal(err)
		}
		if e.Name() != "manifest.json" { // has the time of the export
			files = append(files, e.Name()+"\n"+string(content))
		}
	}
	return files
}

// A schedule keeps the backups of the last days, weeks and months, and touches no other file.
func TestPruneBackups_OtherFiles_Stay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"notes.txt", "labelwright-20260101T020000Z.backup",
		"labelwright-20260102T020000Z.backup",
		"labelwright-20261127T020000Z.backup", "labelwright-20261127T090000Z.backup"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	last, err := pruneBackups(dir)
	if err != nil || last.Format(backupName) != "labelwright-20261127T090000Z.backup" {
		t.Errorf("%v, %v", last, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	want := []string{"labelwright-20260101T020000Z.backup", "labelwright-20260102T020000Z.backup",
		"labelwright-20261127T090000Z.backup", "notes.txt"}
	if got := strings.ReplaceAll(strings.Join(left, " "), dir+"/", ""); err != nil || got != strings.Join(want, " ") {
		t.Errorf("left: %s, want %s", got, strings.Join(want, " "))
	}
}
