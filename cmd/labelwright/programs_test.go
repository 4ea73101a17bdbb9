package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/labelwright/labelwright/internal/require"
)

// newCommandsProject creates the project pilot with an open batch, a calibration, a correction
// request and a skipped item.
func (env testEnv) newCommandsProject() {
	env.Helper()
	env.mustRun("user", "add", "--email", "lena@example.org", "--name", "Lena", "--role", "lead")
	env.mustRun("user", "add", "--email", "other@example.org", "--name", "Olga", "--role", "lead")
	env.mustRun("user", "add", "--email", "anna@example.org", "--name", "Anna", "--role", "annotator")
	env.mustRun("user", "add", "--email", "ben@example.org", "--name", "Ben", "--role", "annotator")
	env.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "empathy", "--lead",
		"lena@example.org")
	env.mustRun("import", "--project", "pilot", env.writeFile("replies.csv", repliesCSV))
	env.mustRun("batch", "open", "--project", "pilot", "--batch", "first", "--annotators",
		"anna@example.org,ben@example.org", "--overlap", "2", "--seed", "1", "--duplicates", "0", "--calibration", "0",
		"--fewer-calibration", "A test.")
	env.submitLabel("anna@example.org")
	env.execSQL(`INSERT INTO correction_requests (assignment_id, message) SELECT id, 'I meant a 2.' FROM assignments
		WHERE state = 'submitted'`)
}

func TestCommands_As_HasRightsAndIsRecorded(t *testing.T) {
	env := newTestEnv(t)
	env.newCommandsProject()
	env.checkContains(env.mustFail("--as", "unknown@example.org", "project", "list"),
		"no account with the address unknown@example.org", "--as")
	for _, email := range []string{"other@example.org", "anna@example.org"} {
		for _, args := range [][]string{
			{"correction", "list", "--project", "pilot", "--batch", "first"},
			{"correction", "accept", "--project", "pilot", "--batch", "first", "1"},
			{"calibration", "list", "--project", "pilot", "--batch", "first"},
			{"skip", "list", "--project", "pilot", "--batch", "first"},
			{"batch", "close", "--project", "pilot", "--batch", "first", "--reason", "x"},
			{"webhook", "list", "--project", "pilot"},
			{"export", "--project", "pilot", "--out", filepath.Join(env.dir, "out")},
		} {
			env.mustFail(append([]string{"--as", email}, args...)...)
		}
	}
	for _, args := range [][]string{
		{"user", "list"}, {"user", "role", "anna@example.org", "admin"}, {"user", "disable", "anna@example.org"},
		{"user", "reset", "anna@example.org"},
		{"user", "add", "--email", "x@example.org", "--name", "X", "--role", "admin"}, {"audit", "list"},
		{"token", "list", "--account", "other@example.org"},
		{"token", "create", "--account", "other@example.org", "--name", "x", "--scope", "read"},
	} {
		env.mustFail(append([]string{"--as", "lena@example.org"}, args...)...)
	}
	env.checkContains(env.mustFail("--as", "lena@example.org", "user", "list"), "Only admins manage users",
		"The command acts as lena@example.org. Name another account with --as, or leave it out.")
	env.mustFail("--as", "anna@example.org", "protocol", "publish", env.writeFile("mine.yaml",
		strings.Replace(env.mustRun("protocol", "show", "empathy"), "protocol: empathy", "protocol: mine", 1)))
	env.mustRun("--as", "lena@example.org", "project", "settings", "--project", "pilot", "--allow-undo=true")
	env.checkContains(env.mustRun("correction", "list", "--project", "pilot", "--batch", "first"), "unresolved",
		"I meant a 2.")
	env.mustRun("--as", "lena@example.org", "correction", "decline", "--project", "pilot", "--batch", "first", "1",
		"It was right.")
	env.checkContains(env.mustFail("correction", "accept", "--project", "pilot", "--batch", "first", "1"),
		"is resolved")
	code, _, stderr := runCommand(t, "", "--database-url", env.databaseURL, "correction", "reopen", "--project",
		"pilot", "--batch", "first", "--annotator", "x", "r1", "Look again.")
	if code != exitUsage || !strings.Contains(stderr, "--as EMAIL") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	env.mustRun("batch", "close", "--project", "pilot", "--batch", "first", "--reason", "enough")
	log := env.mustRun("audit", "list", "--project", "pilot")
	env.checkContains(log, "Lena changed the session settings", "Lena resolved a correction request",
		"A command closed the batch first: “enough”.", "(system user ")
}

func TestUserCommands_Work(t *testing.T) {
	env := newTestEnv(t)
	env.mustRun("user", "add", "--email", "ada@example.org", "--name", "Ada", "--role", "admin")
	env.mustRun("user", "add", "--email", "anna@example.org", "--name", "Anna", "--role", "annotator")
	env.checkContains(env.mustRun("user", "list"), "anna@example.org", "annotator", "invited")
	env.mustRun("--as", "ada@example.org", "user", "role", "anna@example.org", "lead")
	env.mustRun("user", "disable", "anna@example.org")
	env.checkContains(env.mustRun("user", "list", "--format", "json"), `"role": "lead"`, `"status": "disabled"`)
	env.checkContains(env.mustFail("user", "reset", "anna@example.org"), "disabled")
	env.checkContains(env.mustFail("--as", "anna@example.org", "project", "list"), "is disabled")
	env.mustRun("user", "enable", "anna@example.org")
	env.checkContains(env.mustRun("user", "reset", "anna@example.org"), "/invitations/")
}

func TestComplete_Words_AreThoseThatCanFollow(t *testing.T) {
	t.Parallel()
	var c cli
	parser := kong.Must(&c)
	for line, want := range map[string][]string{
		"bat":                                     {"batch"},
		"batch o":                                 {"open"},
		"batch open --assign ":                    {"planned", "pool"},
		"batch open --assign=po":                  {"--assign=pool"},
		"batch open --overlap 2 --name x --cal":   {"--calibration"},
		"user role anna@example.org ":             {"admin", "annotator", "lead", "viewer"},
		"completion ":                             {"bash", "fish", "zsh"},
		"report --project ":                       nil,
		"--as lena@example.org webhook r":         {"resend", "rotate-secret"},
		"correction list --format json --batch x": nil,
		"compl": {"completion"},
	} {
		if got := completeWords(parser.Model.Node, strings.Split(line, " ")); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// The script for bash loads, and asks this program.
func TestCompletion_Bash_Completes(t *testing.T) {
	t.Parallel()
	bash := require.Program(t, "bash")
	dir := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(dir, "labelwright")); err != nil {
		t.Fatal(err)
	}
	_, script, _ := runCommand(t, "", "completion", "bash")
	cmd := exec.Command(bash, "-c", script+
		"\nCOMP_WORDS=(labelwright batch o); COMP_CWORD=2; _labelwright; printf '%s\\n' \"${COMPREPLY[@]}\"")
	cmd.Env = append(os.Environ(), runCommandEnv+"=1", "PATH="+dir+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "open\n" {
		t.Errorf("%q, %v", out, err)
	}
	for _, shell := range []string{"zsh", "fish"} {
		if code, out, _ := runCommand(t, "", "completion", shell); code != exitOK ||
			!strings.Contains(out, "labelwright complete -- ") {
			t.Errorf("%s: exit %d: %s", shell, code, out)
		}
	}
}
