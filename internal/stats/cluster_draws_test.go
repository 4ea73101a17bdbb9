package stats

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Resamples from the counts of clusters are those from their items, to the last bit.
func TestClusterDraws_SameResamples(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for annotators, isCounted := range map[int]bool{2: true, 3: true, 9: false} { // nine rarely give the same answers
		var ratings []Rating
		for i := range 600 {
			for a := range annotators {
				ratings = append(ratings, Rating{Item: fmt.Sprint(i), Annotator: fmt.Sprint(a),
					Value: min(random.IntN(3)*random.IntN(3), 3), Cluster: fmt.Sprint(i * i % 12)})
			}
		}
		table, err := NewRatingTable(NewRangeScale(0, 3), ratings)
		if err != nil {
			t.Fatal(err)
		}
		sums := newAgreementSums(table, true, true).addAll()
		s := measureStatistic{sums, []Measure{LightKappa(Linear), CongerKappa(Quadratic), Alpha(IntervalDistance)}}
		u := newSamplingUnits(sums.patterns.patternOf, table.clusterOf, len(sums.patterns.itemCounts),
			table.clusterCount)
		d, ok := newClusterDraws(u)
		if ok != isCounted {
			t.Fatalf("%d annotators: counted is %t", annotators, ok)
		}
		if !ok {
			continue
		}
		o := IntervalOptions{Resamples: 100, Seed: 7}.WithDefaults()
		want := o.bootstrap(u, unitGroups{}, len(s.measures), s.newEmpty)
		got := o.bootstrap(d.samplingUnits, unitGroups{}, len(s.measures),
			func() statistic { return d.newStatistic(s.newEmpty()) })
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(resampleValue{})); diff != "" {
			t.Errorf("%d annotators (-items +counts):\n%s", annotators, diff)
		}
	}
}
