package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A command prints the same on a server, with a token, as in the process.
func TestCommands_OnServer_PrintTheSame(t *testing.T) {
	env := newTestEnv(t)
	env.newCommandsProject()
	env.mustRun("user", "add", "--email", "ada@example.org", "--name", "Ada", "--role", "admin")
	token := strings.TrimSpace(env.mustRunQuietly("token", "create", "--account", "ada@example.org", "--name", "all",
		"--scope", "read,judge,manage,export,admin"))
	server := startServeProcess(t, "--database-url", env.databaseURL)
	onServer := []string{"--server", server.baseURL, "--token-file", env.writeFile("token", token+"\n")}
	inProject := func(args ...string) []string { return append(args, "--project", "pilot") }
	inBatch := func(args ...string) []string { return append(args, "--project", "pilot", "--batch", "first") }
	for _, args := range [][]string{
		{"user", "list"}, {"user", "role", "other@example.org", "admin"}, {"user", "disable", "other@example.org"},
		{"user", "enable", "other@example.org"},
		{"project", "list"}, inProject("project", "settings", "--title", "Renamed", "--allow-undo", "true"),
		{"protocol", "list"}, {"protocol", "show", "empathy"},
		inProject("member", "list"), inProject("member", "role", "anna@example.org", "annotator"),
		inProject("member", "remove", "ben@example.org", "--plan"),
		inProject("member", "end", "ben@example.org", "--thank-you", "Thanks."),
		inProject("batch", "list"), inBatch("batch", "show"), {"inbox"}, inProject("message", "list"),
		inBatch("calibration", "list"), inBatch("correction", "list"), inBatch("skip", "list"),
		{"audit", "list", "--action", "project.create", "--until", "2999-12-31"},
		inProject("audit", "list", "--account", "ada@example.org", "--action", "batch.open"),
	} {
		formats := [][]string{nil, {"--format", "json"}}
		name := strings.Join(args[:min(2, len(args))], " ")
		if name == "protocol show" {
			formats = formats[:1]
		}
		for _, format := range formats {
			command := append(args[:len(args):len(args)], format...)
			inProcess := env.mustRun(append([]string{"--as", "ada@example.org"}, command...)...)
			code, out, err := runCommand(t, "", append(onServer[:len(onServer):len(onServer)], command...)...)
			if name == "member end" {
				out, inProcess = removeTimes(out), removeTimes(inProcess)
			}
			if code != exitOK || out != inProcess {
				t.Errorf("%s: exit %d: %s\non the server: %s\nin the process: %s", strings.Join(command, " "), code, err, out,
					inProcess)
			}
		}
	}
	env.checkFilesOnServer(onServer)
	if code, _, err := runCommand(t, "", append(onServer, "project", "archive", "--project", "none", "--reason",
		"x")...); code != exitFailed || !strings.Contains(err, "no project “none”") {
		t.Errorf("exit %d: %s", code, err)
	}
}

// checkFilesOnServer compares what an export writes, and imports a file, on a server.
func (env testEnv) checkFilesOnServer(onServer []string) {
	env.Helper()
	run := func(wantCode int, args ...string) string {
		env.Helper()
		code, out, err := runCommand(env.T, "", append(onServer[:len(onServer):len(onServer)], args...)...)
		if code != wantCode {
			env.Errorf("%s: exit %d: %s", strings.Join(args, " "), code, err)
		}
		return out + err
	}
	for _, format := range []string{"csv", "parquet"} {
		here, there := filepath.Join(env.TempDir(), "here"), filepath.Join(env.TempDir(), "there")
		options := []string{"export", "--project", "pilot", "--texts", "--consensus", "--format", format, "--out"}
		env.mustRun(append(options, here)...)
		run(exitOK, append(options, there)...)
		entries, err := os.ReadDir(here)
		if err != nil {
			env.Fatal(err)
		}
		if copied, err := os.ReadDir(there); err != nil || len(copied) != len(entries) {
			env.Fatalf("%d files on the server, %d in the process, %v", len(copied), len(entries), err)
		}
		for _, entry := range entries {
			if env.readFile(filepath.Join(here, entry.Name())) != env.readFile(filepath.Join(there, entry.Name())) {
				env.Errorf("%s differs", entry.Name())
			}
		}
	}
	items := env.writeFile("more.csv", "id,user_statement,response,model\nm1,What?,That,b\n")
	env.checkContains(run(exitOK, "import", "--project", "pilot", items), "Imported 1 item into pilot", "model")
	env.checkContains(run(exitOK, "import", "--project", "pilot", items), "already imported")
	faulty := env.writeFile("faulty.csv", "id,user_statement,response\nf1,What?,a,b\n")
	env.checkContains(run(exitFailed, "import", "--project", "pilot", faulty), "faulty.csv:2")
	env.checkContains(run(exitUsage, "batch", "list", "--project", "pilot", "--as", "ada@example.org"), "--as")
	env.checkContains(run(exitUsage, "token", "list", "--account", "ada@example.org"), "leave out --server")
}

// removeTimes removes the lines with the time of the change.
func removeTimes(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "_at\":") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}
