package judge

import (
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
)

// drawRates returns labels and 500 judgments, of which the judge has 90% right.
func drawRates(r *rand.Rand, labels int, rate float64) (s Sample) {
	for i := range labels + 500 {
		label := float64(boolToInt(r.Float64() < rate))
		judgment := Judgment{Value: label}
		if r.Float64() < 0.1 {
			judgment.Value = 1 - label
		}
		if i < labels {
			s.Labeled = append(s.Labeled, LabeledJudgment{judgment, label, 1})
		} else {
			s.Judged = append(s.Judged, judgment)
		}
	}
	return s
}

// TestConcludeMean_FewLabels_CoversTruth checks coverage, and that equivalent labels are not overstated: with a judge
// that has 90% right, 60 labels of a rate of 50% count as 144 at most.
func TestConcludeMean_FewLabels_CoversTruth(t *testing.T) {
	t.Parallel()
	studies := 300
	if require.FullSize() {
		studies = 3000
	}
	for _, rate := range []float64{0.5, 0.12} {
		for _, labels := range []int{10, 20, 30, 60, 100, 300} {
			covered, alone, equivalent := 0.0, 0.0, 0.0
			for seed := range studies {
				s := drawRates(rand.New(rand.NewPCG(7, uint64(seed))), labels, rate)
				e, l := ConcludeMean(s, Range{0, 1, true}), ConcludeLabels(s, Range{0, 1, true})
				covered += float64(boolToInt(e.Low <= rate && rate <= e.High)) / float64(studies)
				alone += float64(boolToInt(l.Low <= rate && rate <= l.High)) / float64(studies)
				equivalent += e.EquivalentLabels / float64(studies)
				if (e.GainUndefined != "") != (labels < 30) {
					t.Fatalf("%d labels: %+v", labels, e)
				}
			}
			t.Logf("rate %v, %d labels: coverage %.1f%%, of the labels alone %.1f%%, equivalent to %.0f", rate, labels, 100*covered, 100*alone, equivalent)
			gain := map[float64]float64{0.5: 2.78, 0.12: 1.76}[rate] // 1 / (1 − R²)
			if covered < 0.91 || covered > 0.99 || equivalent > gain*float64(labels) {
				t.Errorf("rate %v, %d labels: coverage %.3f, equivalent to %.0f", rate, labels, covered, equivalent)
			}
		}
	}
}

func TestConclude_NeedsTenLabels(t *testing.T) {
	t.Parallel()
	for labels, want := range map[int]ReasonCode{3: FewUnits, 9: FewUnits, 10: "", 30: ""} {
		s := drawRates(rand.New(rand.NewPCG(8, 0)), labels, 0.5)
		other := drawRates(rand.New(rand.NewPCG(9, 0)), 40, 0.5)
		e, d := ConcludeMean(s, Range{0, 1, true}), ConcludeDifference(s, other)
		if e.Undefined != want || (d.Undefined == FewUnitsOfGroup) != (want != "") || (d.GainUndefined != "") != (labels == 10) || e.Value != EstimateMean(s).Value {
			t.Errorf("%d labels: %+v, %+v", labels, e, d)
		}
	}
}
