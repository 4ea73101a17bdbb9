package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/judging"
	"github.com/labelwright/labelwright/internal/stats"
)

// newLabeledProject returns a database with the project pilot: n items labeled by two
// annotators, with a disagreement on every third item.
func newLabeledProject(t *testing.T, n int) (url string) {
	t.Helper()
	url = pgtest.New(t)
	db, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	p, err := db.CreateProject(t.Context(), actor(t.Context()), project.Spec{Key: "pilot", Title: "Pilot",
		Protocol: "rag-generation", Instructions: "Cite as [1]."})
	if err != nil {
		t.Fatal(err)
	}
	items := make([]project.Item, n)
	for i := range items {
		items[i] = project.Item{SourceID: fmt.Sprintf("g%d", i+1), Facts: protocol.Facts{},
			Content: project.Content{"query": {Text: "Why?"}, "answer": {Text: "So."}},
			Meta:    map[string]json.RawMessage{"system": json.RawMessage(fmt.Sprint(i % 2))}}
	}
	if err := db.Import(t.Context(), 0, p, postgres.File{Name: "i", SHA256: sha256.Sum256([]byte("i"))},
		items); err != nil {
		t.Fatal(err)
	}
	var ids []account.ID
	for _, email := range []string{"a@example.org", "b@example.org"} {
		id, err := db.CreateAccount(t.Context(), 0, account.NewAccount{Email: email, Name: email,
			Role: account.Annotator}, "")
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if _, err := db.OpenBatch(t.Context(), 0, p, project.BatchSpec{Name: "one", Annotators: []string{"a@example.org",
		"b@example.org"}, Overlap: 2, FewerCalibration: "A test."}); err != nil {
		t.Fatal(err)
	}
	for annotator, id := range ids {
		for range n {
			submitLabel(t, db, id, annotator)
		}
	}
	return url
}

func submitLabel(t *testing.T, db *postgres.DB, id account.ID, annotator int) {
	t.Helper()
	token, err := db.OpenNext(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	screen, err := db.LabelingScreen(t.Context(), id, token)
	if err != nil {
		t.Fatal(err)
	}
	helpful := int(screen.ItemID % 2)
	if screen.ItemID%3 == 0 {
		helpful = annotator
	}
	values := map[string]int{"proper_action": 1, "response_on_topic": 1, "helpful": helpful, "incomplete": 0,
		"unsafe_content": 0}
	if _, err := db.Submit(t.Context(), id, token, labeling.Submission{ActiveMS: 5000,
		Answers: protocol.Answers{Values: values}}); err != nil {
		t.Fatal(err)
	}
}

func runReport(t *testing.T, url string, args ...string) report.Report {
	t.Helper()
	code, out, stderr := runCommand(t, "", append([]string{"report", "--database-url", url, "--project", "pilot",
		"--format", "json", "--resamples", "100"}, args...)...)
	var r report.Report
	if err := json.Unmarshal([]byte(out), &r); code != exitOK || err != nil {
		t.Fatalf("exit %d, %v: %s", code, err, stderr)
	}
	return r
}

func TestReport_WithJudge_Compares(t *testing.T) {
	t.Parallel()
	url := newLabeledProject(t, 24)
	r := runReport(t, url, "--batch", "one", "--by", "system")
	if r.Counts.Work != 48 || len(r.Annotators) != 2 || r.Breakdown == nil {
		t.Errorf("counts %+v", r.Counts)
	}
	helpful, _ := r.Field("helpful")
	if v := helpful.Figure(stats.PercentAgreement()).Value; v == nil || *v != 2.0/3 {
		t.Errorf("percent agreement is %v", v)
	}
	file := filepath.Join(t.TempDir(), "judge.csv")
	if err := os.WriteFile(file, []byte("item,helpful\ng1,1\ng2,0\ng3,1\ng4,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, stderr := runCommand(t, "", "judge", "--database-url", url, "--project", "pilot", "--name", "judge 1",
		file); code != exitOK || !strings.Contains(out, "Imported the answers of judge 1 to 4 items") {
		t.Fatalf("exit %d: %s%s", code, out, stderr)
	}
	if code, stdout, stderr := runCommand(t, "", "judge", "--database-url", url, "--project", "pilot", "--name",
		"judge 1",
		file); code != exitOK || !strings.Contains(stdout, "Stored before with the same answers: 4 items.") {
		t.Errorf("the same file again: exit %d: %s%s", code, stdout, stderr)
	}
	if err := os.WriteFile(file, []byte("item,helpful\ng1,0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := runCommand(t, "", "judge", "--database-url", url, "--project", "pilot", "--name", "judge 1",
		file); code != exitFailed || !strings.Contains(stderr, "g1") {
		t.Errorf("another answer: exit %d: %s", code, stderr)
	}
	if code, out, _ := runCommand(t, "", "judge", "--database-url", url, "--project", "pilot"); code != exitOK ||
		!strings.Contains(out, "There are too few items to tell on all 5 fields.") {
		t.Errorf("scorecard: exit %d: %s", code, out)
	}
	code, out, _ := runCommand(t, "", "judge", "--database-url", url, "--project", "pilot", "--name", "judge 1",
		"--format", "json")
	var scorecards struct{ Judges []judging.Judge }
	if err := json.Unmarshal([]byte(out), &scorecards); code != exitOK || err != nil || len(scorecards.Judges) != 1 ||
		!slices.ContainsFunc(scorecards.Judges[0].Fields, func(f judging.Field) bool {
			return f.Dimension == "helpful" && f.PPI.Labels == 4
		}) {
		t.Errorf("exit %d, %v: %s", code, err, out)
	}
	if code, _, stderr := runCommand(t, "", "judge", "--database-url", url, "--project", "pilot", "--name",
		"judge 2"); code != exitFailed || !strings.Contains(stderr, "has no judge") {
		t.Errorf("unknown judge: exit %d: %s", code, stderr)
	}
	if code, _, stderr := runCommand(t, "", "judge", "--database-url", url, "--project", "pilot",
		file); code != exitUsage || !strings.Contains(stderr, "--name") {
		t.Errorf("without a name: exit %d: %s", code, stderr)
	}
	withJudge := runReport(t, url)
	if len(withJudge.Judges) != 1 || withJudge.Judges[0].Items != 4 {
		t.Errorf("judges %+v", withJudge.Judges)
	}
	after, _ := withJudge.Field("helpful")
	if fmt.Sprint(*after.Figure(stats.Measure{Coefficient: "alpha", Variant: "nominal"}).Value) != fmt.Sprint(
		*helpful.Figure(stats.Measure{Coefficient: "alpha", Variant: "nominal"}).Value) {
		t.Error("the judge changed agreement")
	}
	if code, out, _ := runCommand(t, "", "report", "--database-url", url, "--project", "pilot"); code != exitOK ||
		!strings.Contains(out, "There are too few items to tell on") {
		t.Errorf("exit %d: %s", code, out)
	}
}

func TestReport_BadArguments_Fails(t *testing.T) {
	t.Parallel()
	url := newLabeledProject(t, 1)
	for name, tt := range map[string]struct {
		args []string
		code int
		part string
	}{
		"unknown project": {[]string{"--project", "nope"}, exitFailed, "“nope”"},
		"unknown batch":   {[]string{"--project", "pilot", "--batch", "nope"}, exitFailed, "“nope”"},
		"unknown column":  {[]string{"--project", "pilot", "--by", "nope"}, exitUsage, "Cannot compare by “nope”"},
		"no project flag": {nil, exitUsage, "--project"},
		"negative k": {[]string{"--project", "pilot", "--k=-3"}, exitUsage,
			"--k -3 is out of range: use the number of chunks"},
		"zero resamples": {[]string{"--project", "pilot", "--resamples", "0"}, exitUsage, "--resamples 0"},
	} {
		code, out, stderr := runCommand(t, "", append([]string{"report", "--database-url", url}, tt.args...)...)
		if code != tt.code || out != "" || !strings.Contains(stderr, tt.part) {
			t.Errorf("%s: exit %d: %s%s", name, code, out, stderr)
		}
	}
}

func TestSetMemoryLimit_NoEnv_SetsOnce(t *testing.T) { // not parallel: the limit is of the whole process
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	for _, limit := range []int64{512 << 20, 100 << 20} {
		setMemoryLimit(limit)
		if got := debug.SetMemoryLimit(-1); got != 512<<20 {
			t.Errorf("limit %d after asking for %d, want the first", got, limit)
		}
	}
}
