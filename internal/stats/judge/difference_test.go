package judge

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats"
)

// pairStudy is two conditions with a judge whose bias differs between them.
type pairStudy struct {
	name      string
	items     [2]int // by condition
	labeled   [2]int
	perRecord int     // items of one record; the conditions take turns in it
	rate      float64 // of a yes/no field under the first condition; 0: a score
	few       bool    // labels, so that the judge is hardly used
}

// pairDifference is the true difference of the conditions.
const pairDifference = 0.1

var pairStudies = []pairStudy{
	{name: "independent items", items: [2]int{500, 500}, labeled: [2]int{60, 60}, perRecord: 1},
	{name: "unequal conditions", items: [2]int{300, 900}, labeled: [2]int{40, 120}, perRecord: 1},
	{name: "few labels", items: [2]int{500, 500}, labeled: [2]int{20, 20}, perRecord: 1, few: true},
	{name: "one condition labeled", items: [2]int{120, 600}, labeled: [2]int{120, 60}, perRecord: 1},
	{name: "both in each record", items: [2]int{400, 400}, labeled: [2]int{80, 80}, perRecord: 2},
	{name: "six items of a record", items: [2]int{600, 600}, labeled: [2]int{90, 90}, perRecord: 6},
	{name: "yes/no", items: [2]int{500, 500}, labeled: [2]int{60, 60}, perRecord: 1, rate: 0.3},
	{name: "rare yes", items: [2]int{800, 800}, labeled: [2]int{100, 100}, perRecord: 1, rate: 0.08},
}

// newSamples returns a sample of each condition.
func (s pairStudy) newSamples(r *rand.Rand) (samples [2]Sample) {
	effect, count := 0.0, [2]int{}
	for i := 0; count[0] < s.items[0] || count[1] < s.items[1]; i++ {
		if i%s.perRecord == 0 {
			effect = r.NormFloat64()
		}
		condition := i % 2
		if count[condition] == s.items[condition] {
			continue
		}
		label, judgment := s.newItem(r, condition, effect)
		judged := Judgment{judgment, i / s.perRecord}
		samples[condition].IsClustered = s.perRecord > 1
		if count[condition]++; count[condition] <= s.labeled[condition] {
			samples[condition].Labeled = append(samples[condition].Labeled, LabeledJudgment{judged, label, 1})
		} else {
			samples[condition].Judged = append(samples[condition].Judged, judged)
		}
	}
	return samples
}

// newItem returns the label and the judgment of an item. The judge favors the second condition.
func (s pairStudy) newItem(r *rand.Rand, condition int, effect float64) (label, judgment float64) {
	if s.rate > 0 {
		label = float64(boolToInt(r.Float64() < s.rate+pairDifference*float64(condition)))
		if judgment = label; r.Float64() < 0.1+0.1*float64(condition) {
			judgment = 1
		}
		return label, judgment
	}
	if s.perRecord == 1 {
		effect = 0
	}
	label = 3 + effect + r.NormFloat64() + pairDifference*float64(condition)
	return label, label + 0.3 + 0.5*float64(condition) + 0.5*r.NormFloat64()
}

// TestEstimateDifference_CoversTruth checks the coverage of intervals, the bias, and that the judge makes
// intervals narrower although its bias differs between the conditions.
func TestEstimateDifference_CoversTruth(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	studies, slack := 400, 0.02
	if require.FullSize() {
		studies, slack = 4000, 0
	}
	for _, s := range pairStudies {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			var with, alone coverage
			for seed := range studies {
				samples := s.newSamples(rand.New(rand.NewPCG(6, uint64(seed))))
				with.add(EstimateDifference(samples[0], samples[1]), pairDifference)
				alone.add(EstimateLabelDifference(samples[0], samples[1]), pairDifference)
			}
			t.Logf("with the judge %v; labels alone %v", with, alone)
			with.check(t, "with the judge", slack)
			alone.check(t, "labels alone", slack)
			if with.equivalent < 1.1*alone.equivalent && !s.few {
				t.Errorf("with the judge the labels count as %.0f, without it as %.0f", with.equivalent/with.studies, alone.equivalent/alone.studies)
			}
		})
	}
}

// coverage counts how often intervals contain the truth.
type coverage struct{ studies, covered, bias, square, equivalent float64 }

