package stats

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
)

// A studyModel simulates studies. Each record has a latent answer and is hard or easy; most
// of its items share the latent answer.
type studyModel struct {
	scale                       NumericScale
	recordCount, itemsPerRecord int
	isUneven                    bool // records of 1 to 2·itemsPerRecord − 1 items
	annotatorCount              int
}

func (w studyModel) simulate(r *rand.Rand, records int) []Rating {
	ratings := make([]Rating, 0, records*w.itemsPerRecord*w.annotatorCount)
	for record := range records {
		latent, isHard, items := w.drawAnswer(r), r.Float64() < 0.4, w.itemsPerRecord
		if w.isUneven {
			items = 1 + r.IntN(2*w.itemsPerRecord-1)
		}
		for n := range items {
			answer := latent
			if r.Float64() < 0.3 {
				answer = w.drawAnswer(r)
			}
			for g := range w.annotatorCount {
				ratings = append(ratings, Rating{
					Item: fmt.Sprintf("r%d-%d", record, n), Annotator: annotatorNames[g],
					Value: w.observe(r, answer, isHard), Cluster: fmt.Sprint("r", record),
				})
			}
		}
	}
	return ratings
}

// drawAnswer returns a random answer, on a binary scale 1 with probability 0.3.
func (w studyModel) drawAnswer(r *rand.Rand) int {
	if len(w.scale) == 2 {
		return int(boolToFloat(r.Float64() < 0.3))
	}
	return w.scale[r.IntN(len(w.scale))]
}

// observe returns an annotator's answer to a latent one; half of the hard ones are guesses.
func (w studyModel) observe(r *rand.Rand, latent int, isHard bool) int {
	switch {
	case isHard && r.Float64() < 0.5:
		return w.drawAnswer(r)
	case len(w.scale) == 2 && r.Float64() < 0.1:
		return 1 - latent
	case len(w.scale) == 2:
		return latent
	}
	return 1 + perturb(r, latent-1)
}

// A coverageCase is a figure of a study: a measure or the mean answer.
type coverageCase struct {
	name    string
	model   studyModel
	measure Measure // zero: the mean answer
}

func (f coverageCase) computeEstimate(t *testing.T, ratings []Rating, o IntervalOptions) (float64, Interval) {
	if f.measure.Coefficient != "" {
		e := ComputeEstimates(newTable(t, f.model.scale, ratings), o, f.measure)[0]
		return e.Value, e.Interval
	}
	values, clusters, sum := make([]float64, len(ratings)), make([]string, len(ratings)), 0.0
	for i, r := range ratings {
		values[i], clusters[i], sum = float64(r.Value), cmp.Or(r.Cluster, r.Item), sum+float64(r.Value)
	}
	return sum / float64(len(ratings)), MeanInterval(values, clusters, "items", o)
}

// trueValue returns the figure of a very large study.
func (f coverageCase) trueValue(t *testing.T, ratings int) float64 {
	t.Helper()
	large := f.model.simulate(rand.New(rand.NewPCG(9, 9)), ratings/f.model.itemsPerRecord/f.model.annotatorCount)
	value, _ := f.computeEstimate(t, large, IntervalOptions{Resamples: 1})
	return value
}

// measureCoverage returns the share of the studies of a seed whose intervals contain the truth.
func (f coverageCase) measureCoverage(t *testing.T, truth float64, o IntervalOptions, isClustered bool, seed uint64,
	studies int) float64 {
	var containing atomic.Int64
	var wg sync.WaitGroup
	for worker := range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for s := worker; s < studies; s += runtime.GOMAXPROCS(0) {
				ratings := f.model.simulate(rand.New(rand.NewPCG(seed, uint64(s))), f.model.recordCount)
				if !isClustered {
					ratings = removeClusters(ratings)
				}
				_, i := f.computeEstimate(t, ratings, IntervalOptions{Seed: seed<<32 + uint64(s), Method: o.Method,
					Resamples: o.Resamples, Workers: 1})
				if i.Defined() && i.Low <= truth && truth <= i.High {
					containing.Add(1)
				}
			}
		})
	}
	wg.Wait()
	return float64(containing.Load()) / float64(studies)
}

