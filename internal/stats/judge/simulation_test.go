package judge

import (
	"fmt"
	"github.com/labelwright/labelwright/internal/require"
	"math"
	"math/rand/v2"
	"testing"
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

// TestEstimateDifference_CoversTruth compares two conditions, both answered in every record.
func TestEstimateDifference_CoversTruth(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	studies, covered := 400, 0.0
	for seed := range studies {
		r := rand.New(rand.NewPCG(6, uint64(seed)))
		first, second := Sample{IsClustered: true}, Sample{IsClustered: true}
		for record := range 400 {
			shared := r.NormFloat64()
			for side, s := range []*Sample{&first, &second} {
				label := shared + r.NormFloat64() + 0.4*float64(side)
				judgment := Judgment{label + 0.5*r.NormFloat64(), record}
				if record < 80 {
					s.Labeled = append(s.Labeled, LabeledJudgment{judgment, label, 1})
				} else {
					s.Judged = append(s.Judged, judgment)
				}
			}
		}
		if e := EstimateDifference(first, second); e.Low <= 0.4 && 0.4 <= e.High {
			covered += 1 / float64(studies)
		}
	}
	t.Logf("coverage %.1f%%", 100*covered)
	if covered < 0.915 || covered > 0.98 {
		t.Errorf("coverage %.1f%%", 100*covered)
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
		{Sample{Labeled: []LabeledJudgment{label, other}, Judged: judged}, ""},
	} {
		if got := EstimateMean(c.sample); got.Undefined != c.want || reasonText(got.Undefined) == "" && c.want != "" {
			t.Errorf("%+v: %q, want %q", c.sample, got.Undefined, c.want)
		}
	}
	constant := Sample{Labeled: []LabeledJudgment{{Judgment{3, 0}, 1, 1}, {Judgment{3, 0}, 2, 1}}, Judged: []Judgment{{3, 0}, {3, 0}}}
	if e := EstimateMean(constant); e.Lambda != 0 || e.Value != 1.5 || math.IsNaN(e.Low) {
		t.Errorf("a constant judge: %+v", e)
	}
}

// TestDrawNext_WeightsKeepEstimatesUnbiased draws items where the judge is far off more often.
// The plain mean of the drawn labels is biased; the weighted estimate is not.
func TestDrawNext_WeightsKeepEstimatesUnbiased(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 8))
	var candidates []Candidate
	labels, judgments := map[string]float64{}, map[string]float64{}
	truth := 0.0
	for i := range 500 {
		item, label := fmt.Sprintf("i%03d", i), float64(r.IntN(2))
		labels[item], judgments[item] = label, label
		candidates = append(candidates, Candidate{item, 0.1 + 2*label*r.Float64()})
		truth += label / 500
	}
	weighted, plain, studies := 0.0, 0.0, 600
	frequency := map[string]float64{}
	for seed := range studies {
		draws := DrawNext(candidates, 60, uint64(seed))
		if len(draws) != 60 {
			t.Fatalf("%d draws, want 60", len(draws))
		}
		sum, weights := 0.0, 0.0
		for _, d := range draws {
			sum, weights = sum+labels[d.Item]/d.Probability, weights+1/d.Probability
			plain += labels[d.Item] / float64(60*studies)
			frequency[d.Item] += 1 / float64(studies) / d.Probability
		}
		weighted += sum / weights / float64(studies)
	}
	t.Logf("truth %.3f, weighted %.3f, unweighted %.3f", truth, weighted, plain)
	if math.Abs(weighted-truth) > 0.015 || plain < truth+0.1 {
		t.Errorf("truth %.3f, weighted %.3f, unweighted %.3f", truth, weighted, plain)
	}
	for item, ratio := range frequency {
		if math.Abs(ratio-1) > 0.9 {
			t.Errorf("%s is drawn %.2f times as often as its probability", item, ratio)
		}
	}
}

func TestDrawNext_Edges(t *testing.T) {
	t.Parallel()
	all := []Candidate{{"a", 0}, {"b", 0}, {"c", 1000}}
	if got := DrawNext(all, 9, 1); len(got) != 3 || got[0] != (Draw{"c", 1}) || got[1] != (Draw{"a", 1}) {
		t.Errorf("all: %v", got)
	}
	if got := DrawNext(all, 0, 1); got != nil {
		t.Errorf("none: %v", got)
	}
	if got := DrawNext(all, 2, 3); len(got) != 2 || got[0].Item != "c" || got[0].Probability != 1 || math.Abs(got[1].Probability-0.5) > 1e-12 {
		t.Errorf("a certain item: %v", got)
	}
	if high, low := Gain(1, true, 0.01), Gain(0, false, 1); high != 2.99 || low != 0 {
		t.Errorf("gains %v and %v", high, low)
	}
}
