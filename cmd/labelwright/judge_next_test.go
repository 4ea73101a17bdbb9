package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/require"
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
	if out := runOnPilot(t, url, "judge", "--name", "judge 1", "--next", "16"); !strings.Contains(out, "16 items drawn of 50 that judge 1 has answered") || !strings.Contains(out, "FIRST LINE") || !strings.Contains(out, "--draw ") {
		t.Errorf("text: %s", out)
	}
	if err := json.Unmarshal([]byte(runOnPilot(t, url, "judge", "--name", "judge 1", "--next", "16", "--field", "helpful", "--seed", "4", "--format", "json")), &next); err != nil {
		t.Fatal(err)
	}
	runOnPilot(t, url, "batch", "open", "--name", "next", "--annotators", "a@example.org", "--overlap", "1", "--duplicates", "0", "--fewer-calibration", "A test.", "--draw", next.Draw)
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

// The probabilities of a draw weight the scorecard, and an export alone gives the same one.
func TestJudgeNext_Draw_WeightsScorecard(t *testing.T) {
	t.Parallel()
	url := newJudgedProject(t)
	next := openDrawnBatch(t, url)
	if len(next.Items) != 16 || next.Candidates != 50 || next.LabeledItems != 20 || next.Seed != 4 {
		t.Errorf("%d items of %d after %d with labels, seed %d", len(next.Items), next.Candidates, next.LabeledItems, next.Seed)
	}
	code, out, stderr := runCommand(t, "", "judge", "--database-url", url, "--project", "pilot")
	if code != exitOK || !strings.Contains(out, "weighted by 1 / sampling probability") || !strings.Contains(out, "Of 36 items with labels that count, 16 are drawn (batch “next”)") || !strings.Contains(out, "All estimates are weighted: means, differences, κ, the test against annotators") {
		t.Errorf("exit %d: %s%s", code, out, stderr)
	}
	if !strings.Contains(out, "Differences by system over all items that judge 1 answered") || !strings.Contains(out, "cannot be compared with the judge") {
		t.Errorf("no differences: %s", out)
	}
	if r := runReport(t, url); r.Counts.DrawnItems != 16 {
		t.Errorf("the report counts %d drawn items", r.Counts.DrawnItems)
	}
	weighted := estimateOf(runReport(t, url))
	plain := estimateOf(runReport(t, url, "--batch", "one"))
	if weighted.Design == nil || weighted.Design.Drawn != 16 || weighted.Labels != 36 || plain.Design != nil {
		t.Fatalf("design %+v with the draw, %+v without", weighted.Design, plain.Design)
	}
	for i, form := range [][]string{{"--format", "csv"}, {"--format", "jsonl", "--shape", "long"}, {"--format", "parquet", "--layout", "huggingface"}} {
		dir := newExport(t, url, "pilot", append([]string{"--exact-times"}, form...)...)
		want := runReportJSON(t, "--database-url", url, "--project", "pilot")
		if diff := gocmp.Diff(want, runReportJSON(t, "--from", dir)); diff != "" {
			t.Errorf("%q (-project +export):\n%.3000s", form, diff)
		}
		if i > 0 {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, "draws.csv"))
		if lines := strings.Split(strings.TrimSpace(string(text)), "\n"); err != nil || len(lines) != 51 || !strings.HasPrefix(lines[0], "item,record,batch,judge,field,seed,lead,drawn_items,probability,drawn,") {
			t.Errorf("%v: draws.csv has %d lines: %.300s", err, len(lines), text)
		}
	}
}

// A program that has only the export finds the scorecard, without weights and with them.
func TestJudgeNext_ByOtherProgram_SameFromExport(t *testing.T) {
	t.Parallel()
	python, url := require.Program(t, "python3"), newJudgedProject(t)
	var report map[string]any
	recompute := func() (string, error) {
		dir := newExport(t, url, "pilot", "--format", "jsonl", "--shape", "long", "--exact-times")
		text, err := json.Marshal(report)
		file := filepath.Join(t.TempDir(), "report.json")
		if err == nil {
			err = os.WriteFile(file, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), python, "testdata/recompute_judges.py", dir, file).CombinedOutput()
		return string(out), err
	}
	report = runReportJSON(t, "--database-url", url, "--project", "pilot")
	if out, err := recompute(); err != nil || !strings.Contains(out, `"with_judge": 1`) || strings.Contains(out, "effective_size") {
		t.Errorf("without weights: %v: %s", err, out)
	}
	openDrawnBatch(t, url)
	report = runReportJSON(t, "--database-url", url, "--project", "pilot")
	if out, err := recompute(); err != nil || !strings.Contains(out, `"with_judge": 1`) || !strings.Contains(out, `"effective_size": 1`) || !strings.Contains(out, `"difference_with_judge": 1`) {
		t.Errorf("with weights: %v: %s", err, out)
	}
	for _, field := range report["judges"].([]any)[0].(map[string]any)["fields"].([]any) {
		figure := field.(map[string]any)["estimate"].(map[string]any)["with_judge"].(map[string]any)
		if figure["value"] != nil {
			figure["value"] = figure["value"].(float64) + 1e-8
		}
	}
	if out, err := recompute(); err == nil || !strings.Contains(out, "the export gives") {
		t.Errorf("another figure is not noticed: %v: %s", err, out)
	}
}

func estimateOf(r report.Report) report.JudgeEstimate {
	for _, f := range r.Judges[0].Fields {
		if f.Field == "helpful" {
			return f.Estimate
		}
	}
	return report.JudgeEstimate{}
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
		"seed alone":    {[]string{"judge", "--seed", "5"}, exitUsage, "--next"},
		"negative":      {[]string{"judge", "--next=-3", "--name", "x"}, exitUsage, "out of range"},
		"epsilon":       {[]string{"judge", "--epsilon", "2"}, exitUsage, "use 0 to 1"},
		"unknown judge": {[]string{"judge", "--next", "5", "--name", "x"}, exitFailed, "has no judge “x”"},
		"not a draw":    {[]string{"batch", "open", "--name", "n", "--annotators", "a@example.org", "--draw", "xyz"}, exitUsage, "is not a draw"},
	} {
		if code, _, stderr := runCommand(t, "", append(c.args, "--database-url", url, "--project", "pilot")...); code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, want %d: %s", name, code, c.code, stderr)
		}
	}
}