func (c *coverage) add(d Difference, truth float64) {
	c.studies++
	c.covered += float64(boolToInt(d.Undefined == "" && d.Low <= truth && truth <= d.High))
	c.bias += d.Value - truth
	c.square += (d.Value - truth) * (d.Value - truth)
	c.equivalent += d.EquivalentLabels
}

func (c coverage) String() string {
	return fmt.Sprintf("coverage %.1f%%, bias %+.4f, labels count as %.0f", 100*c.covered/c.studies, c.bias/c.studies, c.equivalent/c.studies)
}

// check fails t if coverage is not 93 to 97%, or the bias is more than chance explains.
func (c *coverage) check(t *testing.T, name string, slack float64) {
	t.Helper()
	share, bias := c.covered/c.studies, c.bias/c.studies
	if share < 0.93-slack || share > 0.97+slack {
		t.Errorf("%s: coverage %.1f%%", name, 100*share)
	}
	if limit := 3.5 * math.Sqrt(c.square) / c.studies; math.Abs(bias) > limit {
		t.Errorf("%s: bias %+.4f, at most %.4f is chance", name, bias, limit)
	}
}

// TestEstimateDifference_Drawn_CoversTruth compares two conditions whose items are drawn by the expected
// gain of their labels, for a judge that often misses high values under the second one. Without the weights
// of the draws, the difference of a rare value is biased.
func TestEstimateDifference_Drawn_CoversTruth(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	studies, slack := 400, 0.02
	if require.FullSize() {
		studies, slack = 4000, 0
	}
	for _, s := range drawStudies {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			var with, alone, unweighted coverage
			original := s.newItem
			for seed := range studies {
				i := 0
				s.newItem = func(r *rand.Rand, effect float64) (label, judgment int) {
					label, judgment = original(r, effect)
					if i++; i%2 == 0 && 2*label > s.scale[0]+s.scale[len(s.scale)-1] && r.Float64() < 0.4 {
						judgment = s.scale[0]
					}
					return label, judgment
				}
				p := s.run(rand.New(rand.NewPCG(10, uint64(seed))))
				first, second := p.conditionSample(0, true), p.conditionSample(1, true)
				with.add(EstimateDifference(first, second), 0)
				alone.add(EstimateLabelDifference(first, second), 0)
				unweighted.add(EstimateLabelDifference(p.conditionSample(0, false), p.conditionSample(1, false)), 0)
			}
			t.Logf("with the judge %v; labels alone %v; without weights %v", with, alone, unweighted)
			with.check(t, "with the judge", slack)
			alone.check(t, "labels alone", slack)
			if len(s.scale) == 2 && math.Abs(unweighted.bias/unweighted.studies) < 0.015 { // on longer scales the draws favor no condition
				t.Errorf("bias without weights %+.4f: this study does not show that weights are needed", unweighted.bias/unweighted.studies)
			}
		})
	}
}

// conditionSample returns the items of one of two conditions, which take turns.
func (p *drawnPopulation) conditionSample(condition int, isWeighted bool) Sample {
	var isLabeled []bool
	draws := make([][]Inclusion, len(p.draws))
	for i := condition; i < len(p.labels); i += 2 {
		isLabeled = append(isLabeled, p.isLabeled[i])
		for d := range draws {
			draws[d] = append(draws[d], p.draws[d][i])
		}
	}
	s := Sample{IsClustered: p.study.perRecord > 1, IsDrawn: isWeighted}
	weights, _ := WeightLabels(isLabeled, draws)
	for n := range isLabeled {
		i, weight := 2*n+condition, 1.0
		judgment := Judgment{float64(p.judgments[i]), i / p.study.perRecord}
		if isWeighted {
			weight = weights.Items[n]
		}
		if isLabeled[n] {
			s.Labeled = append(s.Labeled, LabeledJudgment{judgment, float64(p.labels[i]), weight})
		} else {
			s.Judged = append(s.Judged, judgment)
		}
	}
	return s
}

