package main

import (
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
	if code, _, err := runCommand(t, "", append(onServer, "project", "archive", "--project", "none", "--reason",
		"x")...); code != exitFailed || !strings.Contains(err, "no project “none”") {
		t.Errorf("exit %d: %s", code, err)
	}
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
