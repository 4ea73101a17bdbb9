package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

var annotatorNames = []string{"ada", "bea", "cem", "dov", "eva", "fay", "gus", "hal", "ida", "jon"}

// simulateStudy simulates annotators who see the latent answer 1 to 5 of each item, with
// occasional errors of one point. Most items of a record have one latent answer.
func simulateStudy(r *rand.Rand, records, perRecord, annotators int) []Rating {
	var ratings []Rating
	for record := range records {
		shared := r.IntN(5)
		for n := range perRecord {
			latent := shared
			if r.Float64() < 0.15 {
				latent = r.IntN(5)
			}
			for g := range annotators {
				ratings = append(ratings, Rating{
					Item: fmt.Sprintf("r%05d-%d", record, n), Annotator: fmt.Sprintf("a%02d", g),
					Value: 1 + perturb(r, latent), Cluster: fmt.Sprintf("r%05d", record),
				})
			}
		}
	}
	return ratings
}

func perturb(r *rand.Rand, latent int) int {
	switch p := r.Float64(); {
	case p < 0.2:
		return max(0, latent-1)
	case p < 0.4:
		return min(4, latent+1)
	}
	return latent
}

func removeClusters(ratings []Rating) []Rating {
	unclustered := slices.Clone(ratings)
	for i := range unclustered {
		unclustered[i].Cluster = ""
	}
	return unclustered
}

func TestInterval_IgnoresWorkers(t *testing.T) {
	t.Parallel()
	ratings := simulateStudy(rand.New(rand.NewPCG(1, 1)), 20, 3, 3)
	for _, method := range []IntervalMethod{Percentile, BCa} {
		for _, ratings := range [][]Rating{ratings, removeClusters(ratings)} {
			table := newTable(t, NewRangeScale(1, 5), ratings)
			single := ComputeEstimates(table, IntervalOptions{Resamples: 200, Seed: 5, Workers: 1, Method: method},
				everyMeasure()...)
			parallel := ComputeEstimates(table, IntervalOptions{Resamples: 200, Seed: 5, Workers: 7, Method: method},
				everyMeasure()...)
			if !slices.Equal(single, parallel) {
				t.Errorf("%s: one worker gives %v, seven give %v", method, single, parallel)
			}
			otherSeed := ComputeEstimates(table, IntervalOptions{Resamples: 200, Seed: 6, Method: method},
				everyMeasure()...)
			if otherSeed[0].Interval == parallel[0].Interval {
				t.Errorf("%s: another seed gives the same interval", method)
			}
		}
	}
}

// TestResample_Patterns_MatchItems compares each figure from sums over patterns with the
// figure of a table that holds copies of the drawn items.
func TestResample_Patterns_MatchItems(t *testing.T) {
	t.Parallel()
	for _, ratings := range [][]Rating{simulateStudy(rand.New(rand.NewPCG(2, 2)), 15, 2, 3)} {
		table := newTable(t, NewRangeScale(1, 5), ratings)
		for _, byAnnotator := range []bool{false, true} {
			s := newAgreementSums(table, byAnnotator, byAnnotator)
			u := newSamplingUnits(s.patterns.patternOf, table.clusterOf, len(s.patterns.itemCounts), table.clusterCount)
			times := make([]float64, u.patternCount)
			u.drawSample(newResampleRand(3, 4), times)
			rebuilt := newTable(t, NewRangeScale(1, 5), resampleRatings(table, newResampleRand(3, 4)))
			for _, m := range everyMeasure() {
				if m.needsAnnotators != byAnnotator {
					continue
				}
				got := make([]resampleValue, 1)
				evaluateResample(measureStatistic{s, []Measure{m}}, times, got)
				if want := m.Compute(rebuilt); math.Abs(got[0].value-want.Value) > 1e-12 {
					t.Errorf("%s %s: %v from patterns, %v from items", m.Coefficient, m.Variant, got[0].value,
						want.Value)
				}
			}
		}
	}
}

// resampleRatings draws the same clusters of t as drawSample, and copies their ratings.
func resampleRatings(t RatingTable, r *rand.Rand) []Rating {
	var ratings []Rating
	for draw := range t.clusterCount {
		drawnCluster := int32(r.Uint32N(uint32(t.clusterCount)))
		for i, cluster := range t.clusterOf {
			if cluster != drawnCluster {
				continue
			}
			annotators, categories := t.row(i)
			for j, g := range annotators {
				ratings = append(ratings, Rating{Item: fmt.Sprint(draw, t.items[i]), Annotator: t.annotators[g],
					Value: t.Scale[categories[j]]})
			}
		}
	}
	return ratings
}

