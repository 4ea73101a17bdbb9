package stats

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
)

// newLargeDataset returns 100,000 items, each labeled by ten annotators on 1..5.
func newLargeDataset() []Rating {
	r := rand.New(rand.NewPCG(11, 12))
	ratings := make([]Rating, 0, 1_000_000)
	for i := range 100_000 {
		item, latent := fmt.Sprintf("item%06d", i), r.IntN(5)
		for g := range 10 {
			ratings = append(ratings, Rating{Item: item, Annotator: annotatorNames[g], Value: 1 + perturb(r, latent)})
		}
	}
	return ratings
}

var annotatorNames = []string{"ada", "bea", "cem", "dov", "eva", "fay", "gus", "hal", "ida", "jon"}

func BenchmarkAlpha_100kItems(b *testing.B) {
	table, err := NewRatingTable(NewRangeScale(1, 5), newLargeDataset())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		Alpha(OrdinalDistance).Compute(table)
	}
}

func BenchmarkAlpha_1000Resamples(b *testing.B) {
	table, err := NewRatingTable(NewRangeScale(1, 5), newLargeDataset())
	if err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	peak := require.WatchHeap()
	b.ReportAllocs()
	for b.Loop() {
		ComputeEstimates(table, IntervalOptions{Seed: 1}, Alpha(NominalDistance), Alpha(OrdinalDistance),
			Alpha(IntervalDistance))
	}
	b.ReportMetric(float64(peak())/(1<<20), "peak-MiB")
}

func BenchmarkPairKappa_1000Resamples(b *testing.B) {
	table, err := NewRatingTable(NewRangeScale(1, 5), newLargeDataset()[:200_000])
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		ComputeEstimates(table, IntervalOptions{Seed: 1}, LightKappa(Linear), CongerKappa(Linear))
	}
}
