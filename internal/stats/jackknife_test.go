package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// kappaDesign is a study whose κ is known from a very large one.
type kappaDesign struct {
	name                    string
	scale                   NumericScale
	items, perRecord        int
	annotators, perItem     int
	errorRate, shareOfFirst float64 // of the lowest value, on a binary scale; 0: equal
	sharedEvery             int     // one of so many records has perItem labels on each item, the others one; 0: all
}

var kappaDesigns = []kappaDesign{
	{"20 items × 2, 0–2", NewRangeScale(0, 2), 20, 1, 2, 2, 0.2, 0, 0},
	{"60 items × 2, binary 12%", NewRangeScale(0, 1), 60, 1, 2, 2, 0.06, 0.88, 0},
	{"50 items × 3, 1–5", NewRangeScale(1, 5), 50, 1, 3, 3, 0.3, 0, 0},
	{"150 items × 2", NewRangeScale(1, 5), 150, 1, 2, 2, 0.3, 0, 0},
	{"120 items, 8 annotators, 2 labels", NewRangeScale(1, 5), 120, 1, 8, 2, 0.3, 0, 0},
	{"15 records of 4 items", NewRangeScale(1, 5), 60, 4, 3, 3, 0.3, 0, 0},
	{"30 records of 3 items", NewRangeScale(1, 5), 90, 3, 3, 3, 0.3, 0, 0},
	{"60 records of 3 items", NewRangeScale(1, 5), 180, 3, 3, 3, 0.3, 0, 0},
}

// rareDesigns are studies in which few items have the rarer value, or in which nearly all answers agree.
var rareDesigns = []kappaDesign{
	{"40 items × 2, binary 10%", NewRangeScale(0, 1), 40, 1, 2, 2, 0.06, 0.9, 0},
	{"40 items × 2, binary 10%, many errors", NewRangeScale(0, 1), 40, 1, 2, 2, 0.15, 0.9, 0},
	{"40 items × 3, binary 10%", NewRangeScale(0, 1), 40, 1, 3, 3, 0.06, 0.9, 0},
	{"80 items × 3, binary 5%", NewRangeScale(0, 1), 80, 1, 3, 3, 0.06, 0.95, 0},
	{"150 items × 2, binary 5%", NewRangeScale(0, 1), 150, 1, 2, 2, 0.03, 0.95, 0},
	{"120 items, 8 annotators, 2 labels, binary 10%", NewRangeScale(0, 1), 120, 1, 8, 2, 0.06, 0.9, 0},
	{"20 records of 3 items × 2, binary 10%", NewRangeScale(0, 1), 60, 3, 2, 2, 0.06, 0.9, 0},
	{"40 records of 10 items × 2, binary 5%", NewRangeScale(0, 1), 400, 10, 2, 2, 0.06, 0.95, 0},
	{"30 items × 2, few errors", NewRangeScale(0, 1), 30, 1, 2, 2, 0.02, 0.5, 0},
	{"12 records of 3 items × 2, few errors", NewRangeScale(0, 1), 36, 3, 2, 2, 0.05, 0.5, 0},
}

// sparseDesigns are studies most of whose items have one label.
var sparseDesigns = []kappaDesign{
	{"20 of 400 items × 2", NewRangeScale(1, 5), 400, 1, 3, 2, 0.3, 0, 20},
	{"30 of 3,000 items × 2", NewRangeScale(1, 5), 3000, 1, 3, 2, 0.3, 0, 100},
	{"30 of 3,000 records of 2 items", NewRangeScale(1, 5), 6000, 2, 3, 2, 0.3, 0, 100},
}

func (d kappaDesign) simulate(t *testing.T, r *rand.Rand, items int) RatingTable {
	var ratings []Rating
	shared, isHard := 0, false
	for i := range items {
		if i%d.perRecord == 0 {
			shared, isHard = d.drawCategory(r), r.Float64() < 0.4
		}
		category := shared
		if d.perRecord > 1 && r.Float64() < 0.4 {
			category = d.drawCategory(r)
		}
		labels := d.perItem
		if d.sharedEvery > 0 && i/d.perRecord%d.sharedEvery > 0 {
			labels = 1
		}
		for _, g := range r.Perm(d.annotators)[:labels] {
			rating := Rating{Item: fmt.Sprintf("i%06d", i), Annotator: annotatorNames[g],
				Value: d.scale[d.observe(r, category, isHard)]}
			if d.perRecord > 1 {
				rating.Cluster = fmt.Sprintf("r%06d", i/d.perRecord)
			}
			ratings = append(ratings, rating)
		}
	}
	return newTable(t, d.scale, ratings)
}

func (d kappaDesign) drawCategory(r *rand.Rand) int {
	switch {
	case d.shareOfFirst == 0:
		return r.IntN(len(d.scale))
	case r.Float64() < d.shareOfFirst:
		return 0
	}
	return 1
}

// observe returns an annotator's answer, wrong more often on hard items.
func (d kappaDesign) observe(r *rand.Rand, category int, isHard bool) int {
	rate := d.errorRate / 2
	if isHard {
		rate = d.errorRate * 7 / 4
	}
	switch last := len(d.scale) - 1; {
	case r.Float64() >= rate:
		return category
	case category == 0:
		return 1
	case category == last:
		return last - 1
	}
	return category - 1 + 2*r.IntN(2)
}

