package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// newMostlySingleTable returns 10,000 records of two items, of which every 500th has labels of two of three annotators.
func newMostlySingleTable(t *testing.T, r *rand.Rand) RatingTable {
	t.Helper()
	var ratings []Rating
	for i := range 20_000 {
		latent, labels := r.IntN(5), 1
		if i/2%500 == 0 {
			labels = 2
		}
		for _, g := range r.Perm(3)[:labels] {
			ratings = append(ratings, Rating{Item: fmt.Sprintf("i%06d", i), Annotator: annotatorNames[g],
				Value: 1 + perturb(r, latent), Cluster: fmt.Sprintf("r%06d", i/2)})
		}
	}
	return newTable(t, NewRangeScale(1, 5), ratings)
}

// TestJackknife_FewSharedRecordsOfMany_SampleIsExact leaves out a sample of 10,000 records, and all
// of them.
func TestJackknife_FewSharedRecordsOfMany_SampleIsExact(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		table := newMostlySingleTable(t, rand.New(rand.NewPCG(43, seed)))
		s := measureStatistic{newAgreementSums(table, true, false).addAll(), []Measure{CongerKappa(Linear)}}
		u := newSamplingUnits(s.patterns.patternOf, table.clusterOf, len(s.patterns.itemCounts), table.clusterCount)
		u.single = s.patterns.single()
		var errors []float64
		for _, maxUnits := range []int{u.count(), maxJackknifeUnits} {
			v := leftOutValues{estimates: make([]resampleValue, 1)}
			s.evaluate(v.estimates)
			v.values, v.weights = u.jackknife(s, 1, maxUnits)
			fit, undefined := fitJackknife(v, v, nil, 0, u.countShared(), logShape)
			if undefined != "" {
				t.Fatal(undefined)
			}
			errors = append(errors, fit.standardError)
		}
		if u.count() != 10_000 || u.countShared() != 20 || math.Abs(errors[1]/errors[0]-1) > 0.01 {
			t.Errorf("seed %d: %d of %d records are shared; the sample's standard error is %g, that of all %g", seed,
				u.countShared(), u.count(), errors[1], errors[0])
		}
	}
}

func TestJackknife_TooLittleData_NoInterval(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		rows [2][]int
		want ReasonCode
	}{
		{"nine items", [2][]int{{1, 2, 3, 1, 2, 3, 1, 2, 3}, {1, 2, 3, 1, 2, 2, 1, 2, 2}}, TooFewUnits},
		{"full agreement", [2][]int{{1, 2, 3, 1, 2, 3, 1, 2, 3, 1}, {1, 2, 3, 1, 2, 3, 1, 2, 3, 1}}, ""},
		{"one disagreement", [2][]int{{1, 2, 3, 1, 2, 3, 1, 2, 3, 1}, {1, 2, 3, 1, 2, 3, 1, 2, 3, 2}}, ""},
		{"equal disagreements", [2][]int{{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2}}, ""},
		{"two disagreements", [2][]int{{1, 2, 3, 1, 2, 3, 1, 2, 3, 1}, {1, 2, 3, 1, 2, 3, 1, 2, 2, 2}}, ""},
	} {
		e := ComputeEstimates(newGridTable(t, NewRangeScale(1, 3), c.rows[0], c.rows[1]), IntervalOptions{},
			CongerKappa(Linear))[0]
		if e.Interval.Undefined.Code != c.want {
			t.Errorf("%s: %q, want %q", c.name, e.Interval.Undefined.Code, c.want)
		}
		if _, ok := e.Interval.ProbabilityAtLeast(e.Value); ok != (c.want == "") {
			t.Errorf("%s: P(κ ≥ estimate) is known: %t", c.name, ok)
		}
		if p, _ := e.Interval.ProbabilityAtLeast(e.Interval.Low); e.Interval.Defined() && math.Abs(p-0.975) > 1e-9 &&
			e.Interval.Low > -1 && e.Interval.Low < e.Value {
			t.Errorf("%s: the probability to reach the lower end is %v", c.name, p)
		}
		if i := e.Interval; i.Defined() && !(-1 <= i.Low && i.Low <= e.Value && e.Value <= i.High && i.High <= 1) {
			t.Errorf("%s: κ is %v, with the interval %v to %v", c.name, e.Value, i.Low, i.High)
		}
	}
}

func TestSpecificAgreement_PositiveAndNegative(t *testing.T) {
	t.Parallel()
	table := newGridTable(t, NewRangeScale(0, 2), []int{1, 1, 0, 0, 0, 0}, []int{1, 0, 1, 0, 0, 0})
	for category, want := range map[int]float64{0: 6.0 / 8, 1: 2.0 / 4} {
		if got := table.SpecificAgreement(category).Compute(table); !got.Defined() || math.Abs(got.Value-want) > 1e-12 {
			t.Errorf("agreement on %d is %v, want %v", category, got.Value, want)
		}
	}
	if got := table.SpecificAgreement(2).Compute(table); got.Undefined.Code != UnusedValue {
		t.Errorf("agreement on a value without answers: %+v", got)
	}
}

// TestShareInterval_FewSharedItemsOfMany_IsNeverNaN has so many items that the jackknife could take
// a sample.
func TestShareInterval_FewSharedItemsOfMany_IsNeverNaN(t *testing.T) {
	t.Parallel()
	for shared, want := range map[int]ReasonCode{1: TooFewUnits, 60: ""} {
		var ratings []Rating
		for i := range 10_000 {
			name := fmt.Sprintf("i%05d", i)
			ratings = append(ratings, Rating{Item: name, Annotator: "a", Value: i % 2})
			if i < 5*shared && i%5 == 0 {
				ratings = append(ratings, Rating{Item: name, Annotator: "b",
					Value: i % 2 * int(boolToFloat(i%15 == 0))})
			}
		}
		table := newTable(t, NewRangeScale(0, 1), ratings)
		for _, e := range ComputeEstimates(table, IntervalOptions{},
			append(table.SpecificAgreements(), PercentAgreement())...) {
			if i := e.Interval; e.Defined() && (i.Undefined.Code != want || math.IsNaN(i.Low+i.High)) {
				t.Errorf("%d shared items, %s: %v to %v, %q, want %q", shared, e.Coefficient, i.Low, i.High,
					i.Undefined.Code, want)
			}
		}
	}
}
