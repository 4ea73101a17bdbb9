package stats

import (
	"fmt"
	"github.com/labelwright/labelwright/internal/require"
	"math"
	"slices"
	"testing"
)

func TestConsensusRule_MajorityThenMedianThenTieRule(t *testing.T) {
	t.Parallel()
	ordered, binary := ConsensusRule{Scale: NewRangeScale(1, 5)}, ConsensusRule{Scale: NewRangeScale(0, 1)}
	for _, c := range []struct {
		name   string
		rule   ConsensusRule
		values []int
		want   string
	}{
		{"one label", ordered, []int{4}, "majority 4 []"},
		{"two of three", ordered, []int{5, 2, 5}, "majority 5 []"},
		{"half of four is no majority", ordered, []int{5, 2, 5, 3}, "tie 0 [3 5]"},
		{"three different labels", ordered, []int{5, 1, 2}, "median 2 []"},
		{"four, equal middle", ordered, []int{1, 3, 3, 5}, "median 3 []"},
		{"four, unequal middle", ordered, []int{4, 1, 2, 5}, "tie 0 [2 4]"},
		{"a middle that no annotator gave", ordered, []int{1, 5}, "tie 0 [1 5]"},
		{"neighbors", ordered, []int{3, 4}, "tie 0 [3 4]"},
		{"neighbors, lower", ordered.with(LowerValue), []int{4, 3}, "tie_rule 3 [3 4]"},
		{"neighbors, higher", ordered.with(HigherValue), []int{4, 3}, "tie_rule 4 [3 4]"},
		{"neighbors in the middle of four", ordered.with(HigherValue), []int{1, 4, 3, 5}, "tie_rule 4 [3 4]"},
		{"two points apart, lower", ordered.with(LowerValue), []int{2, 4}, "tie 0 [2 4]"},
		{"a gap in the scale is no point", ConsensusRule{Scale: NewNumericScale(1, 2, 4), Ties: LowerValue},
			[]int{2, 4}, "tie_rule 2 [2 4]"},
		{"yes and no", binary, []int{1, 0, 0, 1}, "tie 0 [0 1]"},
		{"yes and no, higher", binary.with(HigherValue), []int{1, 0}, "tie_rule 1 [0 1]"},
		{"categories, most frequent but less than half", ConsensusRule{IsNominal: true, Ties: LowerValue},
			[]int{3, 1, 2, 3}, "tie 0 [3]"},
		{"categories, tied", ConsensusRule{IsNominal: true}, []int{3, 1, 1, 3}, "tie 0 [1 3]"},
		{"no label", ordered, nil, " 0 []"},
	} {
		got := c.rule.Find(c.values)
		if text := fmt.Sprint(got.Method, " ", got.Value, " ", got.TiedValues); text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
		if len(c.values) > 0 && (got.Labels != len(c.values) ||
			got.Spread != slices.Max(c.values)-slices.Min(c.values)) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	if got := ordered.Find([]int{1, 2, 2, 4}); got.Mean != 2.25 {
		t.Errorf("the mean is %v, want 2.25", got.Mean)
	}
}

func (r ConsensusRule) with(ties TieRule) ConsensusRule {
	r.Ties = ties
	return r
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
	got, err := ComputeSelfConsistency(NewRangeScale(1, 5),
		[]RepeatedAnswer{{"x", 1, 1}, {"x", 2, 3}, {"y", 5, 3}, {"y", 4, 4}}, IntervalOptions{Resamples: 50})
	if err != nil || got.AnswerCount != 4 || got.ExactShare.Hits != 2 || got.WithinOnePoint.Hits != 3 ||
		!got.Kappa.Defined() {
		t.Errorf("%+v %v", got, err)
	}
	if !got.Kappa.Interval.IsClustered || got.Kappa.Interval.Units != 2 {
		t.Errorf("answers of one item are resampled apart: %+v", got.Kappa.Interval)
	}
	if _, err := ComputeSelfConsistency(NewRangeScale(1, 5), []RepeatedAnswer{{"x", 1, 9}},
		IntervalOptions{}); err == nil {
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
	if all := NewClusteredProportion([]ClusterHits{{5, 5}, {5, 5}}); all.Interval.Low != WilsonInterval(2, 2,
		0.95).Low {
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
			ratings = append(ratings, Rating{Item: name, Annotator: "1", Value: p[0][i]},
				Rating{Item: name, Annotator: "2", Value: p[1][i]})
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
		"unweighted": {LightKappa(Unweighted).Compute(table).Value, .8034},
		"quadratic":  {LightKappa(Quadratic).Compute(table).Value, .9005},
	} {
		if math.Abs(c[0]-c[1]) > 5e-5 || len(repeats) != 345 {
			t.Errorf("%s is %.4f over %d repeats, want %.4f over 345", name, c[0], len(repeats), c[1])
		}
	}
}