// countCovered returns the studies with an interval, and those whose interval contains truth;
// bias is the mean difference of the unbiased estimates from truth.
func (d kappaDesign) countCovered(t *testing.T, m Measure, truth float64, studies int) (covered, defined int,
	bias float64) {
	var containing, withInterval atomic.Int64
	var wg sync.WaitGroup
	differences := make([]float64, studies)
	for worker := range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for s := worker; s < studies; s += runtime.GOMAXPROCS(0) {
				e := ComputeEstimates(d.simulate(t, rand.New(rand.NewPCG(41, uint64(s))), d.items),
					IntervalOptions{Workers: 1}, m)[0]
				differences[s] = e.Value - truth
				if value, ok := e.Unbiased(); ok {
					differences[s] = value - truth
				}
				if e.Interval.Defined() {
					withInterval.Add(1)
					if e.Interval.Low <= truth && truth <= e.Interval.High {
						containing.Add(1)
					}
				}
			}
		})
	}
	wg.Wait()
	for _, v := range differences {
		bias += v / float64(studies)
	}
	return int(containing.Load()), int(withInterval.Load()), bias
}

// TestJackknife_CoversTruth checks the coverage of the intervals of Conger's κ. Over few shared items of many,
// intervals are wider than they need to be.
func TestJackknife_CoversTruth(t *testing.T) {
	t.Parallel()
	requireFullSize(t)
	studies, low, high, large, designs := 4000, 0.93, 0.97, 300_000, append(kappaDesigns, sparseDesigns...)
	for _, d := range designs {
		for _, m := range []Measure{CongerKappa(Unweighted), CongerKappa(Linear), SharedKappa(Linear)} {
			w, population := m.Coefficient+" "+m.Variant, d
			population.sharedEvery = 0
			truth := m.Compute(population.simulate(t, rand.New(rand.NewPCG(40, 40)), large)).Value
			covered, defined, bias := d.countCovered(t, m, truth, studies)
			coverage := float64(covered) / float64(defined)
			t.Logf("%s, %s: κ %.3f, bias %+.3f, coverage %.1f%%, no interval in %.1f%%", d.name, w, truth, bias,
				100*coverage, 100-100*float64(defined)/float64(studies))
			if math.Abs(bias) > 0.01 {
				t.Errorf("%s, %s: bias %+.3f", d.name, w, bias)
			}
			if highest := max(high, map[bool]float64{true: 0.99}[d.sharedEvery > 0]); coverage < low ||
				coverage > highest {
				t.Errorf("%s, %s: %.1f%% of the intervals contain κ", d.name, w, 100*coverage)
			}
		}
	}
}

// TestJackknife_RareValue_CoversTruth checks the intervals of verdicts where few items decide κ. All studies have an
// interval unless all answers are equal.
func TestJackknife_RareValue_CoversTruth(t *testing.T) {
	t.Parallel()
	requireFullSize(t)
	studies, low, high, large := 4000, 0.91, 0.985, 300_000 // least where two of 40 records have the rarer value
	m := SharedKappa(Linear)
	for _, d := range rareDesigns {
		truth := m.Compute(d.simulate(t, rand.New(rand.NewPCG(40, 40)), large)).Value
		covered, defined, bias := d.countCovered(t, m, truth, studies)
		coverage := float64(covered) / float64(defined)
		t.Logf("%s: κ %.3f, bias %+.3f, coverage %.1f%%, no interval in %.1f%%", d.name, truth, bias, 100*coverage,
			100-100*float64(defined)/float64(studies))
		if coverage < low || coverage > high || float64(defined) < 0.98*float64(studies) {
			t.Errorf("%s: %.1f%% of %d intervals contain κ", d.name, 100*coverage, defined)
		}
	}
}

// TestJackknife_FewSharedRecordsOfMany_SampleIsExact leaves out a sample of 10,000 records, and all
// of them.
func TestJackknife_FewSharedRecordsOfMany_SampleIsExact(t *testing.T) {
	t.Parallel()
	d, m := kappaDesign{"", NewRangeScale(1, 5), 20_000, 2, 3, 2, 0.3, 0, 500}, CongerKappa(Linear)
	for seed := range uint64(5) {
		table := d.simulate(t, rand.New(rand.NewPCG(43, seed)), d.items)
		s := measureStatistic{newAgreementSums(table, true, false).addAll(), []Measure{m}}
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

// TestProbabilityAtLeast_IsCalibrated simulates studies of each design: the probability that κ is on
// one side of its true value reaches 0.9 in about 10% of them, above as well as below, and in fewer
// where the items are few or one value is rare.
func TestProbabilityAtLeast_IsCalibrated(t *testing.T) {
	t.Parallel()
	requireFullSize(t)
	studies, low, high, large := 4000, 0.03, 0.12, 300_000
	for _, d := range kappaDesigns {
		m := CongerKappa(Linear)
		truth := m.Compute(d.simulate(t, rand.New(rand.NewPCG(40, 40)), large)).Value
		above, below := 0, 0
		for s := range studies {
			e := ComputeEstimates(d.simulate(t, rand.New(rand.NewPCG(42, uint64(s))), d.items),
				IntervalOptions{Workers: 1}, m)[0]
			if p, ok := e.Interval.ProbabilityAtLeast(truth); ok {
				above, below = above+int(boolToFloat(p >= 0.9)), below+int(boolToFloat(p <= 0.1))
			}
		}
		shareAbove, shareBelow := float64(above)/float64(studies), float64(below)/float64(studies)
		t.Logf("%s: κ %.3f, taken to be higher in %.1f%%, lower in %.1f%%", d.name, truth, 100*shareAbove,
			100*shareBelow)
		if max(shareAbove, shareBelow) > high || min(shareAbove, shareBelow) < low {
			t.Errorf("%s: κ is taken to be higher in %.1f%%, lower in %.1f%% of the studies", d.name, 100*shareAbove,
				100*shareBelow)
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
