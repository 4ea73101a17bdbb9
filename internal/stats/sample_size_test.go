package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestSimulateBatch_MatchesKappa(t *testing.T) {
	t.Parallel()
	for _, w := range weightings {
		e := BatchAssumptions{Scale: NewRangeScale(1, 5), Weighting: w, Kappa: 0.5, Shares: []float64{1, 2, 4, 2, 1},
			Annotators: 4}
		table := newTable(t, e.Scale, e.simulateBatch(rand.New(rand.NewPCG(1, 2)), 20_000, 3))
		if got := CongerKappa(w).Compute(table); math.Abs(got.Value-0.5) > 0.015 {
			t.Errorf("%s: κ is %.3f, want 0.5", w, got.Value)
		}
	}
}

func TestPlanSampleSizes_KeepWidth(t *testing.T) {
	t.Parallel()
	e := BatchAssumptions{Scale: NewRangeScale(1, 5), Weighting: Linear, Kappa: 0.5, Annotators: 5}
	plans, err := e.PlanSampleSizes(0.2, 3, IntervalOptions{Seed: 1})
	if err != nil || len(plans) != 2 {
		t.Fatal(plans, err)
	}
	for _, p := range plans {
		if p.Width > 0.22 || p.Width < 0.18 || p.Ratings != p.Items*p.Overlap {
			t.Errorf("%+v", p)
		}
	}
	if plans[1].Items >= plans[0].Items {
		t.Errorf("more overlap does not need fewer items: %+v", plans)
	}
	quarter, err := e.PredictWidth(plans[0].Items/4, 2, IntervalOptions{Seed: 1})
	if err != nil || math.Abs(quarter.Width/plans[0].Width-2) > 0.3 {
		t.Errorf("a quarter of the items gives %.2f times the width (%v)", quarter.Width/plans[0].Width, err)
	}
}

// The extrapolated width of a large batch matches a full simulation.
func TestPredictWidth_LargeBatch(t *testing.T) {
	t.Parallel()
	e := BatchAssumptions{Scale: NewRangeScale(1, 5), Weighting: Linear, Kappa: 0.5, Annotators: 5}
	planned, err := e.PredictWidth(2000, 3, IntervalOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	simulated, runs := 0.0, 12.0
	for n := range uint64(runs) {
		table := newTable(t, e.Scale, e.simulateBatch(rand.New(rand.NewPCG(6, n)), 2000, 3))
		i := ComputeEstimates(table, IntervalOptions{Seed: n, Resamples: 500}, CongerKappa(Linear))[0].Interval
		simulated += (i.High - i.Low) / runs
	}
	if math.Abs(planned.Width/simulated-1) > 0.06 {
		t.Errorf("planned %.4f, simulated %.4f", planned.Width, simulated)
	}
}

func TestSampleSizePlan_Invalid(t *testing.T) {
	t.Parallel()
	e := BatchAssumptions{Scale: NewRangeScale(1, 5), Weighting: Linear, Kappa: 0.5, Annotators: 2}
	skewed, certain := e, BatchAssumptions{Scale: NewRangeScale(0, 1), Kappa: 1.5}
	skewed.Shares = []float64{0, 1, -1, 1, 1}
	predict := func(e BatchAssumptions, items, overlap int) error {
		_, err := e.PredictWidth(items, overlap, IntervalOptions{})
		return err
	}
	plan := func(width float64) error {
		_, err := e.PlanSampleSizes(width, 2, IntervalOptions{})
		return err
	}
	for want, err := range map[string]error{
		"the overlap is 3, but there are 2 annotators":                         predict(e, 10, 3),
		"the overlap is 1; agreement needs two annotators for each item":       predict(e, 10, 1),
		"the width 0 is out of range; choose one between 0 and 2":              plan(0),
		"an interval of width 0.001 needs more than 200000 items":              plan(0.001),
		"the expected κ is 1.5; it must be between 0 and 1":                    predict(certain, 9, 2),
		"the shares are [0 1 -1 1 1]; each must be 0 or more, and one above 0": predict(skewed, 50, 2),
		"9 items with an overlap of 2 are too few to predict the width":        predict(e, 9, 2),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestBlandAltman_MatchesLancet uses the peak flow readings of Bland & Altman (1986): mean
// difference 2.1 l/min, standard deviation 38.8, interval of the mean −17.8 to 22.0 (with
// the opposite sign there).
func TestBlandAltman_MatchesLancet(t *testing.T) {
	t.Parallel()
	large := []float64{494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427}
	mini := []float64{512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451}
	b := AnalyzeBlandAltman(large, mini)
	for name, c := range map[string][2]float64{
		"bias": {b.Bias, 2.1}, "standard deviation": {b.SD, 38.8}, "low of the bias": {b.BiasInterval.Low, -17.8},
		"high of the bias": {b.BiasInterval.High, 22.0},
		"lower limit":      {b.LowerLimit, 2.1 - 1.96*38.8}, "upper limit": {b.UpperLimit, 2.1 + 1.96*38.8},
	} {
		if math.Abs(c[0]-c[1]) > 0.11 {
			t.Errorf("%s is %.2f, want %.2f", name, c[0], c[1])
		}
	}
	if got := AnalyzeBlandAltman([]float64{1}, []float64{2}); got.Undefined.Code != TooFewItems ||
		got.BiasInterval.Defined() {
		t.Errorf("one item: %+v", got)
	}
}
