package main

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/stats/consensus"
)

// TestExport_DawidSkene_IsThatOfCommand compares each cell, probability and annotator's error of an export with what
// the consensus
// command makes of the exported labels.
func TestExport_DawidSkene_IsThatOfCommand(t *testing.T) {
	t.Parallel()
	url := newSampleDB(t)
	for _, d := range demoProjects {
		dir := newExport(t, url, d.Key, "--format", "csv", "--shape", "long", "--contents", "both",
			"--consensus-method", "dawid-skene")
		code, out, stderr := runCommand(t, "", "consensus", filepath.Join(dir, "annotations.csv"), "--method",
			"dawid-skene", "--converge", "--format", "json")
		var want consensus.Report
		if err := json.Unmarshal([]byte(out), &want); code != exitOK || err != nil {
			t.Fatalf("exit %d: %s %v", code, stderr, err)
		}
		cells := map[string]map[string]string{}
		for _, row := range readCSV(t, filepath.Join(dir, "consensus.csv")) {
			if row["how"] != "" && row["how"] != "adjudicated" {
				cells[row["item"]+" "+row["dimension"]] = row
			}
		}
		compared := 0
		for _, i := range want.Items {
			row, ok := cells[i.Item+" "+i.Dimension]
			if !ok {
				continue // adjudicated
			}
			compared++
			want := []string{consensusValue(i, ""), strconv.Itoa(i.Labels), strconv.Itoa(*i.Spread), string(i.How)}
			if got := []string{row["value"], row["labels"], row["spread"], row["how"]}; !slices.Equal(got, want) ||
				!isNear(row["mean"], *i.Mean) {
				t.Fatalf("%s, %s: %v with the mean %s, want %v with %v", i.Item, i.Dimension, got, row["mean"],
					want, *i.Mean)
			}
			for value, p := range i.Posterior {
				if got := row["posterior."+value]; got != "" && !isNear(got, p) {
					t.Fatalf("%s, %s: the probability of %s is %s, want %v", i.Item, i.Dimension, value, got, p)
				}
			}
		}
		if compared != len(cells) || compared < 20 {
			t.Errorf("%s: %d of %d cells", d.Key, compared, len(cells))
		}
	}
	if code, _, stderr := runCommand(t, "", "export", "--database-url", url, "--project", "empathy", "--out",
		filepath.Join(t.TempDir(), "x"), "--consensus-method", "dawid-skene"); code == exitOK {
		t.Error("a model without the consensus was accepted")
	} else if want := "Choose the contents consensus or both."; !strings.Contains(stderr, want) {
		t.Errorf("%q does not contain %q", stderr, want)
	}
}

func isNear(text string, want float64) bool {
	got, err := strconv.ParseFloat(text, 64)
	return err == nil && math.Abs(got-want) < 1e-4
}

func readCSV(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[strings.TrimPrefix(name, "\ufeff")] = record[i]
		}
		rows = append(rows, row)
	}
	return rows
}