func TestInterval_StatesUnits(t *testing.T) {
	t.Parallel()
	ratings := simulateStudy(rand.New(rand.NewPCG(1, 1)), 40, 2, 2)
	for _, c := range []struct {
		table RatingTable
		want  Interval
	}{
		{newTable(t, NewRangeScale(1, 5), ratings), Interval{Units: 40, IsClustered: true}},
		{newTable(t, NewRangeScale(1, 5), removeClusters(ratings)), Interval{Units: 80}},
		{newGridTable(t, NewRangeScale(0, 1), slices.Concat([]int{0}, slices.Repeat([]int{1}, 9)),
			slices.Repeat([]int{1}, 10)), Interval{Units: 10, ConstantResamples: 34}},
		{newGridTable(t, NewRangeScale(1, 3), slices.Concat([]int{1, 2}, slices.Repeat([]int{3}, 10)),
			slices.Concat([]int{2, 2}, slices.Repeat([]int{missingRating}, 10))), Interval{Units: 2, IsShared: true,
			Undefined: Reason{Code: TooFewUnits, Min: MinIntervalUnits}}},
	} {
		got := ComputeEstimates(c.table, IntervalOptions{Resamples: 100, Seed: 1}, Alpha(OrdinalDistance))[0].Interval
		if got.Units != c.want.Units || got.IsClustered != c.want.IsClustered || got.IsShared != c.want.IsShared ||
			got.ConstantResamples != c.want.ConstantResamples || got.Undefined != c.want.Undefined {
			t.Errorf("got  %+v\nwant %+v", got, c.want)
		}
	}
}

// TestBCa_MatchesEfronTibshirani uses the spatial test data of An Introduction to the
// Bootstrap (1993), table 14.1. The 90% intervals of the variance of the 26 values A are
// 100.8 to 233.9 (percentiles) and 115.8 to 259.6 (BCa).
func TestBCa_MatchesEfronTibshirani(t *testing.T) {
	t.Parallel()
	a := []float64{48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41}
	variance := func(weights []float64) (float64, bool) {
		mean, _ := weightedMean(a, weights)
		squares := make([]float64, len(a))
		for i, v := range a {
			squares[i] = (v - mean) * (v - mean)
		}
		return weightedMean(squares, weights)
	}
	for method, want := range map[IntervalMethod][2]float64{Percentile: {100.8, 233.9}, BCa: {115.8, 259.6}} {
		got := BootstrapInterval(len(a), IntervalOptions{Resamples: 20000, Seed: 1, Level: 0.9,
			Method: method}, variance)
		// the published intervals come from 2,000 resamples
		if math.Abs(got.Low-want[0]) > 4 || math.Abs(got.High-want[1]) > 5 {
			t.Errorf("%s: %.1f to %.1f, want %.1f to %.1f", method, got.Low, got.High, want[0], want[1])
		}
	}
}

// TestWilsonInterval_MatchesNewcombe uses the 95% intervals of Newcombe (1998), Statistics
// in Medicine 17, table I, method 3.
func TestWilsonInterval_MatchesNewcombe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		hits, n   int
		low, high float64
	}{{81, 263, .2553, .3662}, {15, 148, .0624, .1605}, {0, 20, 0, .1611}, {1, 29, .0061, .1718}, {29, 29, .8830, 1}} {
		got := WilsonInterval(c.hits, c.n, 0.95)
		if math.Abs(got.Low-c.low) > 5e-5 || math.Abs(got.High-c.high) > 5e-5 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", c.hits, c.n, got.Low, got.High, c.low, c.high)
		}
	}
	if got := WilsonInterval(0, 0, 0.95); got.Undefined.Code != NothingToCount {
		t.Errorf("0 of 0: %+v", got)
	}
}

// TestMeanInterval_FewUnits_Undefined checks that fewer items or clusters give no interval, however
// many values they have.
func TestMeanInterval_FewUnits_Undefined(t *testing.T) {
	t.Parallel()
	var values []float64
	var clusters []string
	tooFew := Reason{Code: TooFewUnits, Min: MinIntervalUnits}
	for i := range 12 * (MinIntervalUnits - 1) {
		values, clusters = append(values, float64(i%5)), append(clusters, strconv.Itoa(i%(MinIntervalUnits-1)))
	}
	for _, c := range []struct {
		values   []float64
		clusters []string
		want     Reason
	}{
		{values, nil, Reason{}},
		{values, clusters, tooFew},
		{values[:MinIntervalUnits], nil, Reason{}},
		{values[:MinIntervalUnits-1], nil, tooFew},
	} {
		if i := MeanInterval(c.values, c.clusters, IntervalOptions{}); i.Undefined != c.want {
			t.Errorf("%d values, clusters %t: %+v, want %+v", len(c.values), c.clusters != nil, i.Undefined, c.want)
		}
	}
}
