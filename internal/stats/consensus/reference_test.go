package consensus

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats"
)

// readPeople returns the ratings of people in a data set of judges, and the values in
// scale order.
func readPeople(t *testing.T, name string) (stats.RatingTable, []string) {
	t.Helper()
	var values []string
	rows := slices.DeleteFunc(require.SharedRows(t, "judges", name+".csv"), func(row []string) bool {
		_, err := strconv.Atoi(strings.TrimPrefix(row[1], "h"))
		return err != nil
	})
	for _, row := range rows {
		values = append(values, row[3])
	}
	slices.Sort(values)
	values = slices.Compact(values)
	var ratings []stats.Rating
	for _, row := range rows {
		ratings = append(ratings, stats.Rating{Item: row[0], Annotator: row[1], Value: slices.Index(values, row[3])})
	}
	table, err := stats.NewRatingTable(stats.NewRangeScale(0, len(values)-1), ratings)
	if err != nil {
		t.Fatal(err)
	}
	return table, values
}

// crowdKitSet is a data set of testdata/dawid_skene.json.
type crowdKitSet struct {
	Name       string
	Values     int
	Ratings    [][3]any // item, annotator, value
	Posteriors [][]float64
}

func (s crowdKitSet) table(t *testing.T) stats.RatingTable {
	t.Helper()
	var ratings []stats.Rating
	for _, r := range s.Ratings {
		ratings = append(ratings, stats.Rating{Item: r[0].(string), Annotator: r[1].(string),
			Value: int(r[2].(float64))})
	}
	table, err := stats.NewRatingTable(stats.NewRangeScale(0, s.Values-1), ratings)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func (s crowdKitSet) check(t *testing.T) {
	t.Helper()
	fit, largest := FitDawidSkene(s.table(t), AsCrowdKit), 0.0
	for i, row := range s.Posteriors {
		for c, p := range row {
			largest = max(largest, math.Abs(p-fit.ItemPosterior(i)[c]))
		}
	}
	t.Logf("%s: %d steps, largest difference %.2g", s.Name, fit.Steps, largest)
	if len(fit.PatternOf) != len(s.Posteriors) || largest > 1e-6 {
		t.Errorf("%s: %d of %d items, largest difference %g", s.Name, len(fit.PatternOf), len(s.Posteriors), largest)
	}
}

// TestFitDawidSkene_EqualsCrowdKit checks the posteriors of ten data sets that
// testdata/dawid_skene.py has written.
func TestFitDawidSkene_EqualsCrowdKit(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "dawid_skene.json"))
	if err != nil {
		t.Fatal(err)
	}
	checkCrowdKitSets(t, text)
}

// TestFitDawidSkene_EqualsInstalledCrowdKit runs the script that wrote the data sets.
func TestFitDawidSkene_EqualsInstalledCrowdKit(t *testing.T) {
	t.Parallel()
	python := require.PythonModule(t, "crowdkit")
	text, err := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "dawid_skene.py")).Output()
	if err != nil {
		t.Fatal(err)
	}
	checkCrowdKitSets(t, text)
}

func checkCrowdKitSets(t *testing.T, text []byte) {
	t.Helper()
	var sets []crowdKitSet
	if err := json.Unmarshal(text, &sets); err != nil || len(sets) != 10 {
		t.Fatalf("%d data sets, %v", len(sets), err)
	}
	for _, s := range sets {
		s.check(t)
	}
}

// TestFitDawidSkene_MatchesReferencePosteriors checks the posteriors that crowd-kit gives
// at convergence.
func TestFitDawidSkene_MatchesReferencePosteriors(t *testing.T) {
	t.Parallel()
	want := map[string]map[string]map[string]float64{}
	for _, row := range require.SharedRows(t, "judges", "dawid_skene.csv") {
		if want[row[0]] == nil {
			want[row[0]] = map[string]map[string]float64{}
		}
		if want[row[0]][row[1]] == nil {
			want[row[0]][row[1]] = map[string]float64{}
		}
		want[row[0]][row[1]][row[2]], _ = strconv.ParseFloat(row[3], 64)
	}
	if len(want) != 5 {
		t.Errorf("%d data sets, want 5", len(want))
	}
	for name, items := range want {
		table, values := readPeople(t, name)
		fit, n, largest := FitDawidSkene(table, AsCrowdKit), 0, 0.0
		for item := range table.ByItem() {
			for c, p := range fit.ItemPosterior(n) {
				if q, ok := items[item.Item][values[c]]; ok {
					largest = max(largest, math.Abs(p-q))
				}
			}
			n++
		}
		t.Logf("%s: %d items, %d steps, last change %.2g, largest difference %.2g", name, n, fit.Steps, fit.Change,
			largest)
		if largest > 1e-4 || !IsIdentified(table) {
			t.Errorf("%s: largest difference of a posterior %g", name, largest)
		}
	}
}
