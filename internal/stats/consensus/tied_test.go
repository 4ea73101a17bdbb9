package consensus

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/stats"
)

// One field alone has no rules: its model is that of Dawid & Skene.
func TestFitTied_OneField_EqualsDawidSkene(t *testing.T) {
	t.Parallel()
	r, items := rand.New(rand.NewPCG(8, 1)), make([][]int, 200)
	for i := range items {
		for range 3 {
			value := i % 3
			if r.IntN(4) == 0 {
				value = r.IntN(3)
			}
			items[i] = append(items[i], value)
		}
	}
	table := newDimension(t, stats.NewRangeScale(0, 2), items...).Table
	combinations := [][]uint8{{0}, {1}, {2}}
	free, tied := FitDawidSkene(table, AtConvergence), FitTied(table, combinations).OfField(combinations, 0, 3)
	for i := range items {
		requireEqual(t, "posterior", tied.ItemPosterior(i), free.ItemPosterior(i))
	}
	for g := range free.Confusion {
		for c := range free.Confusion[g] {
			requireEqual(t, "confusion", tied.Confusion[g][c], free.Confusion[g][c])
		}
	}
	requireEqual(t, "prior", tied.Prior, free.Prior)
}

func requireEqual(t *testing.T, name string, got, want []float64) {
	t.Helper()
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-6 {
			t.Fatalf("%s is %v, want %v", name, got, want)
		}
	}
}

// relevantOrNot are the combinations of two fields, of which the second can be 1 only with the
// first.
var relevantOrNot = [][]uint8{{0, 0}, {1, 0}, {1, 1}}

// simulateTied returns the combinations that three annotators gave, who err on a fifth of the
// answers that the rule leaves a choice for, and the true share of 1 on the second field.
func simulateTied(r *rand.Rand, items int) (given [][]int, share float64) {
	for range items {
		truth, answers := relevantOrNot[r.IntN(3)], []int(nil)
		share += float64(truth[1]) / float64(items)
		for range 3 {
			var seen [2]uint8
			if seen[0] = truth[0]; r.Float64() < 0.2 {
				seen[0] = 1 - seen[0]
			}
			if seen[0] == 1 {
				if seen[1] = truth[1]; r.Float64() < 0.2 {
					seen[1] = 1 - seen[1]
				}
			}
			answers = append(answers, int(seen[0]+seen[1]))
		}
		given = append(given, answers)
	}
	return given, share
}

// Errors on the second field depend on the first: fitted alone, its share is off by more than
// when both are fitted together.
func TestFitTied_ForcedAnswers_AreNoErrors(t *testing.T) {
	t.Parallel()
	alone, together, studies := 0.0, 0.0, 30
	for seed := range studies {
		given, share := simulateTied(rand.New(rand.NewPCG(5, uint64(seed))), 2000)
		second := make([][]int, len(given))
		for i, answers := range given {
			for _, c := range answers {
				second[i] = append(second[i], c/2)
			}
		}
		f := FitTied(newDimension(t, stats.NewRangeScale(0, 2), given...).Table, relevantOrNot).OfField(relevantOrNot, 1, 2)
		together += (f.Prior[1] - share) / float64(studies)
		alone += (FitDawidSkene(newDimension(t, stats.NewRangeScale(0, 1), second...).Table, AtConvergence).Prior[1] - share) / float64(studies)
	}
	if math.Abs(together) > 0.005 || math.Abs(alone) < 3*math.Abs(together) {
		t.Errorf("the share of 1 is off by %+.4f when fitted with its rule, and by %+.4f alone", together, alone)
	}
}

// A posterior of combinations, and the models of the fields, are distributions.
func TestFitTied_Probabilities_AddUp(t *testing.T) {
	t.Parallel()
	given, _ := simulateTied(rand.New(rand.NewPCG(6, 6)), 60)
	f := FitTied(newDimension(t, stats.NewRangeScale(0, 2), given...).Table, relevantOrNot)
	for field := range 2 {
		of := f.OfField(relevantOrNot, field, 2)
		lists := append([][]float64{of.Prior}, of.Posteriors...)
		for _, confusion := range of.Confusion {
			lists = append(lists, confusion...)
		}
		for _, p := range lists {
			requireEqual(t, "sum", []float64{p[0] + p[1]}, []float64{1})
		}
		for i, answers := range given {
			posterior := f.Posterior([]int{0, 1, 2}, answers)
			requireEqual(t, "posterior", SumByCategory(posterior, relevantOrNot, field, 2), of.ItemPosterior(i))
		}
	}
}
