package main

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/plaintext"
)

// hostileName would clear the screen and reverse the text after it.
const hostileName = "a\x1b[2J\u009bb\u202ec"

// No output has a control character, whether a name comes from the command line or
// from a file.
func TestCommands_HostileNames_Escaped(t *testing.T) {
	env := newTestEnv(t)
	check := func(args ...string) string {
		t.Helper()
		_, out, errOut := runCommand(t, "", append([]string{"--database-url", env.databaseURL, "--log", "warn"},
			args...)...)
		if text := strings.NewReplacer("\n", "", "\t", "").Replace(out + errOut); plaintext.HasControl(text) {
			t.Errorf("%q prints %q", args, out+errOut)
		}
		return out + errOut
	}
	env.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "rag-generation")
	env.mustRun("user", "add", "--email", "ann@example.org", "--name", "Ann", "--role", "annotator")
	for _, args := range [][]string{
		{"project", "create", "--key", "other", "--title", hostileName, "--protocol", "rag-generation"},
		{"user", "add", "--email", "ben@example.org", "--name", hostileName, "--role", "annotator"},
		{"batch", "open", "--project", "pilot", "--batch", hostileName, "--annotators", "ann@example.org"},
		{"judge", "--project", "pilot", "--name", hostileName, env.writeFile("judge.csv", "item,helpful\n")},
	} {
		if text := check(args...); text == "" || strings.Contains(text, "Created") {
			t.Errorf("%q succeeds: %s", args, text)
		}
	}
	check("project", "create", "--key", hostileName, "--title", "T", "--protocol", hostileName)
	check(hostileName)
	check("import", "--project", hostileName, env.writeFile("a.csv", "query,answer\nQ?,A.\n"))
	check("import", "--project", "pilot", env.writeFile(hostileName+".csv", "id,query\n"+hostileName+",Q?\n"))
	if text := check("import", "--project", "pilot", env.writeFile(hostileName+".jsonl",
		`{"query":"Q?","answer":"A."}`)); !strings.Contains(text, "Imported 1 item") {
		t.Errorf("the file is not imported: %s", text)
	}
	check("protocol", "validate", env.writeFile("p.yaml", "key: \""+hostileName+"\"\n"+hostileName+": 1\n"))
}

// Arguments that cannot be stored are wrong usage, wherever they are.
func TestCommands_InvalidUTF8_Usage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"import", "--project", "\xff", "a.csv"}, {"user", "add", "--email", "a\xc0\x80@example.org", "--name", "Ann"},
		{"\xed\xa0\x80"}, {"agree", "caf\xe9.csv"},
	} {
		code, out, errOut := runCommand(t, "", args...)
		if code != exitUsage || out != "" || !strings.Contains(errOut, "is not valid UTF-8") ||
			plaintext.HasControl(strings.TrimSpace(errOut)) {
			t.Errorf("%q: exit %d: %q", args, code, out+errOut)
		}
	}
}
