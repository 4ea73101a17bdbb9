package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/require"
)

// simulatedQueries are queries of 3 to 8 chunks whose true labels are known.
type simulatedQueries struct {
	queries   int
	errorRate float64 // of an annotator, per label
	seed      uint64
}

// chunkLabel is the labels of a chunk: the state is not relevant, relevant or sufficient.
type chunkLabel struct{ state, misleading int }

func (c chunkLabel) values() map[string]int {
	return map[string]int{"topically_relevant": min(c.state, 1), "evidence_sufficient": c.state / 2,
		"misleading": c.misleading}
}

// observe returns what an annotator sees.
func (s simulatedQueries) observe(r *rand.Rand, truth chunkLabel) chunkLabel {
	seen := truth
	if r.Float64() < s.errorRate {
		seen.state = map[int]int{0: 1, 1: 2 * r.IntN(2), 2: 1}[truth.state]
	}
	if r.Float64() < s.errorRate {
		seen.misleading = 1 - truth.misleading
	}
	if seen.state == 2 {
		seen.misleading = 0
	}
	return seen
}

// simulate returns the labels of that many annotators, and the truth as the labels of one.
func (s simulatedQueries) simulate(t *testing.T, annotators int) (labeled, truth study.Data) {
	t.Helper()
	r := rand.New(rand.NewPCG(s.seed, 17))
	for _, p := range protocol.Builtin() {
		if p.Key == "rag-retrieval" {
			labeled.Protocol, truth.Protocol = p, p
		}
	}
	for query := range s.queries {
		for rank := range 3 + r.IntN(6) {
			id := project.ItemID(len(labeled.Items) + 1)
			labeled.Items = append(labeled.Items, study.ItemData{ID: id, SourceID: fmt.Sprintf("c%06d", id),
				RecordID: fmt.Sprintf("q%05d", query), Rank: rank + 1})
			label := chunkLabel{state: r.IntN(3)}
			if label.state < 2 && r.Float64() < 0.15 {
				label.misleading = 1
			}
			truth.Labels = append(truth.Labels, study.Label{ID: int64(id), ItemID: id, Annotator: "truth",
				Kind: study.Work, Values: label.values()})
			for g := range annotators {
				labeled.Labels = append(labeled.Labels, study.Label{ID: int64(len(labeled.Labels) + 1), ItemID: id,
					Annotator: string(rune('a' + g)), Kind: study.Work,
					Values: s.observe(r, label).values()})
			}
		}
	}
	truth.Items = labeled.Items
	return labeled, truth
}

// computeRates returns the metrics of retrieval.
func computeRates(t *testing.T, d study.Data, o BuildOptions) []Rate {
	t.Helper()
	s, err := newBuilder(d, o)
	if err != nil {
		t.Fatal(err)
	}
	return metrics{builder: s}.measureRetrieval().Rates
}

// only returns the data with the labels of one annotator.
func only(d study.Data, annotator string) study.Data {
	var labels []study.Label
	for _, l := range d.Labels {
		if l.Annotator == annotator {
			labels = append(labels, l)
		}
	}
	d.Labels = labels
	return d
}

// decideTies returns the data with every tie adjudicated as the truth.
func decideTies(t *testing.T, d, truth study.Data) study.Data {
	t.Helper()
	s, err := newBuilder(d, BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d.Adjudicated = map[project.ItemID]map[string]int{}
	for i, item := range d.Items {
		decided := map[string]int{}
		for f := range s.fields {
			q := &s.fields[f]
			if c, _ := s.answerChance(s.NumberOf[item.ID], q); c.isTied {
				decided[q.Key] = truth.Labels[i].Values[q.Key]
			}
		}
		d.Adjudicated[item.ID] = decided
	}
	return d
}

// TestRetrieval_TwoAnnotators_LoseNoQuery simulates 400 queries, and with
// LABELWRIGHT_SLOW=1 4,000. With two annotators who err, every query counts, the bias is no
// larger than that of one annotator, and the range of ties contains the figure after
// adjudication of the ties.
func TestRetrieval_TwoAnnotators_LoseNoQuery(t *testing.T) {
	t.Parallel()
	queries, noise := 400, 0.02
	if require.FullSize() {
		queries, noise = 4000, 0.005
	}
	for _, errorRate := range []float64{0.02, 0.05, 0.1} {
		d, truth := simulatedQueries{queries, errorRate, 3}.simulate(t, 2)
		o := BuildOptions{Resamples: 20, Seed: 1}
		want, both, decided := computeRates(t, truth, o), computeRates(t, d, o),
			computeRates(t, decideTies(t, d, truth), o)
		first, second := computeRates(t, only(d, "a"), o), computeRates(t, only(d, "b"), o)
		for i, r := range both {
			bias, single := *r.Value-*want[i].Value, (*first[i].Value+*second[i].Value)/2-*want[i].Value
			contains := *r.Lowest <= *want[i].Value && *want[i].Value <= *r.Highest
			t.Logf("error %.2f, %s: %.3f, bias %+.4f, of one annotator %+.4f, %d of %d queries with ties, range %.3f–%.3f contains the truth: %v",
				errorRate, r.Name, *r.Value, bias, single, r.Ties, r.SampleSize, *r.Lowest, *r.Highest, contains)
			if r.SampleSize != queries {
				t.Errorf("error %.2f, %s: %d of %d queries count", errorRate, r.Name, r.SampleSize, queries)
			}
			if math.Abs(bias) > math.Abs(single)+noise {
				t.Errorf("error %.2f, %s: bias %+.4f, of one annotator %+.4f", errorRate, r.Name, bias, single)
			}
			if *decided[i].Value < *r.Lowest-1e-9 || *decided[i].Value > *r.Highest+1e-9 {
				t.Errorf("error %.2f, %s: %.3f after adjudication is outside of %.3f to %.3f", errorRate, r.Name,
					*decided[i].Value, *r.Lowest, *r.Highest)
			}
		}
	}
}
