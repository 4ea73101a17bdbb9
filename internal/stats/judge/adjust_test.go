package judge

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The values of R: p.adjust(c(0.001, 0.04, 0.01, 0.5), "BY").
func TestAdjustFalseDiscovery_EqualsR(t *testing.T) {
	t.Parallel()
	want := []float64{0.00833333333333333, 0.111111111111111, 0.0416666666666667, 1}
	for i, got := range AdjustFalseDiscovery([]float64{0.001, 0.04, 0.01, 0.5}) {
		if math.Abs(got-want[i]) > 1e-12 {
			t.Errorf("adjusted value %d is %v, want %v", i, got, want[i])
		}
	}
}

func TestAdjustFalseDiscovery_Random_RejectsSame(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 0))
	for range 500 {
		annotators, pValues := make([]AnnotatorResult, 1+r.IntN(8)), []float64{}
		for i := range annotators {
			annotators[i].P = math.Pow(r.Float64(), 4)
			pValues = append(pValues, annotators[i].P)
		}
		rejected := 0
		for _, p := range AdjustFalseDiscovery(pValues) {
			if p <= falseDiscovery {
				rejected++
			}
		}
		if want := countRejected(annotators); rejected != want {
			t.Fatalf("%v: %d rejected, want %d", pValues, rejected, want)
		}
	}
}

func TestEstimateLabels_NoJudgments_IsMean(t *testing.T) {
	t.Parallel()
	s := Sample{}
	for i := range 100 {
		s.Labeled = append(s.Labeled, LabeledJudgment{Judgment{Value: 9}, float64(i % 2), 1})
	}
	e := EstimateLabels(s)
	if math.Abs(e.Value-0.5) > 1e-12 || math.Abs(e.High-e.Low-2*1.959964*0.05) > 1e-6 || e.EquivalentLabels != 100 {
		t.Errorf("estimate %+v", e)
	}
	if e := EstimateLabels(Sample{Labeled: s.Labeled[:1]}); e.Undefined != FewLabels {
		t.Errorf("of one label: %+v", e)
	}
}
