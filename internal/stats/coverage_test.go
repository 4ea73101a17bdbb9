package stats

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// slow says whether the long simulations are asked for.
func slow() bool { return os.Getenv("LABELWRIGHT_SLOW") == "1" }

// A world draws studies: each record has a latent answer and is hard or easy,
// and so, mostly, are its items.
type world struct {
	scale              Scale
	records, perRecord int
	uneven             bool // records of 1 to 2·perRecord − 1 items
	annotators         int
}

func (w world) study(r *rand.Rand, records int) []Rating {
	ratings := make([]Rating, 0, records*w.perRecord*w.annotators)
	for record := range records {
		latent, hard, items := w.draw(r), r.Float64() < 0.4, w.perRecord
		if w.uneven {
			items = 1 + r.IntN(2*w.perRecord-1)
		}
		for n := range items {
			own := latent
			if r.Float64() < 0.3 {
				own = w.draw(r)
			}
			for g := range w.annotators {
				ratings = append(ratings, Rating{
					Item: fmt.Sprintf("r%d-%d", record, n), Annotator: names[g],
					Value: w.seen(r, own, hard), Cluster: fmt.Sprint("r", record),
				})
			}
		}
	}
	return ratings
}

// draw returns an answer: 1 in three of ten on a binary scale, any on others.
func (w world) draw(r *rand.Rand) int {
	if len(w.scale) == 2 {
		return int(one(r.Float64() < 0.3))
	}
	return w.scale[r.IntN(len(w.scale))]
}

// seen is what an annotator makes of a latent answer: hard ones are half guessed.
func (w world) seen(r *rand.Rand, latent int, hard bool) int {
	switch {
	case hard && r.Float64() < 0.5:
		return w.draw(r)
	case len(w.scale) == 2 && r.Float64() < 0.1:
		return 1 - latent
	case len(w.scale) == 2:
		return latent
	}
	return 1 + slipped(r, latent-1)
}

// A sized figure is one of a study, by any of its measures or the mean answer.
type sized struct {
	name  string
	world world
	of    Measure // none: the mean answer
}

func (f sized) estimate(t *testing.T, ratings []Rating, o Options) (float64, Interval) {
	if f.of.Coefficient != "" {
		e := Estimates(tableOf(t, f.world.scale, ratings), o, f.of)[0]
		return e.Value, e.Interval
	}
	values, clusters, sum := make([]float64, len(ratings)), make([]string, len(ratings)), 0.0
	for i, r := range ratings {
		values[i], clusters[i], sum = float64(r.Value), cmp.Or(r.Cluster, r.Item), sum+float64(r.Value)
	}
	return sum / float64(len(ratings)), MeanInterval(values, clusters, "items", o)
}

// truth is the figure of a study too large to err by much.
func (f sized) truth(t *testing.T, ratings int) float64 {
	t.Helper()
	large := f.world.study(rand.New(rand.NewPCG(9, 9)), ratings/f.world.perRecord/f.world.annotators)
	value, _ := f.estimate(t, large, Options{Resamples: 1})
	return value
}

// coverage is the share of the studies of a seed whose intervals hold the truth.
func (f sized) coverage(t *testing.T, truth float64, o Options, clustered bool, seed uint64, studies int) float64 {
	var held atomic.Int64
	var wg sync.WaitGroup
	for worker := range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for s := worker; s < studies; s += runtime.GOMAXPROCS(0) {
				ratings := f.world.study(rand.New(rand.NewPCG(seed, uint64(s))), f.world.records)
				if !clustered {
					ratings = withoutClusters(ratings)
				}
				_, i := f.estimate(t, ratings, Options{Seed: seed<<32 + uint64(s), Method: o.Method, Resamples: o.Resamples, Workers: 1})
				if i.Defined() && i.Low <= truth && truth <= i.High {
					held.Add(1)
				}
			}
		})
	}
	wg.Wait()
	return float64(held.Load()) / float64(studies)
}

// TestCoverage holds the intervals to what they say, each by the method that is
// taken where none is asked for. By default it takes 100 studies, whose share
// strays by 7 points around 95 % by chance alone; with LABELWRIGHT_SLOW=1 it takes
// 500 of each of four seeds, which stray by 1 together and by 2 alone, and asks
// for 93 to 97 % of all.
func TestCoverage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("simulations are left out of short runs")
	}
	seeds, studies, resamples, ratings, low, high := []uint64{31}, 100, 200, 60_000, 0.87, 1.0
	if slow() {
		seeds, studies, resamples, ratings, low, high = []uint64{31, 32, 33, 34}, 500, 1000, 400_000, 0.93, 0.97
	}
	ordinal, binary := Range(1, 5), Range(0, 1)
	for _, f := range []sized{
		{"ordinal α over 60 items", world{ordinal, 60, 1, false, 3}, Alpha(OrdinalDistance)},
		{"linear κ over 60 items", world{ordinal, 60, 1, false, 3}, LightKappa(Linear)},
		{"binary α over 60 items", world{binary, 60, 1, false, 3}, Alpha(NominalDistance)},
		{"a rate over 60 items", world{binary, 60, 1, false, 3}, Measure{}},
		{"ordinal α over 60 records of 6 items", world{ordinal, 60, 6, false, 3}, Alpha(OrdinalDistance)},
		{"linear κ over 60 records of 6 items", world{ordinal, 60, 6, false, 3}, LightKappa(Linear)},
		{"ordinal α over 30 records of 1 to 5 items", world{ordinal, 30, 3, true, 3}, Alpha(OrdinalDistance)},
		{"ordinal α over 30 records of 2 items", world{ordinal, 30, 2, false, 3}, Alpha(OrdinalDistance)},
		{"binary α over 30 records of 2 items", world{binary, 30, 2, false, 3}, Alpha(NominalDistance)},
		{"linear AC2 over 20 records of 3 items", world{ordinal, 20, 3, false, 3}, GwetAC2(Linear)},
		{"quadratic κ over 15 records of 4 items", world{ordinal, 15, 4, false, 3}, CongerKappa(Quadratic)},
		{"ordinal α over 15 records of 4 items", world{ordinal, 15, 4, false, 3}, Alpha(OrdinalDistance)},
		{"a rate over 15 records of 4 items", world{binary, 15, 4, false, 1}, Measure{}},
		{"a mean over 60 records of 1 to 5 items", world{ordinal, 60, 3, true, 1}, Measure{}},
	} {
		truth, all := f.truth(t, ratings), 0.0
		for _, seed := range seeds {
			got := f.coverage(t, truth, Options{Resamples: resamples}, f.world.perRecord > 1, seed, studies)
			t.Logf("%s, seed %d: %.1f %% of %d intervals hold the truth", f.name, seed, 100*got, studies)
			all += got / float64(len(seeds))
		}
		if all < low || all > high {
			t.Errorf("%s: %.1f %% of %d intervals hold the truth, want %.0f to %.0f %%", f.name, 100*all, studies*len(seeds), 100*low, 100*high)
		}
	}
	naive := sized{"", world{ordinal, 60, 6, false, 3}, Alpha(OrdinalDistance)}
	got := naive.coverage(t, naive.truth(t, ratings), Options{Resamples: resamples}, false, 31, studies)
	t.Logf("60 records of 6 items, drawn item by item: %.1f %% of %d intervals hold the truth", 100*got, studies)
	if got > 0.85 {
		t.Errorf("intervals that ignore records hold the truth in %.1f %% of the studies: the test could not tell them apart", 100*got)
	}
}