// TestEstimateLabelDifference_IsWelch compares it with the test of package stats.
func TestEstimateLabelDifference_IsWelch(t *testing.T) {
	t.Parallel()
	for _, s := range pairStudies {
		samples := s.newSamples(rand.New(rand.NewPCG(7, 0)))
		var values []float64
		var isSecond []bool
		var clusters []string
		for side, sample := range samples {
			for _, l := range sample.Labeled {
				values, isSecond = append(values, l.Label), append(isSecond, side == 1)
				if sample.IsClustered {
					clusters = append(clusters, string(rune(l.Cluster)))
				}
			}
		}
		want := stats.CompareConditions(values, isSecond, clusters, stats.IntervalOptions{Resamples: 1})
		if got := EstimateLabelDifference(samples[0], samples[1]); math.Abs(got.Value-want.Difference) > 1e-12 || math.Abs(got.PValue-want.PValue) > 1e-9 {
			t.Errorf("%s: %v (p %v), want %v (p %v)", s.name, got.Value, got.PValue, want.Difference, want.PValue)
		}
	}
}

func TestEstimateDifference_TooLittleData_HasReason(t *testing.T) {
	t.Parallel()
	samples := pairStudies[0].newSamples(rand.New(rand.NewPCG(8, 0)))
	few, all, same := samples[1], samples[1], samples[1]
	few.Labeled, all.Judged = few.Labeled[:1], nil
	same.Labeled = []LabeledJudgment{{Judgment{3, 0}, 1, 1}, {Judgment{2, 0}, 1, 1}}
	none := samples[0]
	none.Judged = nil
	constant := samples[0]
	constant.Labeled = same.Labeled
	for _, c := range []struct {
		name          string
		first, second Sample
		want          ReasonCode
	}{
		{"one label", samples[0], few, FewLabels},
		{"one condition without further judgments", samples[0], all, ""},
		{"no further judgments", none, all, NoJudgedItems},
		{"equal labels of one condition", samples[0], same, ""},
		{"equal labels", constant, same, NoVariation},
	} {
		if got := EstimateDifference(c.first, c.second); got.Undefined != c.want || math.IsNaN(got.Value+got.EquivalentLabels+got.PValue) || c.want == "" && got.Low >= got.High {
			t.Errorf("%s: %+v, want %q", c.name, got, c.want)
		}
	}
}

// TestEstimateDifference_EqualsPPI checks what testdata/difference.py has written.
func TestEstimateDifference_EqualsPPI(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "difference.json"))
	if err != nil {
		t.Fatal(err)
	}
	checkDifferences(t, text)
}

// TestEstimateDifference_EqualsInstalledPPI runs the script.
func TestEstimateDifference_EqualsInstalledPPI(t *testing.T) {
	t.Parallel()
	text, err := exec.CommandContext(t.Context(), require.PythonModule(t, "ppi_py"), filepath.Join("testdata", "difference.py")).Output()
	if err != nil {
		t.Fatal(err)
	}
	checkDifferences(t, text)
}

// checkDifferences compares values and, with n − 1 in place of n labels, standard errors.
func checkDifferences(t *testing.T, text []byte) {
	t.Helper()
	var results []struct {
		Difference float64
		Errors     [2]float64
		Labels     [2]float64
	}
	if err := json.Unmarshal(text, &results); err != nil || len(results) != 10 {
		t.Fatalf("%d data sets, %v", len(results), err)
	}
	for i, s := range readReferenceSets(t) {
		table := s.table(t)
		samples, want := [2]Sample{s.sampleItems(table, 0, 2, false), s.sampleItems(table, 1, 2, false)}, results[i]
		d := EstimateDifference(samples[0], samples[1])
		var sides [2]prediction
		variance := 0.0
		for side, sample := range samples {
			sample.normalizeWeights()
			sides[side] = sample.estimate(sample.tuneLambda())
			sides[side].units = want.Labels[side]
			variance += want.Errors[side] * want.Errors[side] * want.Labels[side] / (want.Labels[side] - 1)
		}
		_, degrees := combine(sides, countLabeledUnits(samples))
		if margin := stats.StudentQuantile(0.975, degrees) * math.Sqrt(variance); math.Abs(d.Value-want.Difference) > 1e-9 || math.Abs(d.High-d.Low-2*margin) > 1e-9 {
			t.Errorf("data set %d: %v ± %v, want %v ± %v", i, d.Value, (d.High-d.Low)/2, want.Difference, margin)
		}
	}
}
