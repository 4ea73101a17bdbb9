package report_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/require"
)

// A lenientHalfStudy is a study of two systems with one label per item, in which one half of the annotators is more lenient
// and labels most items of one system.
type lenientHalfStudy struct {
	protocol   string
	annotators int
	share      float64 // of the items of a system that go to its half
	leniency   float64
	difference float64
}

func (s lenientHalfStudy) conclude(t *testing.T, seed uint64) report.Conclusion {
	t.Helper()
	d, r := newDataBuilder(t, s.protocol), rand.New(rand.NewPCG(5, seed))
	d.Protocol.Fields = d.Protocol.Fields[:1]
	for i := range 100 {
		system := i % 2
		id := d.addItem(func(item *study.ItemData) { item.Meta = map[string]string{"system": []string{"base", "new"}[system]} })
		half := system
		if r.Float64() > s.share {
			half = 1 - system
		}
		value := 3 + s.difference*float64(system) + s.leniency*float64(half) + 0.8*r.NormFloat64()
		answer := min(5, max(1, int(value+0.5)))
		if s.protocol == "rag-generation" {
			answer = boolToInt(value > 3.5)
		}
		d.addLabel(id, fmt.Sprintf("a%02d", half*s.annotators/2+r.IntN(s.annotators/2)), study.Work, answer)
	}
	b, err := report.Build(d.Data, report.BuildOptions{Resamples: 200, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return b.Breakdown.Groups[1].Fields[0].Difference.Conclusion
}

// TestComparison_LenientHalf_IsNoDifference checks that the leniency of annotators who have most items of one system is not
// taken for a difference, and that a difference is found.
func TestComparison_LenientHalf_IsNoDifference(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	studies := 30
	if require.FullSize() {
		studies = 1000
	}
	for _, protocol := range []string{"empathy", "rag-generation"} {
		for _, annotators := range []int{2, 4, 10} {
			for _, share := range []float64{0.8, 0.6} {
				claims := map[float64]int{}
				for _, difference := range []float64{0, 0.8} {
					for seed := range uint64(studies) {
						c := lenientHalfStudy{protocol, annotators, share, 0.5, difference}.conclude(t, seed)
						claims[difference] += boolToInt(c == report.Higher || c == report.Lower)
					}
				}
				t.Logf("%s, %d annotators, %.0f%%: %d claims without a difference, %d with one, of %d studies", protocol, annotators, 100*share, claims[0], claims[0.8], studies)
				if 100*claims[0] > 5*studies && claims[0] > 6 || 100*claims[0.8] < 50*studies {
					t.Errorf("%s, %d annotators, %.0f%%: %d claims without a difference, %d with one, of %d studies", protocol, annotators, 100*share, claims[0], claims[0.8], studies)
				}
			}
		}
	}
}
