package stats

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func TestAnswersSettleByMajorityThenMedian(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		values  []int
		ordered bool
		want    Consensus
	}{
		{"one answer is named as such", []int{4}, true, Consensus{How: Single, Value: 4, Answers: 1}},
		{"all equal", []int{0, 0}, false, Consensus{How: Unanimous, Answers: 2}},
		{"two of three", []int{5, 2, 5}, true, Consensus{How: Majority, Value: 5, Answers: 3}},
		{"three ordered answers have a middle one", []int{5, 1, 2}, true, Consensus{How: Median, Value: 2, Answers: 3}},
		{"four ordered answers with equal middles", []int{1, 3, 3, 5}, true, Consensus{How: Median, Value: 3, Answers: 4}},
		{"four ordered answers with unequal middles", []int{4, 1, 2, 5}, true, Consensus{How: Tied, Between: []int{2, 4}, Answers: 4}},
		{"two ordered answers have no middle that anybody gave", []int{4, 2}, true, Consensus{How: Tied, Between: []int{2, 4}, Answers: 2}},
		{"a binary tie", []int{1, 0, 0, 1}, false, Consensus{How: Tied, Between: []int{0, 1}, Answers: 4}},
		{"most, though not half", []int{3, 1, 2, 3}, false, Consensus{How: Plurality, Value: 3, Answers: 4}},
		{"no answer", nil, true, Consensus{How: Tied}},
	} {
		if got := Settle(c.values, c.ordered); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
	got := grid(t, Range(1, 5), []int{1, 4}, []int{1, 2}).Consensuses(true)
	if len(got) != 2 || got[0].Item != "item000" || got[0].How != Unanimous || got[1].How != Tied {
		t.Errorf("by item: %+v", got)
	}
}

func TestDisagreementsComeWorstFirstByTheScale(t *testing.T) {
	t.Parallel()
	table := grid(t, Range(1, 5),
		[]int{3, 1, 2, 1, 4},
		[]int{3, 5, 3, 1, 5},
		[]int{3, 5, 2, none, 3})
	var got []string
	for _, d := range table.Disagreements() {
		got = append(got, fmt.Sprintf("%s %.3f %d", d.Item, d.Apart, d.Widest))
	}
	want := []string{"item001 0.667 4", "item004 0.333 2", "item002 0.167 1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if a := table.Disagreements()[0].Answers; !slices.Equal(a, []Answer{{"A", 1}, {"B", 5}, {"C", 5}}) {
		t.Errorf("the answers are %v", a)
	}
}

func TestAConfusionHasTheFirstInItsRows(t *testing.T) {
	t.Parallel()
	table := grid(t, Range(0, 1), []int{1, 1, 0, 1}, []int{0, 0, 0, none})
	if got := table.Confusion("A", "B"); fmt.Sprint(got.Counts, got.Items) != "[[1 0] [2 0]] 3" {
		t.Errorf("A, B: %v", got)
	}
	if got := table.Confusion("B", "A"); fmt.Sprint(got.Counts, got.Items) != "[[1 2] [0 0]] 3" {
		t.Errorf("B, A: %v", got)
	}
}

func TestSelfAgreement(t *testing.T) {
	t.Parallel()
	got, err := SelfAgreementOf(Range(1, 5), []Repeat{{"x", 1, 1}, {"x", 2, 3}, {"y", 5, 3}, {"y", 4, 4}}, Options{Resamples: 50})
	if err != nil || got.N != 4 || got.Exact.Hits != 2 || got.Within.Hits != 3 || !got.Kappa.Defined() {
		t.Errorf("%+v %v", got, err)
	}
	if got.Kappa.Interval.Of != "clusters" || got.Kappa.Interval.Units != 2 {
		t.Errorf("answers of one item are drawn apart: %+v", got.Kappa.Interval)
	}
	if _, err := SelfAgreementOf(Range(1, 5), []Repeat{{"x", 1, 9}}, Options{}); err == nil {
		t.Error("a value off the scale was taken")
	}
	none, err := SelfAgreementOf(Range(1, 5), nil, Options{})
	if err != nil || none.Kappa.Defined() || none.Exact.Interval.Defined() {
		t.Errorf("no repeats: %+v %v", none, err)
	}
}

func TestSharesOfAlikeAnswersAreLessSure(t *testing.T) {
	t.Parallel()
	alike, mixed := []Part{{5, 5}, {0, 5}, {5, 5}, {0, 5}}, []Part{{3, 5}, {2, 5}, {2, 5}, {3, 5}}
	width := func(s Share) float64 { return s.Interval.High - s.Interval.Low }
	independent := ShareOf(10, 20)
	if a := ShareOfParts(alike); a.Value() != 0.5 || width(a) < 1.5*width(independent) {
		t.Errorf("alike: %+v", a)
	}
	if m := ShareOfParts(mixed); math.Abs(width(m)-width(independent)) > 1e-12 {
		t.Errorf("mixed: %+v", m)
	}
	if all := ShareOfParts([]Part{{5, 5}, {5, 5}}); all.Interval.Low != Wilson(2, 2, 0.95).Low {
		t.Errorf("all equal: %+v", all)
	}
}

func TestSelfAgreementOfRealRepeats(t *testing.T) {
	t.Parallel()
	passes := map[string][2][]int{}
	for _, r := range records(t, shared(t, "agreement", "convabuse_intra.csv")) {
		key, p := r["item"]+"|"+r["annotator"], passes[r["item"]+"|"+r["annotator"]]
		n := int(number(t, r["pass"])) - 1
		if n > 1 {
			continue // a third time is not what the figures are of
		}
		p[n] = append(p[n], int(number(t, r["value"])))
		passes[key] = p
	}
	var ratings []Rating
	var repeats []Repeat
	for key, p := range passes {
		for i := range p[0] {
			repeats = append(repeats, Repeat{First: p[0][i], Again: p[1][i]})
			name := fmt.Sprint(key, i)
			ratings = append(ratings, Rating{Item: name, Annotator: "1", Value: p[0][i]}, Rating{Item: name, Annotator: "2", Value: p[1][i]})
		}
	}
	scale := Range(-3, 1)
	got, err := SelfAgreementOf(scale, repeats, Options{Resamples: 200})
	if err != nil {
		t.Fatal(err)
	}
	table := tableOf(t, scale, ratings)
	for name, c := range map[string][2]float64{
		"equal": {got.Exact.Value(), .9217}, "linear": {got.Kappa.Value, .8677},
		"unweighted": {LightKappa(Unweighted).Of(table).Value, .8034}, "quadratic": {LightKappa(Quadratic).Of(table).Value, .9005},
	} {
		if math.Abs(c[0]-c[1]) > 5e-5 || len(repeats) != 345 {
			t.Errorf("%s is %.4f over %d repeats, want %.4f over 345", name, c[0], len(repeats), c[1])
		}
	}
}
