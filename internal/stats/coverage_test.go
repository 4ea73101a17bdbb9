package stats

import (
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
	records, perRecord, annotators int
}

func (w world) study(r *rand.Rand, records int) []Rating {
	ratings := make([]Rating, 0, records*w.perRecord*w.annotators)
	for record := range records {
		latent, hard := r.IntN(5), r.Float64() < 0.4
		for n := range w.perRecord {
			own := latent
			if r.Float64() < 0.3 {
				own = r.IntN(5)
			}
			for g := range w.annotators {
				ratings = append(ratings, Rating{
					Item: fmt.Sprintf("r%d-%d", record, n), Annotator: names[g],
					Value: 1 + seen(r, own, hard), Cluster: fmt.Sprint("r", record),
				})
			}
		}
	}
	return ratings
}

// seen is what an annotator makes of a latent answer: hard ones are half guessed.
func seen(r *rand.Rand, latent int, hard bool) int {
	if hard && r.Float64() < 0.5 {
		return r.IntN(5)
	}
	return slipped(r, latent)
}

// truth is the figure of a study too large to err by much.
func (w world) truth(t *testing.T, m Measure, ratings int) float64 {
	t.Helper()
	return m.Of(tableOf(t, Range(1, 5), w.study(rand.New(rand.NewPCG(9, 9)), ratings/w.perRecord/w.annotators))).Value
}

// coverage is the share of the studies whose intervals hold the truth.
func (w world) coverage(m Measure, truth float64, o Options, clustered bool, studies int) float64 {
	var held atomic.Int64
	var wg sync.WaitGroup
	for worker := range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for s := worker; s < studies; s += runtime.GOMAXPROCS(0) {
				ratings := w.study(rand.New(rand.NewPCG(31, uint64(s))), w.records)
				if !clustered {
					ratings = withoutClusters(ratings)
				}
				table, _ := NewTable(Range(1, 5), ratings)
				i := Estimates(table, Options{Seed: uint64(s), Method: o.Method, Resamples: o.Resamples, Workers: 1}, m)[0].Interval
				if i.Defined() && i.Low <= truth && truth <= i.High {
					held.Add(1)
				}
			}
		})
	}
	wg.Wait()
	return float64(held.Load()) / float64(studies)
}

// TestCoverage holds the intervals to what they say. By default it takes 100
// studies, whose share strays by 7 points around 95 % by chance alone; with
// LABELWRIGHT_SLOW=1 it takes 2,000, which stray by 1, and asks for 93 to 97 %.
func TestCoverage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("simulations are left out of short runs")
	}
	studies, resamples, ratings, low, high := 100, 200, 60_000, 0.87, 1.0
	if slow() {
		studies, resamples, ratings, low, high = 2000, 1000, 400_000, 0.93, 0.97
	}
	alone := world{records: 80, perRecord: 1, annotators: 3}
	records := world{records: 60, perRecord: 6, annotators: 3}
	for _, c := range []struct {
		name      string
		world     world
		measure   Measure
		clustered bool
	}{
		{"ordinal α over 80 items", alone, Alpha(OrdinalDistance), false},
		{"linear κ over 80 items", alone, CongerKappa(Linear), false},
		{"ordinal α over 60 records of 6 items", records, Alpha(OrdinalDistance), true},
		{"linear κ over 60 records of 6 items", records, LightKappa(Linear), true},
	} {
		truth := c.world.truth(t, c.measure, ratings)
		for _, method := range []Method{Percentile, BCa} {
			got := c.world.coverage(c.measure, truth, Options{Method: method, Resamples: resamples}, c.clustered, studies)
			t.Logf("%s, %s: %.1f %% of %d intervals hold the truth", c.name, method, 100*got, studies)
			if got < low || got > high {
				t.Errorf("%s, %s: %.1f %% of %d intervals hold the truth, want %.0f to %.0f %%", c.name, method, 100*got, studies, 100*low, 100*high)
			}
		}
	}
	naive := records.coverage(Alpha(OrdinalDistance), records.truth(t, Alpha(OrdinalDistance), ratings), Options{Resamples: resamples}, false, studies)
	t.Logf("60 records of 6 items, drawn item by item: %.1f %% of %d intervals hold the truth", 100*naive, studies)
	if naive > 0.85 {
		t.Errorf("intervals that ignore records hold the truth in %.1f %% of the studies: the test could not tell them apart", 100*naive)
	}
}
