package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/dataset"
)

// folderContents returns the files of a folder with their text.
func folderContents(t *testing.T, dir string) map[string]string {
	t.Helper()
	contents := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		contents[entry.Name()] = string(text)
	}
	return contents
}

func TestExport_OtherFiles_NeverOverwritten(t *testing.T) {
	env := newTestEnv(t)
	env.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "rag-generation")
	out := filepath.Join(env.dir, "dataset")
	export := []string{"export", "--project", "pilot", "--out", out}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(out, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	checkUntouched := func(sentence string) {
		t.Helper()
		before := folderContents(t, out)
		env.checkRefused(sentence, export...)
		for name, text := range folderContents(t, out) {
			if before[name] != text {
				t.Errorf("%s was written", name)
			}
		}
	}
	if err := os.Mkdir(out, 0o755); err != nil {
		t.Fatal(err)
	}
	write("README.md", "My own notes.")
	checkUntouched("is not an earlier export")
	if err := os.Remove(filepath.Join(out, "README.md")); err != nil {
		t.Fatal(err)
	}

	env.mustRun(append(export, "--consensus")...)
	first := folderContents(t, out)
	env.mustRun(export...)
	second := folderContents(t, out)
	if first["consensus.csv"] == "" || second["consensus.csv"] != "" || second["manifest.json"] == "" ||
		len(second) != len(first)-1 {
		t.Errorf("the export was not replaced as a whole: %d files after %d", len(second), len(first))
	}

	write("notes.txt", "mine")
	checkUntouched("notes.txt is not part of the earlier export")
	if err := os.Remove(filepath.Join(out, "notes.txt")); err != nil {
		t.Fatal(err)
	}
	write("README.md", second["README.md"]+"License: CC BY 4.0")
	checkUntouched("README.md was changed after the earlier export")
	write("README.md", second["README.md"])
	write("manifest.json", `{"name": "another program"}`)
	checkUntouched("is not the manifest of an export")
}

// A file that appears while the export runs is not overwritten either.
func TestExportFolder_FileAddedMeanwhile_Kept(t *testing.T) {
	dir := t.TempDir()
	folder, err := openExportFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.writeFile("README.md", func(io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := folder.replace(); err == nil {
		t.Error("the folder was replaced")
	}
	if err := folder.close(); err != nil {
		t.Error(err)
	}
	if contents := folderContents(t, dir); len(contents) != 1 || contents["README.md"] != "mine" {
		t.Errorf("the folder has %v", contents)
	}
}

// The version is linked into the program as the Dockerfile does it, and exports record it.
func TestVersion_Linked_Everywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("This test builds the program and runs only without -short.")
	}
	env := newTestEnv(t)
	text, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	flags := regexp.MustCompile(`-ldflags="([^"]+)"`).FindSubmatch(text)
	if flags == nil {
		t.Fatal("the Dockerfile links no version")
	}
	program := filepath.Join(env.dir, "labelwright")
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags", strings.ReplaceAll(string(flags[1]),
		"${VERSION}", "v9.8.7"), "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command(program, "version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "labelwright v9.8.7 ") {
		t.Errorf("%v: %s", err, out)
	}
	env.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "rag-generation")
	folder := filepath.Join(env.dir, "dataset")
	export := exec.Command(program, "export", "--database-url", env.databaseURL, "--project", "pilot", "--out", folder)
	if out, err := export.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var m dataset.Manifest
	env.readJSON(filepath.Join(folder, "manifest.json"), &m)
	if card := folderContents(t, folder)["README.md"]; m.Tool != "labelwright v9.8.7" ||
		!strings.Contains(card, "labelwright v9.8.7") {
		t.Errorf("the manifest has %q, the card:\n%s", m.Tool, card)
	}
	var names []string
	for _, d := range m.Documents {
		names = append(names, d.Name)
	}
	if !slices.Equal(names, []string{"codebook.csv", "protocol.yaml", "README.md"}) {
		t.Errorf("documents %q", names)
	}
}
