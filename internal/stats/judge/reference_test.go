package judge

import (
	"encoding/json"
	"math"
	"os"
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
	data, results := map[string][][]string{}, map[string]Result{}
	for _, row := range require.SharedRows(t, "judges", "expected.csv") {
		name, judge, figure, setting := row[0], row[1], row[2], row[3]
		want, err := strconv.ParseFloat(row[4], 64)
		if err != nil {
			t.Fatal(err)
		}
		if data[name] == nil {
			data[name] = require.SharedRows(t, "judges", name+".csv")
		}
		key := strings.Join([]string{name, judge, setting}, " ")
		if _, isKnown := results[key]; !isKnown {
			results[key] = computeReference(t, data[name], judge, setting)
		}
		if got := figureOf(t, results[key], figure); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s %s %s %s is %v, want %v", name, judge, figure, setting, got, want)
		}
		checked++
	}
	if checked != 104 {
		t.Errorf("%d figures were checked, want 104", checked)
	}
}

// computeReference compares a judge as a row of expected.csv says.
func computeReference(t *testing.T, rows [][]string, judge, setting string) Result {
	t.Helper()
	// no figure is an interval of resamples
	o, labeled := Options{Intervals: stats.IntervalOptions{Resamples: 10}}, map[string]bool{}
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
	return results[0]
}

func figureOf(t *testing.T, r Result, figure string) float64 {
	t.Helper()
	value := map[string]*float64{"alt_test_winning_rate": r.WinningRate,
		"alt_test_advantage_probability": r.AdvantageProbability,
		"ppi_mean":                       r.PPI.Mean, "ppi_low": r.PPI.Low, "ppi_high": r.PPI.High}[figure]
	if value == nil {
		t.Fatalf("%s of %s is not defined: %s%s", figure, r.Judge, r.Undefined, r.PPI.Undefined)
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
		if math.Abs(got.WinningRate-s.WinningRate) > 1e-9 ||
			math.Abs(got.AdvantageProbability-s.AdvantageProbability) > 1e-9 {
			t.Errorf("data set %d: ω %v, ρ %v; want %v, %v", i, got.WinningRate, got.AdvantageProbability,
				s.WinningRate, s.AdvantageProbability)
		}
		for name, want := range s.PPI {
			if name == "weighted" {
				continue // labels have no weights
			}
			e := EstimateMean(s.sample(table))
			for n, v := range []float64{e.Value, e.Low, e.High} {
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
func (s referenceSet) sample(table stats.RatingTable) (sample Sample) {
	for item := range table.ByItem() {
		judgment := Judgment{Value: float64(s.Judge[item.Item])}
		if len(sample.Labeled) >= table.Items()/3 {
			sample.Judged = append(sample.Judged, judgment)
			continue
		}
		label := 0.0
		for _, c := range item.Categories {
			label += float64(c) / float64(len(item.Categories))
		}
		sample.Labeled = append(sample.Labeled, LabeledJudgment{judgment, label})
	}
	return sample
}
