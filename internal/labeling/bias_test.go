package labeling

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/protocol"
)

func builtin(t testing.TB, key string) protocol.Protocol {
	t.Helper()
	for _, p := range protocol.Builtin() {
		if p.Key == key {
			return p
		}
	}
	t.Fatalf("no protocol %s", key)
	return protocol.Protocol{}
}

// pairAnswers pairs own answers with references for one field.
func pairAnswers(key string, pairs ...[2]int) (items []AnswerPair) {
	for _, p := range pairs {
		items = append(items, AnswerPair{
			Own:       protocol.Answers{Values: map[string]int{key: p[0]}},
			Reference: protocol.Answers{Values: map[string]int{key: p[1]}},
		})
	}
	return items
}

func TestBias_Message(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		protocol, field string
		pairs           [][2]int
		message         string
		missed          bool
	}{
		"higher at one boundary": {"empathy", "validation", [][2]int{{4, 3}, {4, 3}, {4, 4}, {5, 3}, {2, 2}},
			"You score “Validation and warmth” 0.8 higher than the reference, mostly at the boundary between 3 and 4.",
			false},
		"lower everywhere": {"empathy", "safety", [][2]int{{1, 2}, {2, 3}, {3, 4}, {4, 5}, {3, 4}, {1, 2}, {2, 3},
			{4, 5}}, "You score “Safety and boundaries” 1.0 lower than the reference.", false},
		"far off on two items": {"empathy", "emotion", [][2]int{{1, 3}, {5, 3}, {3, 3}, {4, 4}, {2, 2}},
			"On average your scores for “Emotion recognition” equal the reference. You differ on 2 of 5 items.", true},
		"far off on one item": {"empathy", "emotion", [][2]int{{1, 5}, {3, 3}, {3, 3}, {2, 2}, {4, 4}},
			"You score “Emotion recognition” 0.8 lower than the reference.", false},
		"equal to the reference": {"empathy", "overall", [][2]int{{3, 3}, {4, 4}, {2, 2}, {3, 3}, {1, 1}},
			"Your scores for “Overall” equal the reference.", false},
		"nothing to compare": {"empathy", "overall", nil,
			"No calibration item has an answer to “Overall” to compare.", false},
		"yes instead of no": {"rag-generation", "helpful", [][2]int{{1, 0}, {1, 0}, {1, 1}, {1, 1}, {0, 0}},
			"You answer yes to “Helpful” where the reference says no, on 2 of 5 items.", true},
		"no instead of yes": {"rag-generation", "helpful", [][2]int{{0, 1}, {1, 1}, {1, 1}, {0, 0}, {1, 1}},
			"You answer no to “Helpful” where the reference says yes, on 1 of 5 items.", false},
		"both directions": {"rag-generation", "helpful", [][2]int{{0, 1}, {1, 0}, {1, 1}, {1, 1}, {1, 1}},
			"You differ from the reference on “Helpful” on 2 of 5 items: yes instead of no on 1, no instead of yes on 1.", true},
		"four items": {"empathy", "safety", [][2]int{{1, 2}, {2, 3}, {3, 4}, {4, 4}},
			"Too few items to estimate your bias on “Safety and boundaries”: 4 items. You differ on 3 of them.", false},
		"two items, far off": {"empathy", "safety", [][2]int{{1, 3}, {2, 4}},
			"Too few items to estimate your bias on “Safety and boundaries”: 2 items. You differ on 2 of them.", true},
		"two equal items": {"rag-generation", "helpful", [][2]int{{1, 1}, {0, 0}},
			"Too few items to estimate your bias on “Helpful”: 2 items. Your answers equal the reference.", false},
		"one item": {"rag-generation", "helpful", [][2]int{{1, 0}},
			"Too few items to estimate your bias on “Helpful”: 1 item. You differ on it.", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := builtin(t, tt.protocol)
			biases := ComputeBiases(p, pairAnswers(tt.field, tt.pairs...))
			i := slices.IndexFunc(biases, func(b Bias) bool { return b.Field.Key == tt.field })
			got := biases[i]
			if message := got.Message(locale.English); message != tt.message || got.Missed() != tt.missed {
				t.Errorf("%q, missed %v\nwant %q, %v", message, got.Missed(), tt.message, tt.missed)
			}
		})
	}
}

// TestBias_KnownOffset simulates annotators with a known offset and random error. The 95%
// interval of the bias must cover the offset about 95% of the time.
func TestBias_KnownOffset(t *testing.T) {
	t.Parallel()
	const annotators, items, quantile = 4000, 10, 2.262 // Student's t, 9 degrees of freedom
	p, rng := builtin(t, "empathy"), rand.New(rand.NewPCG(7, 7))
	for offset, offsets := range map[float64][]int{0: {-1, 0, 0, 1}, 0.75: {0, 1, 1, 1}, -1: {-2, -1, -1, 0}} {
		within := 0
		for range annotators {
			var pairs [][2]int
			for range items {
				pairs = append(pairs, [2]int{3 + offsets[rng.IntN(len(offsets))], 3})
			}
			b := ComputeBiases(p, pairAnswers("validation", pairs...))[1]
			if math.Abs(b.Mean-offset) <= quantile*b.StandardError() {
				within++
			}
		}
		if share := float64(within) / annotators; share < 0.93 || share > 0.98 {
			t.Errorf("offset %v: the interval covers it in %.3f of cases, want 0.93–0.98", offset, share)
		}
	}
}

func TestBias_Magnitude_RoundsToTenth(t *testing.T) {
	for mean, want := range map[float64]float64{1.25: 1.3, -0.25: 0.3, 1.75: 1.8, 0.04: 0} {
		if got := (Bias{Mean: mean}).Magnitude(); got != want {
			t.Errorf("mean %.2f: got %.1f, want %.1f", mean, got, want)
		}
	}
}
