package judge

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats"
)

// isPerson reports whether an annotator of the data sets is no model.
var isPerson = regexp.MustCompile(`^h\d+$`).MatchString

// newDimension returns the rows of a data set that isUsed keeps. Values with words are
// unordered.
func newDimension(t *testing.T, rows [][]string, isUsed func(item, annotator string) bool) stats.Dimension {
	t.Helper()
	b, values := stats.NewTableBuilder(), []string{}
	for _, row := range rows {
		if !isUsed(row[0], row[1]) {
			continue
		}
		if !slices.Contains(values, row[3]) {
			values = append(values, row[3])
		}
		b.Add(stats.Rating{Item: row[0], Annotator: row[1], Value: slices.Index(values, row[3])}, 0)
	}
	b.Sort()
	nominal := slices.ContainsFunc(values, stats.IsNonNumeric)
	scale := stats.NamedScale{Scale: stats.NewRangeScale(1, len(values)), Names: slices.Sorted(slices.Values(values))}
	if !nominal {
		var err error
		if scale, err = stats.NewScaleFromNumerals(values); err != nil {
			t.Fatal(err)
		}
	}
	return stats.Dimension{Name: "x", Table: b.BuildNamed(scale, values), Nominal: nominal}
}

// TestCompare_MatchesReference checks the 104 figures of the authors' code and of ppi-python.
func TestCompare_MatchesReference(t *testing.T) {
	t.Parallel()
	checked := 0
	data := map[string][][]string{}
	for _, row := range require.SharedRows(t, "judges", "expected.csv") {
		name, judge, figure, setting := row[0], row[1], row[2], row[3]
		want, err := strconv.ParseFloat(row[4], 64)
		if err != nil {
			t.Fatal(err)
		}
		if data[name] == nil {
			data[name] = require.SharedRows(t, "judges", name+".csv")
		}
		if got := computeFigure(t, data[name], judge, figure, setting); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s %s %s %s is %v, want %v", name, judge, figure, setting, got, want)
		}
		checked++
	}
	if checked != 104 {
		t.Errorf("%d figures were checked, want 104", checked)
	}
}

// computeFigure computes the figure of a row of expected.csv.
func computeFigure(t *testing.T, rows [][]string, judge, figure, setting string) float64 {
	t.Helper()
	o, labeled := Options{}, map[string]bool{}
	if score, epsilon, ok := strings.Cut(setting, " epsilon="); ok {
		o.Score = Score(score)
		o.Epsilon, _ = strconv.ParseFloat(epsilon, 64)
	} else {
		count, _ := strconv.Atoi(strings.Fields(setting)[4])
		for _, item := range itemsOf(rows)[:count] {
			labeled[item] = true
		}
	}
	d := newDimension(t, rows, func(item, annotator string) bool {
		return annotator == judge || isPerson(annotator) && (len(labeled) == 0 || labeled[item])
	})
	_, results := Compare(d, []string{judge}, o)
	r := results[0]
	value := map[string]*float64{"alt_test_winning_rate": r.WinningRate, "alt_test_advantage_probability": r.AdvantageProbability,
		"ppi_mean": r.PPI.Mean, "ppi_low": r.PPI.Low, "ppi_high": r.PPI.High}[figure]
	if value == nil {
		t.Fatalf("%s of %s is not defined: %s%s", figure, judge, r.Undefined, r.PPI.Undefined)
	}
	return *value
}

// itemsOf returns the items that annotators have labeled, by id.
func itemsOf(rows [][]string) (items []string) {
	for _, row := range rows {
		if isPerson(row[1]) {
			items = append(items, row[0])
		}
	}
	slices.Sort(items)
	return slices.Compact(items)
}

func readReferenceSets(t *testing.T) (sets []referenceSet) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "judges.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &sets); err != nil || len(sets) != 10 {
		t.Fatalf("%d data sets, %v", len(sets), err)
	}
	return sets
}

// TestFigures_EqualOtherSoftware checks ten data sets that testdata/judges.py has written.
func TestFigures_EqualOtherSoftware(t *testing.T) {
	t.Parallel()
	for i, s := range readReferenceSets(t) {
		table := s.table(t)
		score := Accuracy
		if s.Values > 3 {
			score = RMSE
		}
		got := RunAlternativeTest(table, s.Judge, Options{Score: score, Epsilon: s.Epsilon})
		if math.Abs(got.WinningRate-s.WinningRate) > 1e-9 || math.Abs(got.AdvantageProbability-s.AdvantageProbability) > 1e-9 {
			t.Errorf("data set %d: ω %v, ρ %v; want %v, %v", i, got.WinningRate, got.AdvantageProbability, s.WinningRate, s.AdvantageProbability)
		}
		for name, want := range s.PPI {
			e := EstimateMean(s.sample(table, name == "weighted"))
			figures := []float64{e.Value, e.Low, e.High}
			if name == "weighted" { // its interval depends on the origin: see TestEstimateMean_Weighted_EqualsPPI
				figures = figures[:1]
			}
			for n, v := range figures {
				if math.Abs(v-want[n]) > 1e-9 {
					t.Errorf("data set %d, %s: figure %d is %v, want %v", i, name, n, v, want[n])
				}
			}
		}
	}
}