// TestInterval_CoversTruth checks the coverage of 95% intervals with the default method in 500 studies for each of four
// seeds.
func TestInterval_CoversTruth(t *testing.T) {
	t.Parallel()
	requireFullSize(t)
	seeds, studies, resamples, ratings, low, high := []uint64{31, 32, 33, 34}, 500, 1000, 400_000, 0.93, 0.97
	ordinal, binary := NewRangeScale(1, 5), NewRangeScale(0, 1)
	for _, f := range []coverageCase{
		{"ordinal α over 60 items", studyModel{ordinal, 60, 1, false, 3}, Alpha(OrdinalDistance)},
		{"linear κ over 60 items", studyModel{ordinal, 60, 1, false, 3}, LightKappa(Linear)},
		{"binary α over 60 items", studyModel{binary, 60, 1, false, 3}, Alpha(NominalDistance)},
		{"rate over 60 items", studyModel{binary, 60, 1, false, 3}, Measure{}},
		{"ordinal α over 60 records of 6 items", studyModel{ordinal, 60, 6, false, 3}, Alpha(OrdinalDistance)},
		{"linear κ over 60 records of 6 items", studyModel{ordinal, 60, 6, false, 3}, LightKappa(Linear)},
		{"ordinal α over 30 records of 1 to 5 items", studyModel{ordinal, 30, 3, true, 3}, Alpha(OrdinalDistance)},
		{"ordinal α over 30 records of 2 items", studyModel{ordinal, 30, 2, false, 3}, Alpha(OrdinalDistance)},
		{"binary α over 30 records of 2 items", studyModel{binary, 30, 2, false, 3}, Alpha(NominalDistance)},
		{"linear AC2 over 20 records of 3 items", studyModel{ordinal, 20, 3, false, 3}, GwetAC2(Linear)},
		{"quadratic κ over 15 records of 4 items", studyModel{ordinal, 15, 4, false, 3}, CongerKappa(Quadratic)},
		{"ordinal α over 15 records of 4 items", studyModel{ordinal, 15, 4, false, 3}, Alpha(OrdinalDistance)},
		{"rate over 15 records of 4 items", studyModel{binary, 15, 4, false, 1}, Measure{}},
		{"mean over 60 records of 1 to 5 items", studyModel{ordinal, 60, 3, true, 1}, Measure{}},
		{"mean over 10 records of 4 items", studyModel{ordinal, MinIntervalUnits, 4, false, 1}, Measure{}},
		{"mean over 10 items", studyModel{ordinal, MinIntervalUnits, 1, false, 1}, Measure{}},
	} {
		truth, coverage := f.trueValue(t, ratings), 0.0
		for _, seed := range seeds {
			got := f.measureCoverage(t, truth, IntervalOptions{Resamples: resamples}, f.model.itemsPerRecord > 1, seed,
				studies)
			t.Logf("%s, seed %d: %.1f%% of %d intervals contain the truth", f.name, seed, 100*got, studies)
			coverage += got / float64(len(seeds))
		}
		if coverage < low || coverage > high {
			t.Errorf("%s: %.1f%% of %d intervals contain the truth, want %.0f to %.0f%%", f.name, 100*coverage,
				studies*len(seeds), 100*low, 100*high)
		}
	}
	naive := coverageCase{"", studyModel{ordinal, 60, 6, false, 3}, Alpha(OrdinalDistance)}
	got := naive.measureCoverage(t, naive.trueValue(t, ratings), IntervalOptions{Resamples: resamples}, false, 31,
		studies)
	t.Logf("60 records of 6 items, resampled by item: %.1f%% of %d intervals contain the truth", 100*got, studies)
	if got > 0.85 {
		t.Errorf(
			"intervals that ignore records contain the truth in %.1f%% of the studies, so the test could not detect them", 100*got)
	}
}

// TestMeanInterval_FewUnits_Undefined checks that fewer items or clusters give no interval, however
// many values they have.
func TestMeanInterval_FewUnits_Undefined(t *testing.T) {
	t.Parallel()
	var values []float64
	var clusters []string
	for i := range 12 * (MinIntervalUnits - 1) {
		values, clusters = append(values, float64(i%5)), append(clusters, strconv.Itoa(i%(MinIntervalUnits-1)))
	}
	for _, c := range []struct {
		values   []float64
		clusters []string
		want     string
	}{
		{values, nil, ""},
		{values, clusters, "an interval needs at least 10 clusters of items"},
		{values[:MinIntervalUnits], nil, ""},
		{values[:MinIntervalUnits-1], nil, "an interval needs at least 10 items"},
	} {
		if i := MeanInterval(c.values, c.clusters, "items", IntervalOptions{}); i.Undefined.Text() != c.want {
			t.Errorf("%d values, clusters %t: %q, want %q", len(c.values), c.clusters != nil, i.Undefined.Text(),
				c.want)
		}
	}
}

// TestInterval_FewItems_CoversTruth checks percent and specific agreement and AC over few items, and
// that a bootstrap would not do.
func TestInterval_FewItems_CoversTruth(t *testing.T) {
	t.Parallel()
	studies, ratings, low, high := 100, 50_000, 0.88, 1.0
	if require.FullSize() {
		studies, ratings, low, high = 2000, 200_000, 0.925, 0.995
	}
	ordinal, binary := NewRangeScale(1, 5), NewRangeScale(0, 1)
	table := newTable(t, ordinal, []Rating{{Item: "i", Annotator: "a", Value: 1}})
	for _, f := range []coverageCase{
		{"percent agreement over 20 items", studyModel{binary, 20, 1, false, 2}, PercentAgreement()},
		{"specific agreement on 2 over 20 items", studyModel{ordinal, 20, 1, false, 3}, table.SpecificAgreement(1)},
		{"specific agreement on 3 over 50 items", studyModel{ordinal, 50, 1, false, 3}, table.SpecificAgreement(2)},
		{"AC1 over 20 items", studyModel{binary, 20, 1, false, 2}, GwetAC1()},
	} {
		truth := f.trueValue(t, ratings)
		got := f.measureCoverage(t, truth, IntervalOptions{}, false, 41, studies)
		bootstrap := f.measureCoverage(t, truth, IntervalOptions{Method: Percentile, Resamples: 300}, false, 41,
			studies)
		t.Logf("%s: %.1f%% of %d intervals contain the truth, %.1f%% by a bootstrap", f.name, 100*got, studies,
			100*bootstrap)
		if got < low || got > high {
			t.Errorf("%s: %.1f%% of %d intervals contain the truth, want %.1f to %.1f%%", f.name, 100*got, studies,
				100*low, 100*high)
		}
		if bootstrap > 0.93 {
			t.Errorf("%s: %.1f%% of the bootstrap's intervals contain the truth, so the test could not detect them",
				f.name, 100*bootstrap)
		}
	}
}

// requireFullSize skips a test that simulates studies unless LABELWRIGHT_SLOW=1.
func requireFullSize(t *testing.T) {
	t.Helper()
	if !require.FullSize() {
		t.Skip("This test simulates studies and runs only with LABELWRIGHT_SLOW=1.")
	}
}
