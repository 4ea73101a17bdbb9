package stats

import (
	"fmt"
	"github.com/labelwright/labelwright/internal/require"
	"math"
	"slices"
	"testing"
)

func TestConsensusRule_MajorityThenMedian(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		values  []int
		ordered bool
		want    ItemConsensus
	}{
		{"single answer", []int{4}, true, ItemConsensus{Method: SingleAnswer, Value: 4, AnswerCount: 1}},
		{"all equal", []int{0, 0}, false, ItemConsensus{Method: Unanimous, AnswerCount: 2}},
		{"two of three", []int{5, 2, 5}, true, ItemConsensus{Method: Majority, Value: 5, AnswerCount: 3}},
		{"three ordered answers", []int{5, 1, 2}, true, ItemConsensus{Method: MedianAnswer, Value: 2, AnswerCount: 3}},
		{"four ordered answers, equal middle", []int{1, 3, 3, 5}, true, ItemConsensus{Method: MedianAnswer, Value: 3, AnswerCount: 4}},
		{"four ordered answers, unequal middle", []int{4, 1, 2, 5}, true, ItemConsensus{Method: Tie, TiedValues: []int{2, 4}, AnswerCount: 4}},
		{"two ordered answers", []int{4, 2}, true, ItemConsensus{Method: Tie, TiedValues: []int{2, 4}, AnswerCount: 2}},
		{"binary tie", []int{1, 0, 0, 1}, false, ItemConsensus{Method: Tie, TiedValues: []int{0, 1}, AnswerCount: 4}},
		{"most frequent, less than half", []int{3, 1, 2, 3}, false, ItemConsensus{Method: Plurality, Value: 3, AnswerCount: 4}},
		{"no answer", nil, true, ItemConsensus{Method: Tie}},
	} {
		if got := (ConsensusRule{Ordered: c.ordered}).Find(c.values); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
	got := newGridTable(t, NewRangeScale(1, 5), []int{1, 4}, []int{1, 2}).ConsensusByItem(ConsensusRule{Ordered: true})
	if len(got) != 2 || got[0].Item != "item000" || got[0].Method != Unanimous || got[1].Method != Tie {
		t.Errorf("by item: %+v", got)
	}
}

func TestDisagreements_LargestFirst(t *testing.T) {
	t.Parallel()
	table := newGridTable(t, NewRangeScale(1, 5),
		[]int{3, 1, 2, 1, 4},
		[]int{3, 5, 3, 1, 5},
		[]int{3, 5, 2, missingRating, 3})
	var got []string
	for _, d := range table.Disagreements() {
		got = append(got, fmt.Sprintf("%s %.3f %d", d.Item, d.MeanDistance, d.MaxDistance))
	}
	want := []string{"item001 0.667 4", "item004 0.333 2", "item002 0.167 1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if a := table.Disagreements()[0].Answers; !slices.Equal(a, []AnnotatorAnswer{{"A", 1}, {"B", 5}, {"C", 5}}) {
		t.Errorf("the answers are %v", a)
	}
}

func TestConfusionMatrix_FirstInRows(t *testing.T) {
	t.Parallel()
	table := newGridTable(t, NewRangeScale(0, 1), []int{1, 1, 0, 1}, []int{0, 0, 0, missingRating})
	if got := table.ConfusionMatrix("A", "B"); fmt.Sprint(got.Counts, got.Items) != "[[1 0] [2 0]] 3" {
		t.Errorf("A, B: %v", got)
	}
	if got := table.ConfusionMatrix("B", "A"); fmt.Sprint(got.Counts, got.Items) != "[[1 2] [0 0]] 3" {
		t.Errorf("B, A: %v", got)
	}
}

