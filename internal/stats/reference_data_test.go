package stats

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// readRecords reads a CSV file into one map by column for each row.
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

// readDataset returns the tables of one dataset by dimension. A dimension without a
// declared scale has the scale of its values.
func readDataset(t *testing.T, dir, name string, scales map[string]NumericScale) map[string]RatingTable {
	t.Helper()
	path := filepath.Join(dir, name+".csv")
	if _, err := os.Stat(path); err != nil {
		path = filepath.Join(dir, "edge", name+".csv")
	}
	ratings, values := map[string][]Rating{}, map[string][]int{}
	for _, r := range readRecords(t, path) {
		value := parseInteger(t, r["value"])
		ratings[r["dimension"]] = append(ratings[r["dimension"]],
			Rating{Item: r["item"], Annotator: r["annotator"], Value: value, Cluster: r["cluster"]})
		values[r["dimension"]] = append(values[r["dimension"]], value)
	}
	tables := map[string]RatingTable{}
	for dimension := range ratings {
		scale, declared := scales[dimension]
		if !declared {
			scale = NewNumericScale(values[dimension]...)
		}
		tables[dimension] = newTable(t, scale, ratings[dimension])
	}
	return tables
}

// readScales reads the declared scales by dataset and dimension.
func readScales(t *testing.T, dir string) map[string]map[string]NumericScale {
	t.Helper()
	all := map[string]map[string]NumericScale{}
	for _, r := range readRecords(t, filepath.Join(dir, "scales.csv")) {
		var points []int
		for _, p := range strings.Fields(r["scale"]) {
			points = append(points, parseInteger(t, p))
		}
		if all[r["dataset"]] == nil {
			all[r["dataset"]] = map[string]NumericScale{}
		}
		all[r["dataset"]][r["dimension"]] = NewNumericScale(points...)
	}
	return all
}

func parseInteger(t *testing.T, text string) int {
	t.Helper()
	v, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
