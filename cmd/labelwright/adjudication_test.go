package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/stats"
)

func TestAdjudicate_File_StoresDecisions(t *testing.T) {
	t.Parallel()
	url := newLabeledProject(t, 6) // with disagreements in helpful on g3 and g6
	adjudicate := func(content string) (int, string, string) {
		file := filepath.Join(t.TempDir(), "decisions.csv")
		if err := os.WriteFile(file, []byte(
			"item,proper_action,response_on_topic,helpful,incomplete,unsafe_content,cause,reason\n"+content),
			0o600); err != nil {
			t.Fatal(err)
		}
		return runCommand(t, "", "adjudicate", "--database-url", url, "--project", "pilot", file)
	}
	code, _, stderr := adjudicate("g3,1,1,1,0,0,,\ng6,1,1,2,0,0,,\ng1,0,1,1,0,0,,\n")
	if code != exitFailed || !strings.Contains(stderr, "decisions.csv:3:helpful: ") ||
		!strings.Contains(stderr, "decisions.csv:4:cause: ") || !strings.Contains(stderr, "decisions.csv:4:reason: ") ||
		!strings.Contains(stderr, "3 errors. Nothing was imported") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if r := runReport(t, url); r.Fields[2].CountConsensus(stats.Adjudicated) != 0 {
		t.Error("a part of a file with errors was imported")
	}
	if code, out, stderr := adjudicate(
		"g3,1,1,1,0,0,,\ng6,1,1,0,0,0,bad_data,The item is a duplicate.\n"); code != exitOK ||
		!strings.Contains(out, "Adjudicated 2 items of pilot. Next") {
		t.Errorf("exit %d: %s%s", code, out, stderr)
	}
	if code, out, stderr := adjudicate("g3,1,1,0,0,0,,On a second look.\n"); code != exitOK ||
		!strings.Contains(out, "Adjudicated 1 item of pilot, replacing 1 earlier decision. Next") {
		t.Errorf("exit %d: %s%s", code, out, stderr)
	}
	r := runReport(t, url)
	if n := r.Fields[2].CountConsensus(stats.Adjudicated); n != 2 ||
		r.Metrics[0].Sources != (report.LabelSources{Adjudicated: 10, Consensus: 20}) {
		t.Errorf("%d adjudicated items, sources %+v", n, r.Metrics[0].Sources)
	}
}
