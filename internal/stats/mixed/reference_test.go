package mixed

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
)

// statsmodelsSet is a data set of testdata/mixed_model.json.
type statsmodelsSet struct {
	Name                              string
	Labels                            [][5]any // item, record, annotator, condition, value
	Means                             []float64
	Covariance                        [][]float64
	Annotator, Record, Item, Residual float64
	Severities, Errors                []float64 // by annotator
}

func (s statsmodelsSet) data() Data {
	d := Data{Conditions: len(s.Means)}
	numbers := map[string]int32{}
	number := func(kind string, name any) int32 {
		key := kind + name.(string)
		if _, ok := numbers[key]; !ok {
			numbers[key] = int32(len(numbers))
		}
		return numbers[key]
	}
	for _, l := range s.Labels {
		annotator := int32(l[2].(float64))
		d.Annotators = max(d.Annotators, int(annotator)+1)
		d.Labels = append(d.Labels, Label{Item: number("item ", l[0]), Record: number("record ", l[1]),
			Annotator: annotator,
			Condition: int32(l[3].(float64)), Value: l[4].(float64)})
	}
	return d
}

func (s statsmodelsSet) check(t *testing.T) {
	t.Helper()
	m, reason := Fit(s.data())
	if reason != "" {
		t.Fatalf("%s: %s", s.Name, reason)
	}
	largest := 0.0
	compare := func(got, want float64) { largest = max(largest, math.Abs(got-want)) }
	for i, mean := range s.Means {
		compare(m.Means[i], mean)
		for j, c := range s.Covariance[i] {
			compare(m.Residual*m.solution.covariance[i][j], c)
		}
	}
	for _, pair := range [][2]float64{{m.Annotator, s.Annotator}, {m.Record, s.Record}, {m.Item, s.Item},
		{m.Residual, s.Residual}} {
		compare(pair[0], pair[1])
	}
	for i, v := range m.Severities() {
		compare(v.Value, s.Severities[i])
		compare(v.Error, s.Errors[i])
	}
	t.Logf("%s: largest difference %.2g", s.Name, largest)
	if largest > 1e-3 {
		t.Errorf("%s: largest difference %g; means %v, variances %.4g %.4g %.4g %.4g", s.Name, largest, m.Means,
			m.Annotator, m.Record, m.Item, m.Residual)
	}
}

// TestFit_EqualsStatsmodels checks the means, their covariances, the variances and the severities of ten data
// sets that testdata/mixed_model.py has written.
func TestFit_EqualsStatsmodels(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "mixed_model.json"))
	if err != nil {
		t.Fatal(err)
	}
	checkStatsmodelsSets(t, text)
}

// TestFit_EqualsInstalledStatsmodels runs the script that wrote the data sets.
func TestFit_EqualsInstalledStatsmodels(t *testing.T) {
	t.Parallel()
	python := require.PythonModule(t, "statsmodels")
	text, err := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "mixed_model.py")).Output()
	if err != nil {
		t.Fatal(err)
	}
	checkStatsmodelsSets(t, text)
}

func checkStatsmodelsSets(t *testing.T, text []byte) {
	t.Helper()
	var sets []statsmodelsSet
	if err := json.Unmarshal(text, &sets); err != nil || len(sets) != 10 {
		t.Fatalf("%d data sets, %v", len(sets), err)
	}
	for _, s := range sets {
		s.check(t)
	}
}
