package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// study simulates annotators who see a latent answer 1 to 5 of each item and
// miss it by one step now and then; items of a record share most of theirs.
func study(r *rand.Rand, records, perRecord, annotators int) []Rating {
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
					Value: 1 + slipped(r, latent), Cluster: fmt.Sprintf("r%05d", record),
				})
			}
		}
	}
	return ratings
}

func slipped(r *rand.Rand, latent int) int {
	switch p := r.Float64(); {
	case p < 0.2:
		return max(0, latent-1)
	case p < 0.4:
		return min(4, latent+1)
	}
	return latent
}

func withoutClusters(ratings []Rating) []Rating {
	plain := slices.Clone(ratings)
	for i := range plain {
		plain[i].Cluster = ""
	}
	return plain
}

func TestIntervalsDoNotDependOnTheNumberOfWorkers(t *testing.T) {
	t.Parallel()
	ratings := study(rand.New(rand.NewPCG(1, 1)), 20, 3, 3)
	for _, method := range []Method{Percentile, BCa} {
		for _, ratings := range [][]Rating{ratings, withoutClusters(ratings)} {
			table := tableOf(t, Range(1, 5), ratings)
			alone := Estimates(table, Options{Resamples: 200, Seed: 5, Workers: 1, Method: method}, every()...)
			many := Estimates(table, Options{Resamples: 200, Seed: 5, Workers: 7, Method: method}, every()...)
			if !slices.Equal(alone, many) {
				t.Errorf("%s: one worker gives %v, seven give %v", method, alone, many)
			}
			other := Estimates(table, Options{Resamples: 200, Seed: 6, Method: method}, every()...)
			if other[0].Interval == many[0].Interval {
				t.Errorf("%s: another seed gives the same interval", method)
			}
		}
	}
}

// TestResamplesOfKindsAreResamplesOfItems draws items, copies them into a table
// and computes each figure anew: sums over kinds must give the same.
func TestResamplesOfKindsAreResamplesOfItems(t *testing.T) {
	t.Parallel()
	for _, ratings := range [][]Rating{study(rand.New(rand.NewPCG(2, 2)), 15, 2, 3)} {
		table := tableOf(t, Range(1, 5), ratings)
		for _, byAnnotator := range []bool{false, true} {
			s := sumsOf(table, byAnnotator, byAnnotator)
			u := unitsOf(s.kinds.of, table.cluster, len(s.kinds.weight), table.clusters)
			times := make([]float64, u.kinds)
			u.draw(stream(3, 4), times)
			rebuilt := tableOf(t, Range(1, 5), drawAgain(table, stream(3, 4)))
			for _, m := range every() {
				if m.byAnnotator != byAnnotator {
					continue
				}
				got := make([]drawn, 1)
				evaluate(measured{s, []Measure{m}}, times, got)
				if want := m.Of(rebuilt); math.Abs(got[0].value-want.Value) > 1e-12 {
					t.Errorf("%s %s: %v from kinds, %v from items", m.Coefficient, m.Variant, got[0].value, want.Value)
				}
			}
		}
	}
}

// drawAgain draws clusters of t as units.draw does, item by item.
func drawAgain(t Table, r *rand.Rand) []Rating {
	var ratings []Rating
	for draw := range t.clusters {
		c := int32(r.Uint32N(uint32(t.clusters)))
		for i, in := range t.cluster {
			if in != c {
				continue
			}
			who, cat := t.row(i)
			for j, g := range who {
				ratings = append(ratings, Rating{Item: fmt.Sprint(draw, t.items[i]), Annotator: t.annotators[g], Value: t.Scale[cat[j]]})
			}
		}
	}
	return ratings
}

func TestAnIntervalThatCannotBeGivenIsAReason(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		table Table
		want  string
	}{
		{"one item", grid(t, Range(0, 1), []int{1}, []int{0}), "fewer than two items: nothing can be drawn anew"},
		{"always the same", grid(t, Range(0, 1), []int{1, 0, 1}, []int{1, 0, 1}), "every resample gives the same figure, so how sure it is cannot be said"},
		{"no overlap", grid(t, Range(0, 1), []int{1, none}, []int{none, 1}), "no item was judged by two annotators: there is nothing to compare"},
	} {
		got := Estimates(c.table, Options{Resamples: 50}, PercentAgreement())[0].Interval
		if got.Undefined != c.want || got.Low != 0 || got.High != 0 || got.Covers() != c.want {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestAnIntervalSaysWhatItCovers(t *testing.T) {
	t.Parallel()
	ratings := study(rand.New(rand.NewPCG(1, 1)), 40, 2, 2)
	for want, table := range map[string]Table{
		"covers the draw of 40 clusters; not the choice of annotators":                                                 tableOf(t, Range(1, 5), ratings),
		"covers the draw of 80 items; not the choice of annotators":                                                    tableOf(t, Range(1, 5), withoutClusters(ratings)),
		"covers the draw of 20 items; not the choice of annotators; with fewer than 30 items it is rough":              tableOf(t, Range(1, 5), withoutClusters(ratings)[:40]),
		"covers the draw of 3 items; not the choice of annotators; with fewer than 30 items it is rough; 44 of 93 res": grid(t, Range(0, 1), []int{1, 1, 0}, []int{1, 1, 1}, []int{none, none, 1}),
	} {
		got := Estimates(table, Options{Resamples: 100, Seed: 1}, Alpha(OrdinalDistance))[0].Interval.Covers()
		if !strings.HasPrefix(got, want[:min(len(want), 90)]) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestBCaFollowsEfronAndTibshirani takes the spatial test data of An Introduction
// to the Bootstrap (1993), table 14.1: for the variance of the 26 values A the
// 90 % intervals are 100.8 to 233.9 by percentiles and 115.8 to 259.6 by BCa.
func TestBCaFollowsEfronAndTibshirani(t *testing.T) {
	t.Parallel()
	a := []float64{48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41}
	variance := func(times []float64) (float64, bool) {
		mean, _ := weightedMean(a, times)
		squares := make([]float64, len(a))
		for i, v := range a {
			squares[i] = (v - mean) * (v - mean)
		}
		return weightedMean(squares, times)
	}
	for method, want := range map[Method][2]float64{Percentile: {100.8, 233.9}, BCa: {115.8, 259.6}} {
		got := IntervalOf(len(a), nil, "values", Options{Resamples: 20000, Seed: 1, Level: 0.9, Method: method}, variance)
		if math.Abs(got.Low-want[0]) > 4 || math.Abs(got.High-want[1]) > 5 { // theirs are of 2,000 resamples
			t.Errorf("%s: %.1f to %.1f, want %.1f to %.1f", method, got.Low, got.High, want[0], want[1])
		}
	}
}

// TestWilsonFollowsNewcombe takes the 95 % intervals of Newcombe (1998),
// Statistics in Medicine 17, table I, method 3.
func TestWilsonFollowsNewcombe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		hits, n   int
		low, high float64
	}{{81, 263, .2553, .3662}, {15, 148, .0624, .1605}, {0, 20, 0, .1611}, {1, 29, .0061, .1718}, {29, 29, .8830, 1}} {
		got := Wilson(c.hits, c.n, 0.95)
		if math.Abs(got.Low-c.low) > 5e-5 || math.Abs(got.High-c.high) > 5e-5 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", c.hits, c.n, got.Low, got.High, c.low, c.high)
		}
	}
	if got := Wilson(0, 0, 0.95); got.Undefined == "" {
		t.Errorf("a share of nothing is %+v", got)
	}
}
