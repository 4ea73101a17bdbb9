package main

import (
	"strings"
	"testing"
	"time"
)

// What the page "Change batch" does works by command.
func TestBatchChange_ByCommand(t *testing.T) {
	env := newTestEnv(t)
	env.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "empathy")
	for _, name := range []string{"ann", "ben"} {
		env.mustRun("user", "add", "--email", name+"@example.org", "--name", name, "--role", "annotator")
	}
	env.mustRun("import", "--project", "pilot", env.writeFile("a.csv",
		"id,user_statement,response\ni1,sad cat,Oh.\ni2,happy dog,Yes.\ni3,happy bird,No.\ni4,cow,Moo.\n"))
	env.mustRun("batch", "open", "--project", "pilot", "--batch", "one", "--annotators",
		"ann@example.org,ben@example.org", "--overlap", "1", "--seed", "3", "--calibration", "0", "--fewer-calibration",
		"A test.", "--duplicates", "0")
	change := func(args ...string) string {
		return env.mustRun(append([]string{"batch", "change", "--project", "pilot", "--batch", "one", "--reason",
			"because"}, args...)...)
	}
	change("--reassign-from", "ann@example.org", "--reassign-items", "waiting", "--reassign-count", "1")
	if out := change("--overlap", "2", "--items-search", "happy"); !strings.Contains(out, "0 of 6 labels") {
		t.Errorf("after more labels for a search: %s", out)
	}
	if out := change("--overlap", "2", "--items", "i1,i2"); !strings.Contains(out, "0 of 7 labels") {
		t.Errorf("after more labels for two items: %s", out)
	}
	for _, args := range [][]string{
		{"--reassign-from", "ann@example.org", "--reassign-items", "open"}, // none is open
		{"--overlap", "2", "--items-search", "nonsense"},
		{"--items", "i1"},
		{"--overlap", "2", "--items", "absent"},
	} {
		if code, out, _ := runCommand(t, "", append([]string{"--database-url", env.databaseURL, "batch", "change",
			"--project", "pilot", "--batch", "one", "--reason", "because"}, args...)...); code == 0 {
			t.Errorf("%q succeeds: %s", args, out)
		}
	}
	given := 0
	for _, email := range []string{"ann@example.org", "ben@example.org"} { // one of them has it
		if code, _, _ := runCommand(t, "", "--database-url", env.databaseURL, "batch", "change", "--project", "pilot",
			"--batch", "one", "--reason", "because", "--items", "i4", "--give-to", email); code == 0 {
			given++
		}
	}
	if given != 1 {
		t.Errorf("an item of one label was given to %d more annotators, want 1", given)
	}
	env.mustRun("batch", "close", "--project", "pilot", "--batch", "one", "--reason", "enough", "--release-open")
	env.mustRun("batch", "reopen", "--project", "pilot", "--batch", "one", "--reason", "too early")
}

func TestProgressBar_LongJob_IsDrawnAndCleared(t *testing.T) {
	t.Parallel()
	var terminal strings.Builder
	bar := &progressBar{terminal: &terminal, interval: time.Nanosecond}
	report := bar.track("Opening the batch", "rows")
	report(0, 0)
	report(500, 2000)
	report(2000, 2000)
	if _, err := (barWriter{&terminal, bar}).Write([]byte("Opened.\n")); err != nil {
		t.Fatal(err)
	}
	want := clearLine + "Opening the batch [======                  ] 25%, 500 of 2,000 rows" +
		clearLine + "Opening the batch [========================] 100%, 2,000 of 2,000 rows" + clearLine + "Opened.\n"
	if terminal.String() != want {
		t.Errorf("got %q, want %q", terminal.String(), want)
	}
	var file strings.Builder
	newProgressBar(&file).track("Exporting", "labels")(1, 2)
	if file.String() != "" {
		t.Errorf("without a terminal: %q", file.String())
	}
}
