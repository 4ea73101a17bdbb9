package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
)

// study is a population of items in records with a judge that has a bias and errors.
type study struct {
	items, labeled int
	perRecord      int // items of one record share half of their variance
	judgeError     float64
}

// draw returns a sample and the true mean label of the population, which is 3.
func (s study) draw(r *rand.Rand) Sample {
	sample := Sample{IsClustered: s.perRecord > 1}
	shared := 0.0
	for i := range s.items {
		if i%s.perRecord == 0 {
			shared = r.NormFloat64()
		}
		label := 3 + r.NormFloat64()
		if s.perRecord > 1 {
			label = 3 + (shared+r.NormFloat64())/math.Sqrt2
		}
		judgment := Judgment{Value: label + 0.7 + s.judgeError*r.NormFloat64(), Cluster: i / s.perRecord}
		if i < s.labeled {
			sample.Labeled = append(sample.Labeled, LabeledJudgment{judgment, label, 1})
		} else {
			sample.Judged = append(sample.Judged, judgment)
		}
	}
	return sample
}

// TestEstimateMean_CoversTruth checks the coverage of 95% intervals and that the judge
// makes them narrower.
func TestEstimateMean_CoversTruth(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	studies, low, high := 400, 0.915, 0.98
	if require.FullSize() {
		studies, low, high = 4000, 0.93, 0.97
	}
	for _, s := range []study{
		{items: 1000, labeled: 60, perRecord: 1, judgeError: 0.5},
		{items: 2000, labeled: 120, perRecord: 1, judgeError: 0.5},
		{items: 600, labeled: 120, perRecord: 1, judgeError: 3},
		{items: 1200, labeled: 120, perRecord: 4, judgeError: 0.5},
		{items: 600, labeled: 200, perRecord: 10, judgeError: 1},
	} {
		covered, equivalent := 0.0, 0.0
		for seed := range studies {
			e := EstimateMean(s.draw(rand.New(rand.NewPCG(5, uint64(seed)))))
			if e.Low <= 3 && 3 <= e.High {
				covered += 1 / float64(studies)
			}
			equivalent += e.EquivalentLabels / float64(studies)
		}
		t.Logf("%+v: coverage %.1f%%, %d labels count as %.0f", s, 100*covered, s.labeled, equivalent)
		if covered < low || covered > high || equivalent < 0.97*float64(s.labeled) {
			t.Errorf("%+v: coverage %.1f%%, %d labels count as %.0f", s, 100*covered, s.labeled, equivalent)
		}
	}
}

func TestEstimateMean_TooLittleData_HasReason(t *testing.T) {
	t.Parallel()
	label := LabeledJudgment{Judgment{1, 0}, 1, 1}
	other := LabeledJudgment{Judgment{2, 0}, 2, 1}
	judged := []Judgment{{1, 1}, {2, 2}}
	for _, c := range []struct {
		sample Sample
		want   ReasonCode
	}{
		{Sample{}, FewLabels},
		{Sample{Labeled: []LabeledJudgment{label}, Judged: judged}, FewLabels},
		{Sample{Labeled: []LabeledJudgment{label, other}}, NoJudgedItems},
		{Sample{Labeled: []LabeledJudgment{label, other}, Judged: judged, IsClustered: true}, FewLabels},
		{Sample{Labeled: []LabeledJudgment{label, {Judgment{2, 0}, 2, 9}}, Judged: judged, IsDrawn: true}, FewDrawnLabels},
		{Sample{Labeled: []LabeledJudgment{label, other}, Judged: judged}, ""},
	} {
		if got := EstimateMean(c.sample); got.Undefined != c.want || got.Undefined.Text() == "" && c.want != "" {
			t.Errorf("%+v: %q, want %q", c.sample, got.Undefined, c.want)
		}
	}
	same := Sample{Labeled: []LabeledJudgment{{Judgment{3, 0}, 1, 1}, {Judgment{2, 0}, 1, 1}}, Judged: judged}
	for name, e := range map[string]Estimate{"with the judge": EstimateMean(same), "labels alone": EstimateLabels(same)} {
		if e.Undefined != NoVariation || e.Value != 1 || e.EquivalentLabels != 0 {
			t.Errorf("equal labels, %s: %+v", name, e)
		}
	}
	constant := Sample{Labeled: []LabeledJudgment{{Judgment{3, 0}, 1, 1}, {Judgment{3, 0}, 2, 1}}, Judged: []Judgment{{3, 0}, {3, 0}}}
	if e := EstimateMean(constant); e.Lambda != 0 || e.Value != 1.5 || math.IsNaN(e.Low) {
		t.Errorf("a constant judge: %+v", e)
	}
}
