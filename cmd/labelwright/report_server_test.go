package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A report and the scorecards of judges are the same from a server as from its database.
func TestReport_FromServer_IsTheSame(t *testing.T) {
	t.Parallel()
	url := newLabeledProject(t, 6)
	file := filepath.Join(t.TempDir(), "judge.csv")
	if err := os.WriteFile(file, []byte("item,helpful\ng1,1\ng2,0\ng3,1\ng4,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	local := []string{"--database-url", url}
	runCommand(t, "", append(local, "user", "add", "--email", "ada@example.org", "--name", "Ada", "--role", "admin")...)
	_, token, _ := runCommand(t, "", append(local, "token", "create", "--account", "ada@example.org", "--name", "x",
		"--scope", "read,judge")...)
	tokenFile := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(tokenFile, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	server := startServeProcess(t, "--database-url", url, "--no-migrate", "--log", "error")
	remote := []string{"--server", server.baseURL, "--token-file", tokenFile}
	for _, args := range [][]string{{"judge", "--project", "pilot", "--name", "judge 1", file},
		{"report", "--project", "pilot"}, {"report", "--project", "pilot", "--format", "json"},
		{"report", "--project", "pilot", "--epsilon", "0"}, {"report", "--project", "pilot", "--batch", "nope"},
		{"judge", "--project", "pilot"}, {"judge", "--project", "pilot", "--name", "judge 1", "--format", "json"}} {
		code, out, stderr := runCommand(t, "", append(remote, args...)...)
		wantCode, wantOut, wantErr := runCommand(t, "", append(local, args...)...)
		if file == args[len(args)-1] { // which is stored already
			wantOut = strings.ReplaceAll(wantOut, "0 items. Stored before with the same answers: 4 items.", "4 items.")
		}
		if code != wantCode || out != wantOut || stderr != wantErr {
			t.Errorf("%v: exit %d, want %d:\n%s%s\nwant:\n%s%s", args, code, wantCode, out, stderr, wantOut, wantErr)
		}
	}
}
