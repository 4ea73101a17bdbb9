package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestManual_Commands_Run runs the commands of the manual in its order, in a folder with its files, and checks its
// protocol.
func TestManual_Commands_Run(t *testing.T) {
	env := newTestEnv(t)
	for _, name := range []string{"items.csv", "references.csv"} {
		text, err := os.ReadFile("../../web/manual/files/" + name)
		if err != nil {
			t.Fatal(err)
		}
		env.writeFile(name, string(text))
	}
	env.writeFile("password.txt", "four words that rhyme\n")
	count := 0
	for _, chapter := range []string{"leads", "admins", "authors", "programs"} {
		text, err := os.ReadFile("../../web/manual/en/" + chapter + ".md")
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range regexp.MustCompile("(?s)```(sh|yaml)\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
			if block[1] == "yaml" {
				if chapter == "admins" {
					continue // is read by TestReadProviders_ExampleOfManual
				}
				env.mustRun("protocol", "validate", env.writeFile("own.yaml", block[2]))
				continue
			}
			for line := range strings.Lines(block[2]) {
				env.runLine(strings.TrimSpace(line))
				count++
			}
		}
	}
	if count < 15 {
		t.Errorf("the manual has %d commands", count)
	}
}

// runLine runs a command line as a shell in the folder of the test would.
func (env testEnv) runLine(line string) {
	env.Helper()
	line, output, _ := strings.Cut(line, " >")
	line, input, _ := strings.Cut(line, " <")
	args := splitWords(strings.TrimPrefix(line, "labelwright "))
	for i, arg := range args {
		isFile := strings.Contains(arg, ".") && !strings.Contains(arg, "@")
		if isFile || i > 0 && (args[i-1] == "--out" || args[i-1] == "--from") {
			args[i] = filepath.Join(env.dir, arg)
		}
	}
	stdin := ""
	if input != "" {
		text, err := os.ReadFile(filepath.Join(env.dir, input))
		if err != nil {
			env.Fatal(err)
		}
		stdin = string(text)
	}
	if args[0] == "report" && args[1] == "--from" {
		env.databaseURL = ""
	}
	code, out, err := runCommand(env.T, stdin, append([]string{"--database-url", env.databaseURL, "--log", "error"},
		args...)...)
	if code != exitOK {
		env.Errorf("%s: exit %d: %s", line, code, err)
	}
	if output != "" {
		env.writeFile(output, out)
	}
}
