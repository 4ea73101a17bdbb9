package stats

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// sharedDataPath returns a path beside the checkout, or skips the test with a sentence.
func sharedDataPath(t *testing.T, elements ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for !fileExists(filepath.Join(dir, "go.mod")) {
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	path := filepath.Join(append([]string{filepath.Dir(dir), "shared", "data"}, elements...)...)
	if !fileExists(path) {
		t.Skipf("the shared data %s are not beside the checkout, so these figures were not checked", filepath.Join(elements...))
	}
	return path
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// readRecords reads a CSV file into one map for each row, by column.
func readRecords(t *testing.T, path string) []map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, record := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = record[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// readDataset returns the tables of one data set, by dimension, on the declared scales.
func readDataset(t *testing.T, dir, name string, scales DeclaredScales) map[string]RatingTable {
	t.Helper()
	path := filepath.Join(dir, name+".csv")
	if !fileExists(path) {
		path = filepath.Join(dir, "edge", name+".csv")
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dimensions, err := ReadLongTable(name+".csv", f, scales)
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]RatingTable{}
	for _, d := range dimensions.Dimensions {
		tables[d.Name] = d.Table
	}
	return tables
}

// readScales reads the declared scales, by data set.
func readScales(t *testing.T, dir string) map[string]DeclaredScales {
	t.Helper()
	all := map[string]DeclaredScales{}
	for _, r := range readRecords(t, filepath.Join(dir, "scales.csv")) {
		var points []int
		for _, p := range strings.Fields(r["scale"]) {
			v, err := strconv.Atoi(p)
			if err != nil {
				t.Fatal(err)
			}
			points = append(points, v)
		}
		if all[r["dataset"]].byDimension == nil {
			all[r["dataset"]] = DeclaredScales{byDimension: map[string]NamedScale{}}
		}
		all[r["dataset"]].byDimension[r["dimension"]] = NamedScale{Scale: NewNumericScale(points...)}
	}
	return all
}