func TestSelfConsistency(t *testing.T) {
	t.Parallel()
	got, err := ComputeSelfConsistency(NewRangeScale(1, 5), []RepeatedAnswer{{"x", 1, 1}, {"x", 2, 3}, {"y", 5, 3}, {"y", 4, 4}}, IntervalOptions{Resamples: 50})
	if err != nil || got.AnswerCount != 4 || got.ExactShare.Hits != 2 || got.WithinOnePoint.Hits != 3 || !got.Kappa.Defined() {
		t.Errorf("%+v %v", got, err)
	}
	if got.Kappa.Interval.UnitName != "clusters" || got.Kappa.Interval.Units != 2 {
		t.Errorf("answers of one item are resampled apart: %+v", got.Kappa.Interval)
	}
	if _, err := ComputeSelfConsistency(NewRangeScale(1, 5), []RepeatedAnswer{{"x", 1, 9}}, IntervalOptions{}); err == nil {
		t.Error("a value off the scale is accepted")
	}
	empty, err := ComputeSelfConsistency(NewRangeScale(1, 5), nil, IntervalOptions{})
	if err != nil || empty.Kappa.Defined() || empty.ExactShare.Interval.Defined() {
		t.Errorf("no repeats: %+v %v", empty, err)
	}
}

func TestClusteredProportion_WidensInterval(t *testing.T) {
	t.Parallel()
	alike, mixed := []ClusterHits{{5, 5}, {0, 5}, {5, 5}, {0, 5}}, []ClusterHits{{3, 5}, {2, 5}, {2, 5}, {3, 5}}
	width := func(s Proportion) float64 { return s.Interval.High - s.Interval.Low }
	independent := NewProportion(10, 20)
	if a := NewClusteredProportion(alike); a.Value() != 0.5 || width(a) < 1.5*width(independent) {
		t.Errorf("alike: %+v", a)
	}
	if m := NewClusteredProportion(mixed); math.Abs(width(m)-width(independent)) > 1e-12 {
		t.Errorf("mixed: %+v", m)
	}
	if all := NewClusteredProportion([]ClusterHits{{5, 5}, {5, 5}}); all.Interval.Low != WilsonInterval(2, 2, 0.95).Low {
		t.Errorf("all equal: %+v", all)
	}
}

func TestSelfConsistency_RealData(t *testing.T) {
	t.Parallel()
	passes := map[string][2][]int{}
	for _, r := range readRecords(t, require.SharedData(t, "agreement", "convabuse_intra.csv")) {
		key, p := r["item"]+"|"+r["annotator"], passes[r["item"]+"|"+r["annotator"]]
		n := int(parseNumber(t, r["pass"])) - 1
		if n > 1 {
			continue // the published figures compare the first two
		}
		p[n] = append(p[n], int(parseNumber(t, r["value"])))
		passes[key] = p
	}
	var ratings []Rating
	var repeats []RepeatedAnswer
	for key, p := range passes {
		for i := range p[0] {
			repeats = append(repeats, RepeatedAnswer{First: p[0][i], Second: p[1][i]})
			name := fmt.Sprint(key, i)
			ratings = append(ratings, Rating{Item: name, Annotator: "1", Value: p[0][i]}, Rating{Item: name, Annotator: "2", Value: p[1][i]})
		}
	}
	scale := NewRangeScale(-3, 1)
	got, err := ComputeSelfConsistency(scale, repeats, IntervalOptions{Resamples: 200})
	if err != nil {
		t.Fatal(err)
	}
	table := newTable(t, scale, ratings)
	for name, c := range map[string][2]float64{
		"equal": {got.ExactShare.Value(), .9217}, "linear": {got.Kappa.Value, .8677},
		"unweighted": {LightKappa(Unweighted).Compute(table).Value, .8034}, "quadratic": {LightKappa(Quadratic).Compute(table).Value, .9005},
	} {
		if math.Abs(c[0]-c[1]) > 5e-5 || len(repeats) != 345 {
			t.Errorf("%s is %.4f over %d repeats, want %.4f over 345", name, c[0], len(repeats), c[1])
		}
	}
}
