package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
)

func TestAdjudicate_File_StoresDecisions(t *testing.T) {
	t.Parallel()
	url := newLabeledProject(t, 6) // on g3 and g6 the two differ in helpful
	adjudicate := func(content string) (int, string, string) {
		file := filepath.Join(t.TempDir(), "decided.csv")
		if err := os.WriteFile(file, []byte("item,proper_action,response_on_topic,helpful,incomplete,unsafe_content,cause,reason\n"+content), 0o600); err != nil {
			t.Fatal(err)
		}
		return runCommand(t, "", "adjudicate", "--database-url", url, "--project", "told", file)
	}
	code, _, stderr := adjudicate("g3,1,1,1,0,0,,\ng6,1,1,2,0,0,,\ng1,0,1,1,0,0,,\n")
	if code != exitFailed || !strings.Contains(stderr, "decided.csv:3:helpful: ") || !strings.Contains(stderr, "decided.csv:4:reason: ") || !strings.Contains(stderr, "Nothing was stored") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if r := runReport(t, url); r.Fields[2].CountConsensus(report.Adjudicated) != 0 {
		t.Error("a part of a faulty file was stored")
	}
	if code, out, stderr := adjudicate("g3,1,1,1,0,0,,\ng6,1,1,0,0,0,bad_data,Twice the same.\n"); code != exitOK || !strings.Contains(out, "2 items of told settled. Next") {
		t.Errorf("exit %d: %s%s", code, out, stderr)
	}
	if code, out, stderr := adjudicate("g3,1,1,0,0,0,,On a second look.\n"); code != exitOK || !strings.Contains(out, "1 item of told settled, 1 of them anew") {
		t.Errorf("exit %d: %s%s", code, out, stderr)
	}
	r := runReport(t, url)
	if n := r.Fields[2].CountConsensus(report.Adjudicated); n != 2 || r.Metrics[0].Sources != (report.LabelSources{Adjudicated: 10, Consensus: 20}) {
		t.Errorf("%d items are adjudicated, and the metric is from %+v", n, r.Metrics[0].Sources)
	}
}
