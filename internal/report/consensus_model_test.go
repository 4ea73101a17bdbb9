package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/consensus"
)

// TestRetrieval_DawidSkene_Unbiased simulates studies with three annotators: the posteriors
// of a model give rates without the bias of single annotators, and intervals that cover the
// rates of the queries' population. By default 6 studies of 200 queries; with
// LABELWRIGHT_SLOW=1, 1,000 for each error rate: then 93 to 97% of intervals contain the rate.
func TestRetrieval_DawidSkene_Unbiased(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	studies, noise, low, high := 6, 0.02, 0.0, 1.0
	if require.FullSize() {
		studies, noise, low, high = 1000, 0, 0.93, 0.97
	}
	population := computeRates(t, firstOf(simulatedQueries{20_000, 0, 99}.simulate(t, 0)), BuildOptions{Resamples: 1})
	for _, errorRate := range []float64{0.02, 0.05, 0.1} {
		bias, covered := make([]float64, len(population)), make([]int, len(population))
		for seed := range studies {
			d, truth := simulatedQueries{200, errorRate, uint64(seed)}.simulate(t, 3)
			s, err := newStudy(d, BuildOptions{Resamples: 1, Consensus: consensus.ByDawidSkene})
			if err != nil {
				t.Fatal(err)
			}
			groups := metrics{study: s}.compute()
			for i, want := range computeRates(t, truth, BuildOptions{Resamples: 1}) {
				r := groups[0].Rates[i]
				bias[i] += (*r.Value - *want.Value) / float64(studies)
				if r.Low != nil && *r.Low <= *population[i].Value && *population[i].Value <= *r.High {
					covered[i]++
				}
			}
		}
		for i, r := range population {
			t.Logf("error %.2f, %s: bias %+.4f, %d of %d intervals contain the rate", errorRate, r.Name, bias[i], covered[i], studies)
			if math.Abs(bias[i]) > 0.01+noise {
				t.Errorf("error %.2f, %s: bias %+.4f", errorRate, r.Name, bias[i])
			}
			if share := float64(covered[i]) / float64(studies); share < low || share > high {
				t.Errorf("error %.2f, %s: %d of %d intervals contain the rate", errorRate, r.Name, covered[i], studies)
			}
		}
	}
}

// firstOf returns the truth, which is the second result of simulate.
func firstOf(_, truth Data) Data { return truth }

func TestConsensus_Model_IsDescribed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		annotators int
		method     stats.ConsensusMethod
		hasNote    bool
	}{{2, stats.Unanimous, true}, {3, stats.DawidSkene, false}} {
		d, _ := simulatedQueries{30, 0.1, 5}.simulate(t, c.annotators)
		r, err := Build(d, BuildOptions{Resamples: 20, Consensus: consensus.ByDawidSkene})
		if err != nil {
			t.Fatal(err)
		}
		f := r.Fields[0]
		if f.CountConsensus(c.method) == 0 || (slices.Contains(f.ConsensusModel.Model.Notes, consensus.NotIdentified)) != c.hasNote || (len(f.ConsensusModel.Annotators) == c.annotators) == c.hasNote {
			t.Errorf("%d annotators: %+v, %+v", c.annotators, f.ConsensusCounts, f.ConsensusModel)
		}
		if hasPosterior := r.Consensus.At(0).Posterior != nil; hasPosterior == c.hasNote {
			t.Errorf("%d annotators: posterior %v", c.annotators, r.Consensus.At(0).Posterior)
		}
	}
}

// TestConsensus_DoubtfulModel_IsNoted checks the note on both sides of its condition.
func TestConsensus_DoubtfulModel_IsNoted(t *testing.T) {
	t.Parallel()
	for _, error := range []float64{0.05, 0.4} {
		d, _ := simulatedQueries{60, error, 5}.simulate(t, 3)
		r, err := Build(d, BuildOptions{Resamples: 20, Consensus: consensus.ByDawidSkene})
		if err != nil {
			t.Fatal(err)
		}
		isAnyLow := false
		for _, f := range r.Fields {
			isLow := *f.Figure("shared_kappa", "linear").Value < 0.25
			isAnyLow = isAnyLow || isLow
			if got := slices.Contains(f.ConsensusModel.Model.Notes, consensus.LowAgreement); got != isLow {
				t.Errorf("error %g, %s: κ %v, notes %v", error, f.Key, *f.Figure("shared_kappa", "linear").Value, f.ConsensusModel.Model.Notes)
			}
		}
		if isAnyLow != (error > 0.3) {
			t.Errorf("error %g: low agreement is %t", error, isAnyLow)
		}
		for _, m := range r.Metrics {
			if got := strings.Contains(strings.Join(m.Notes, " "), "compare with the rates without the model"); m.isModeled && got != isAnyLow {
				t.Errorf("error %g, %s: %q", error, m.Name, m.Notes)
			}
		}
	}
}

func TestConsensus_TieRule_Decides(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]struct {
		method stats.ConsensusMethod
		value  int
	}{"lower": {stats.LowerOfTie, 0}, "higher": {stats.HigherOfTie, 1}} {
		d, _ := simulatedQueries{1, 0, 1}.simulate(t, 2)
		d.Protocol.Ties = rule
		d.Labels[0].Values = map[string]int{"topically_relevant": 0}
		d.Labels[1].Values = map[string]int{"topically_relevant": 1}
		r, err := Build(d, BuildOptions{Resamples: 20})
		if err != nil {
			t.Fatal(err)
		}
		if c := r.Consensus.At(0); c.Method != want.method || c.Value == nil || *c.Value != want.value || r.Fields[0].CountConsensus(want.method) != 1 {
			t.Errorf("%s: %+v", rule, c)
		}
	}
}

// A model gives each answer a probability, so that no tie is left to be decided either way.
func TestRates_Model_HaveNoTieRange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		annotators int
		isModeled  bool
	}{{2, false}, {3, true}} {
		d, _ := simulatedQueries{40, 0.2, 6}.simulate(t, c.annotators)
		r, err := Build(d, BuildOptions{Resamples: 20, Consensus: consensus.ByDawidSkene})
		if err != nil {
			t.Fatal(err)
		}
		m := r.Metrics[0]
		for _, rate := range m.Rates {
			if hasRange := rate.Lowest != nil || rate.Ties > 0; hasRange == c.isModeled || !c.isModeled && *rate.Lowest > *rate.Value {
				t.Errorf("%d annotators: %s is %v with the range %v–%v and %d ties", c.annotators, rate.Name, rate.Text(), rate.Lowest, rate.Highest, rate.Ties)
			}
		}
		note := strings.Join(m.Notes, " ")
		if says := strings.Contains(note, "by its probability in the model"); says != c.isModeled || strings.Contains(note, "counts by its share") == c.isModeled {
			t.Errorf("%d annotators: %s", c.annotators, note)
		}
	}
}
