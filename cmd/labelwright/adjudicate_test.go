package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
)

func TestWhatALeadSettlesByHandCanBeSettledByCommand(t *testing.T) {
	t.Parallel()
	url := labelled(t, 6) // on g3 and g6 the two differ in helpful
	settle := func(content string) (int, string, string) {
		file := filepath.Join(t.TempDir(), "decided.csv")
		if err := os.WriteFile(file, []byte("item,proper_action,response_on_topic,helpful,incomplete,unsafe_content,cause,reason\n"+content), 0o600); err != nil {
			t.Fatal(err)
		}
		return ran(t, "", "adjudicate", "--database-url", url, "--project", "told", file)
	}
	code, _, says := settle("g3,1,1,1,0,0,,\ng6,1,1,2,0,0,,\ng1,0,1,1,0,0,,\n")
	if code != failed || !strings.Contains(says, "decided.csv:3:helpful: ") || !strings.Contains(says, "decided.csv:4:reason: ") || !strings.Contains(says, "Nothing was stored") {
		t.Errorf("exit %d: %s", code, says)
	}
	if r := reported(t, url); r.Fields[2].Settled(report.Adjudicated) != 0 {
		t.Error("a part of a faulty file was stored")
	}
	if code, out, says := settle("g3,1,1,1,0,0,,\ng6,1,1,0,0,0,bad_data,Twice the same.\n"); code != done || !strings.Contains(out, "2 items of told settled. Next") {
		t.Errorf("exit %d: %s%s", code, out, says)
	}
	if code, out, says := settle("g3,1,1,0,0,0,,On a second look.\n"); code != done || !strings.Contains(out, "1 item of told settled, 1 of them anew") {
		t.Errorf("exit %d: %s%s", code, out, says)
	}
	r := reported(t, url)
	if n := r.Fields[2].Settled(report.Adjudicated); n != 2 || r.Metrics[0].Sources != (report.Sources{Adjudicated: 10, Consensus: 20}) {
		t.Errorf("%d items are adjudicated, and the metric is from %+v", n, r.Metrics[0].Sources)
	}
}
