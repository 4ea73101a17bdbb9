package agreement

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// simulate returns the agreement on one field of 120 items with two labels each, of which a share is random.
func simulate(t *testing.T, seed uint64, random float64) Field {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	scale := protocol.Scale{{Value: 1}, {Value: 2}, {Value: 3}, {Value: 4}, {Value: 5}}
	d := study.Data{Protocol: protocol.Protocol{Fields: []protocol.Field{{Key: "tone", Title: "Tone", Scale: scale}}}}
	for i := range 120 {
		id, truth := project.ItemID(i+1), 1+r.IntN(5)
		d.Items = append(d.Items, study.ItemData{ID: id, SourceID: fmt.Sprint(i)})
		for a := range 2 {
			value := truth
			if r.Float64() < random {
				value = 1 + r.IntN(5)
			}
			d.Labels = append(d.Labels, study.Label{ID: int64(2*i + a + 1), ItemID: id, Annotator: fmt.Sprint("a",
				(i+a)%4), Kind: study.Work, Values: map[string]int{"tone": value}})
		}
	}
	s, err := study.New(d, stats.IntervalOptions{Resamples: 50, Seed: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	fields, err := ComputeVerdicts(s)
	if err != nil {
		t.Fatal(err)
	}
	return fields[0]
}

// TestVerdict_Simulated_IsRight has κ = (1 − random)², which is the chance that both labels are the truth.
func TestVerdict_Simulated_IsRight(t *testing.T) {
	t.Parallel()
	for random, want := range map[float64]Verdict{0.1: Meets, 0.8: BelowTarget} {
		for seed := range uint64(10) {
			if f := simulate(t, seed, random); f.Verdict != want || f.MoreItems != nil {
				t.Errorf("%g random, seed %d: %s, κ %s", random, seed, f.Verdict, f.Kappa.Text())
			}
		}
	}
	for seed := range uint64(20) {
		f := simulate(t, seed, 0.37)
		if p := *f.MeetsProbability; (f.Verdict == Open) != (p > 0.1 && p < 0.9) {
			t.Errorf("seed %d: %s with a probability of %g", seed, f.Verdict, p)
		}
	}
}

func TestItemsToDecide_GrowsTowardTarget(t *testing.T) {
	t.Parallel()
	if n := itemsToDecide(0.5, 100); n != nil {
		t.Errorf("at the target: %d items", *n)
	}
	far, near := itemsToDecide(0.15, 100), itemsToDecide(0.3, 100)
	if far == nil || near == nil || *far >= *near || *far != 53 {
		t.Errorf("%v and %v items", far, near)
	}
}
