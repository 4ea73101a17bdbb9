package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestExport_ModelConsensus_IsThatOfReport compares each value, method, probability, verdict and annotator's error of an export
// with the report by the same model.
func TestExport_ModelConsensus_IsThatOfReport(t *testing.T) {
	t.Parallel()
	url := newSampleDB(t)
	for i, d := range demoProjects {
		method, shape := []string{"dawid-skene", "dawid-skene-ordinal"}[i%2], []string{"long", "wide"}[i/2%2]
		report := runReportJSON(t, "--database-url", url, "--project", d.Key, "--consensus", method)
		dir := newExport(t, url, d.Key, "--format", "jsonl", "--shape", shape, "--contents", "consensus", "--consensus-method", method)
		want, got := map[string]any{}, map[string]any{}
		for _, c := range report["consensus"].([]any) {
			c := c.(map[string]any)
			name := fmt.Sprint(c["item"], " ", c["field"])
			want[name], want[name+" source"] = c["value"], c["method"]
			for n, p := range c["posterior"].([]any) {
				want[fmt.Sprint(name, " ", scaleOf(report, c["field"])[n])] = p
			}
			verdicts, _ := c["verdicts"].(map[string]any)
			for key, holds := range verdicts {
				want[fmt.Sprint(c["item"], " ", key)] = float64(map[any]int{true: 1}[holds])
			}
		}
		for _, row := range readRows(t, filepath.Join(dir, "consensus.jsonl")) {
			for _, f := range report["fields"].([]any) {
				f := f.(map[string]any)
				value, source, posterior := fmt.Sprint(f["key"]), fmt.Sprint(f["key"], ".source"), fmt.Sprint(f["key"], ".posterior.")
				if shape == "long" {
					if row["dimension"] != f["key"] {
						continue
					}
					value, source, posterior = "value", "source", "posterior."
				}
				if row[source] == nil || row[source] == "unresolved" {
					continue
				}
				name := fmt.Sprint(row["item"], " ", f["key"])
				got[name], got[name+" source"] = row[value], row[source]
				for _, point := range scaleOf(report, f["key"]) {
					got[fmt.Sprint(name, " ", point)] = row[fmt.Sprint(posterior, point)]
				}
			}
			for _, v := range []string{"fail", "acceptable", "preferred"} {
				if holds, isKnown := row["verdict."+v]; isKnown && holds != nil {
					got[fmt.Sprint(row["item"], " ", v)] = holds
				}
			}
		}
		for _, f := range report["fields"].([]any) {
			f := f.(map[string]any)
			for _, a := range f["consensus_model"].(map[string]any)["annotators"].([]any) {
				a := a.(map[string]any)
				for value, answers := range a["confusion"].(map[string]any) {
					for answer, p := range answers.(map[string]any) {
						want[fmt.Sprintf("%v %v %v %v", f["key"], a["annotator"], value, answer)] = p
					}
				}
			}
		}
		for _, row := range readRows(t, filepath.Join(dir, "annotator_errors.jsonl")) {
			got[fmt.Sprintf("%v %v %v %v", row["dimension"], row["annotator"], row["true_value"], row["answer"])] = row["probability"]
		}
		if diff := gocmp.Diff(want, got); diff != "" || len(want) < 200 {
			t.Errorf("%s, %s, %d figures (-report +export):\n%.3000s", d.Key, method, len(want), diff)
		}
	}
	if code, _, stderr := runCommand(t, "", "export", "--database-url", url, "--project", "empathy", "--out", filepath.Join(t.TempDir(), "x"), "--consensus-method", "dawid-skene"); code == exitOK {
		t.Error("a model without the consensus was accepted")
	} else if want := "Choose the contents consensus or both."; !strings.Contains(stderr, want) {
		t.Errorf("%q does not contain %q", stderr, want)
	}
}

func scaleOf(report map[string]any, field any) []any {
	for _, f := range report["fields"].([]any) {
		if f := f.(map[string]any); f["key"] == field {
			return f["scale"].([]any)
		}
	}
	return nil
}

func readRows(t *testing.T, path string) (rows []map[string]any) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		row := map[string]any{}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}
