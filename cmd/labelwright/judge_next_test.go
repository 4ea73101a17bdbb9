package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/api"
)

// newJudgedProject returns a labeled project of two systems with a judge that has answered all its items,
// and 50 further ones.
func newJudgedProject(t *testing.T) (url string) {
	t.Helper()
	url = newLabeledProject(t, 20)
	items, judgments := "", "item,helpful\n"
	for i := 1; i <= 70; i++ {
		if i > 20 {
			items += fmt.Sprintf(`{"id":"g%d","query":"Why is %d odd?","answer":"So.","system":%d}`+"\n", i, i, (i-1)%2)
		}
		judgments += fmt.Sprintf("g%d,%d\n", i, min(i%5, 1))
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"items.jsonl": items, "judge.csv": judgments} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	runOnPilot(t, url, "import", filepath.Join(dir, "items.jsonl"))
	runOnPilot(t, url, "judge", "--name", "judge 1", filepath.Join(dir, "judge.csv"))
	return url
}

func runOnPilot(t *testing.T, url string, args ...string) string {
	t.Helper()
	code, out, stderr := runCommand(t, "", append(args, "--database-url", url, "--project", "pilot")...)
	if code != exitOK {
		t.Fatalf("%q: exit %d: %s", args, code, stderr)
	}
	return out
}

// openDrawnBatch opens a batch of a judged project with drawn items, which one annotator labels.
func openDrawnBatch(t *testing.T, url string) (next api.NextLabels) {
	t.Helper()
	if out := runOnPilot(t, url, "judge", "--name", "judge 1", "--next", "16"); !strings.Contains(out,
		"16 items drawn of 50 that judge 1 has answered") || !strings.Contains(out, "FIRST LINE") ||
		!strings.Contains(out, "--draw ") {
		t.Errorf("text: %s", out)
	}
	if err := json.Unmarshal([]byte(runOnPilot(t, url, "judge", "--name", "judge 1", "--next", "16", "--seed", "4",
		"--format", "json")), &next); err != nil {
		t.Fatal(err)
	}
	runOnPilot(t, url, "batch", "open", "--batch", "next", "--annotators", "a@example.org", "--overlap", "1",
		"--duplicates", "0", "--fewer-calibration", "A test.", "--draw", next.Draw)
	db, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	a, err := db.AccountByEmail(t.Context(), "a@example.org")
	if err != nil {
		t.Fatal(err)
	}
	for range next.Items {
		submitLabel(t, db, a.ID, 0)
	}
	return next
}

// A batch gets a random draw, and an export alone gives the same report.
func TestJudgeNext_RandomDraw_SameFromExport(t *testing.T) {
	t.Parallel()
	url := newJudgedProject(t)
	next := openDrawnBatch(t, url)
	if len(next.Items) != 16 || next.Candidates != 50 || next.By != project.DrawAtRandom || next.Seed != 4 {
		t.Errorf("%d items of %d, %s, seed %d", len(next.Items), next.Candidates, next.By, next.Seed)
	}
	code, out, stderr := runCommand(t, "", "judge", "--database-url", url, "--project", "pilot")
	if code != exitOK || !strings.Contains(out, "Differences by system over all judged items") ||
		!strings.Contains(strings.Join(strings.Fields(out), " "), "helpful 36 34 ") {
		t.Errorf("exit %d: %s%s", code, out, stderr)
	}
	for _, form := range [][]string{{"--format", "csv"}, {"--format", "jsonl", "--shape", "long"},
		{"--format", "parquet", "--layout", "huggingface"}} {
		dir := newExport(t, url, "pilot", append([]string{"--exact-times"}, form...)...)
		want := runReportJSON(t, "--database-url", url, "--project", "pilot")
		if diff := gocmp.Diff(want, runReportJSON(t, "--from", dir)); diff != "" {
			t.Errorf("%q (-project +export):\n%.3000s", form, diff)
		}
	}
}

func TestJudgeNext_WrongUse_Fails(t *testing.T) {
	t.Parallel()
	url := newLabeledProject(t, 2)
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no name":       {[]string{"judge", "--next", "5"}, exitUsage, "--name"},
		"with a file":   {[]string{"judge", "--next", "5", "--name", "x", "x.csv"}, exitUsage, "no file"},
		"order alone":   {[]string{"judge", "--order", "disagreement"}, exitUsage, "--next"},
		"one judge":     {[]string{"judge", "--next", "5", "--name", "x", "--order", "worst"}, exitUsage, "--order"},
		"seed alone":    {[]string{"judge", "--seed", "5"}, exitUsage, "--next"},
		"negative":      {[]string{"judge", "--next=-3", "--name", "x"}, exitUsage, "out of range"},
		"epsilon":       {[]string{"judge", "--epsilon", "2"}, exitUsage, "use 0 to 1"},
		"unknown judge": {[]string{"judge", "--next", "5", "--name", "x"}, exitFailed, "has no judge “x”"},
		"not a draw": {[]string{"batch", "open", "--batch", "n", "--annotators", "a@example.org", "--draw", "xyz"},
			exitUsage, "is not a draw"},
	} {
		if code, _, stderr := runCommand(t, "", append(c.args, "--database-url", url, "--project",
			"pilot")...); code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, want %d: %s", name, code, c.code, stderr)
		}
	}
}