// referenceSet is a data set of testdata/judges.json.
type referenceSet struct {
	Values               int
	Epsilon              float64
	People               map[string]map[string]int
	Judge                map[string]int
	Weights              map[string]float64
	WinningRate          float64 `json:"winning_rate"`
	AdvantageProbability float64 `json:"advantage_probability"`
	PPI                  map[string][3]float64
}

func (s referenceSet) table(t *testing.T) stats.RatingTable {
	t.Helper()
	var ratings []stats.Rating
	for annotator, answers := range s.People {
		for item, value := range answers {
			ratings = append(ratings, stats.Rating{Item: item, Annotator: annotator, Value: value})
		}
	}
	table, err := stats.NewRatingTable(stats.NewRangeScale(0, s.Values-1), ratings)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// sample labels the first third of the items.
func (s referenceSet) sample(table stats.RatingTable, isWeighted bool) Sample {
	return s.sampleItems(table, 0, 1, isWeighted)
}

// sampleItems takes every step-th item from the first one on, and labels the first third of them.
func (s referenceSet) sampleItems(table stats.RatingTable, first, step int, isWeighted bool) (sample Sample) {
	n, place := (table.Items()-first+step-1)/step, 0
	for item := range table.ByItem() {
		if place++; (place-1-first)%step != 0 {
			continue
		}
		judgment := Judgment{Value: float64(s.Judge[item.Item])}
		if len(sample.Labeled) >= n/3 {
			sample.Judged = append(sample.Judged, judgment)
			continue
		}
		label, weight := 0.0, 1.0
		for _, c := range item.Categories {
			label += float64(c) / float64(len(item.Categories))
		}
		if isWeighted {
			weight = s.Weights[item.Item]
		}
		sample.Labeled = append(sample.Labeled, LabeledJudgment{judgment, label, weight})
	}
	return sample
}

// A weightedResult is what ppi-python gives for weighted labels and a fixed λ. The judgments are
// those of the other items, or of all of them.
type weightedResult struct {
	Lambda       float64
	Rest, All    float64     // estimates
	RestInterval [2]float64  `json:"rest_interval"`
	AllInterval  *[2]float64 `json:"all_interval"`
}

// TestEstimateMean_Weighted_EqualsPPI checks what testdata/weighted.py has written.
func TestEstimateMean_Weighted_EqualsPPI(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "weighted.json"))
	if err != nil {
		t.Fatal(err)
	}
	checkWeightedResults(t, text)
}

// TestEstimateMean_Weighted_EqualsInstalledPPI runs the script.
func TestEstimateMean_Weighted_EqualsInstalledPPI(t *testing.T) {
	t.Parallel()
	text, err := exec.CommandContext(t.Context(), require.PythonModule(t, "ppi_py"), filepath.Join("testdata", "weighted.py")).Output()
	if err != nil {
		t.Fatal(err)
	}
	checkWeightedResults(t, text)
}

func checkWeightedResults(t *testing.T, text []byte) {
	t.Helper()
	var results [][]weightedResult
	if err := json.Unmarshal(text, &results); err != nil || len(results) != 10 {
		t.Fatalf("%d data sets, %v", len(results), err)
	}
	for i, s := range readReferenceSets(t) {
		rest := s.sample(s.table(t), true)
		rest.normalizeWeights()
		all := rest
		all.IsDrawn = true
		for _, want := range results[i] {
			checkPrediction(t, fmt.Sprintf("data set %d, λ %v, other items", i, want.Lambda), rest.estimate(want.Lambda), want.Rest, &want.RestInterval)
			checkPrediction(t, fmt.Sprintf("data set %d, λ %v, all items", i, want.Lambda), all.estimate(want.Lambda), want.All, want.AllInterval)
		}
	}
}

// checkPrediction compares an estimate, and its standard error with that of an interval.
func checkPrediction(t *testing.T, name string, got prediction, value float64, interval *[2]float64) {
	t.Helper()
	if math.Abs(got.Value-value) > 1e-9 {
		t.Errorf("%s: estimate %v, want %v", name, got.Value, value)
	}
	if interval == nil {
		return
	}
	if want := (interval[1] - interval[0]) / 2 / (math.Sqrt2 * math.Erfinv(0.95)); math.Abs(math.Sqrt(got.sumSquares())-want) > 1e-9 {
		t.Errorf("%s: standard error %v, want %v", name, math.Sqrt(got.sumSquares()), want)
	}
}
