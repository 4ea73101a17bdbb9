package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func TestCommands_WrongUsage_ExitTwo(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"nonsense"}, {"batch"}, {"import"}, {"user", "add", "--role", "owner"},
		{"user", "add", "--email", "lee@example.org", "--name", "Lee", "--role", "lead", "--base-url",
			"labels.example.org"},
		{"serve", "--database-url", "mysql://x", "--addr", "127.0.0.1:0"}} {
		if code, _, err := runCommand(t, "", args...); code != exitUsage || !strings.HasPrefix(err, "labelwright: ") {
			t.Errorf("%q: exit %d: %s", args, code, err)
		}
	}
}

func TestHelp_NoArguments_Printed(t *testing.T) {
	t.Parallel()
	if code, out, stderr := runCommand(t, ""); code != exitOK || stderr != "" ||
		!strings.HasPrefix(out, "Usage: labelwright") {
		t.Errorf("exit %d: %s%s", code, out, stderr)
	}
}

func TestHelp_EachCommand_HasExample(t *testing.T) {
	t.Parallel()
	_, help, _ := runCommand(t, "")
	_, list, _ := strings.Cut(help, "Commands:\n")
	commands := regexp.MustCompile(`(?m)^  ([a-z]+(?: [a-z-]+)?)  `).FindAllStringSubmatch(list, -1)
	if len(commands) < 20 {
		t.Fatalf("%d commands in\n%s", len(commands), help)
	}
	for _, c := range commands {
		code, out, stderr := runCommand(t, "", append(strings.Fields(c[1]), "--help")...)
		if code != exitOK || stderr != "" || !strings.Contains(out, "Example:") ||
			!strings.Contains(out, "labelwright "+c[1]) {
			t.Errorf("%s: exit %d: %s%s", c[1], code, out, stderr)
		}
	}
}

// The examples of the help are command lines that the program takes.
func TestHelp_Examples_AreValid(t *testing.T) {
	t.Parallel()
	examples := helpExamples()
	for _, example := range examples {
		if _, err := kong.Must(new(cli)).Parse(splitWords(example)); err != nil {
			t.Errorf("labelwright %s: %v", example, err)
		}
	}
	if len(examples) < 60 {
		t.Errorf("only %d examples", len(examples))
	}
}

// splitWords splits a command line at spaces outside of quotation marks.
func splitWords(line string) (words []string) {
	for _, word := range regexp.MustCompile(`(?:[^\s"']|"[^"]*"|'[^']*')+`).FindAllString(line, -1) {
		words = append(words, strings.NewReplacer(`"`, "", `'`, "").Replace(word))
	}
	return words
}
