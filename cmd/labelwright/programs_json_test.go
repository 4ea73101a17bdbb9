package main

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
)

var updateGolden = flag.Bool("update", false, "update the golden files; review the changes before you commit them")

// printsNoJSON lists the commands that print something else.
var printsNoJSON = []string{"demo", "serve", "health", "completion", "complete", "protocol show",
	"protocol schema", "export", "label show"} // which prints JSON in any case

func TestCommands_EachButFew_HasFormatJSON(t *testing.T) {
	t.Parallel()
	for _, leaf := range kong.Must(new(cli)).Model.Leaves(false) {
		if slices.Contains(printsNoJSON, leaf.Path()) || slices.Contains(printsNoJSON, strings.TrimPrefix(leaf.Path(),
			"labelwright ")) {
			continue
		}
		isFormat := func(f *kong.Flag) bool {
			return f.Name == "format" && f.Enum != "" && slices.Contains(strings.Split(f.Enum, ","), "json")
		}
		if !slices.ContainsFunc(leaf.Flags, isFormat) {
			t.Errorf("%s has no --format json", leaf.FullPath())
		}
	}
}

// The keys of the JSON output are what programs rely on.
func TestCommands_JSON_KeysAreStable(t *testing.T) {
	env := newTestEnv(t)
	env.newCommandsProject()
	env.execSQL(acknowledgeReading)
	env.execSQL(`INSERT INTO questions (assignment_id, batch_id, account_id, message)
		SELECT id, batch_id, account_id, 'Why?' FROM assignments LIMIT 1`)
	db := env.openDB()
	p, err := db.Project(t.Context(), account.Account{Role: account.Admin}, "pilot")
	if err != nil {
		t.Fatal(err)
	}
	members, err := db.Members(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	anna := members[slices.IndexFunc(members, func(m postgres.Member) bool {
		return m.Email == "anna@example.org"
	})].Pseudonym
	dir := t.TempDir()
	sheet := []string{"--project", "pilot", "--batch", "first", "--annotator", "ben@example.org"}
	definition := env.writeFile("definition.yaml", strings.Replace(env.mustRun("protocol", "show", "rag-generation"),
		"protocol: rag-generation\nversion: 1\nrevision: 1\n", "protocol: mine\nversion: 1\n", 1))
	token := []string{"token", "create", "--account", "lena@example.org", "--name", "nightly", "--scope", "read"}
	filled := env.writeFile("filled.csv",
		"eval_id,annotator_id,emotion,validation,helpfulness,safety,overall,notes\nr1,a,3,3,2,4,2,\n")
	judgments := env.writeFile("judgments.csv",
		"item,emotion,validation,helpfulness,safety,overall\nr1,3,3,2,4,2\nr2,3,3,2,4,2\nr3,3,3,2,4,2\n")
	commands := [][]string{
		{"audit", "verify"}, {"batch", "list", "--project", "pilot"}, {"calibration", "list", "--project", "pilot",
			"--batch", "first"},
		{"correction", "list", "--project", "pilot", "--batch", "first"}, {"inbox"}, {"item", "list", "--project",
			"pilot"}, {"member", "list", "--project", "pilot"},
		{"message", "list", "--project", "pilot"}, {"message", "answer", "--project", "pilot", "1", "Because."},
		{"announce", "--project", "pilot", "--batch", "first", "Hello."},
		{"migrate", "status"}, {"migrate", "up"}, {"project", "list"}, {"project", "settings", "--project", "pilot",
			"--title", "Renamed"},
		{"protocol", "list"}, {"protocol", "validate", definition}, {"protocol", "publish", definition},
		{"skip", "list", "--project", "pilot", "--batch", "first"},
		{"user", "list"}, {"user", "reset", "ben@example.org"}, {"user", "role", "ben@example.org", "annotator"},
		{"user", "disable", "other@example.org"}, {"user", "enable", "other@example.org"},
		{"version"}, token, {"token", "list", "--account", "lena@example.org"}, {"token", "revoke", "1"},
		{"correction", "decline", "--project", "pilot", "--batch", "first", "1", "It was right.", "--as",
			"lena@example.org"},
		{"correction", "reopen", "--project", "pilot", "--batch", "first", "--annotator", anna, "r1", "Look again.",
			"--as", "lena@example.org"},
		append([]string{"sheet", "out", "--out", dir}, sheet...), append([]string{"sheet", "in", "--dry-run"},
			sheet...),
		{"check", "--protocol", "empathy", filled},
		{"webhook", "create", "--project", "pilot", "https://example.org/hook"}, {"webhook", "change", "--project",
			"pilot", "1", "--events", "batch.closed"},
		{"webhook", "test", "--project", "pilot", "1"}, {"webhook", "resend", "--project", "pilot", "1"},
		{"webhook", "disable", "--project", "pilot", "1"},
		{"webhook", "enable", "--project", "pilot", "1"}, {"webhook", "rotate-secret", "--project", "pilot", "1"},
		{"webhook", "list", "--project", "pilot"},
		{"webhook", "deliveries", "--project", "pilot", "1"},
		{"project", "take-version", "--project", "pilot"},
		{"batch", "use-revision", "--project", "pilot", "--batch", "first"}, {"batch", "change", "--project", "pilot",
			"--batch", "first", "--reason", "why", "--break-every", "5"},
		{"batch", "close", "--project", "pilot", "--batch", "first", "--reason", "enough", "--release-open"},
		{"judge", "--project", "pilot", "--name", "judge 1", judgments}, {"judge", "--project", "pilot", "--name",
			"judge 1", "--next", "1"},
		{"batch", "open", "--plan", "--project", "pilot", "--batch", "next", "--annotators", "ben@example.org",
			"--overlap", "1", "--duplicates", "0", "--calibration", "0", "--fewer-calibration", "A test."},
		{"item", "tag", "--project", "pilot", "r3",
			"--add", "odd"}, {"item", "note", "--project", "pilot", "r3", "--note", "Odd."},
		{"item", "archive", "--project", "pilot", "r3", "--reason", "odd"}, {"item", "restore", "--project",
			"pilot", "r3"},
		{"member", "end", "--project", "pilot", "ben@example.org"}, {"member", "remove", "--plan", "--project", "pilot",
			"ben@example.org"},
		{"member", "remove", "--project", "pilot", "ben@example.org"}, {"webhook", "delete", "--project", "pilot",
			"1", "--yes"},
		{"project", "archive", "--project", "pilot", "--reason", "done"},
		{"project", "erase", "--project", "pilot", "--reason", "done", "--confirm"},
	}
	var lines []string
	for _, args := range commands {
		if args[0] == "sheet" && args[1] == "in" {
			found, err := filepath.Glob(filepath.Join(dir, "*-annotations.csv"))
			if err != nil || len(found) != 1 {
				t.Fatal(found, err)
			}
			env.fillSheet(found[0], "3,3,2,4,2,,")
			args = append(args, found[0])
		}
		out := env.mustRunQuietly(append(args, "--format", "json")...)
		var value any
		if err := json.Unmarshal([]byte(out), &value); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		keys := map[string]bool{}
		collectKeys(value, "", keys)
		name, _, _ := strings.Cut(strings.Join(args[:min(2, len(args))], " "), " --")
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			lines = append(lines, name+": "+key)
		}
	}
	env.checkKeys(lines)
}

// checkKeys compares keys with the golden file.
func (env testEnv) checkKeys(lines []string) {
	env.Helper()
	slices.Sort(lines)
	got, path := strings.Join(slices.Compact(lines), "\n")+"\n", filepath.Join("testdata", "json_keys.golden")
	if *updateGolden {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			env.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		env.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		env.Errorf("to accept it, run go test ./cmd/labelwright -run %s -update (-want +got):\n%s", env.Name(), diff)
	}
}

// collectKeys adds the paths of all keys in a JSON value.
func collectKeys(value any, path string, keys map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		for key, child := range value {
			keys[path+key] = true
			collectKeys(child, path+key+".", keys)
		}
	case []any:
		for _, child := range value {
			collectKeys(child, path, keys)
		}
	}
}
