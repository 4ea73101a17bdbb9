package ratereffect

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats"
)

// labelsOfTwoBatches returns the labels of three annotators without effects: 20 items of a worse system, then
// 60 of a better one. A share of the items has a label of a second annotator.
func labelsOfTwoBatches(r *rand.Rand, share float64) (labels []LabeledItem) {
	for g := range 3 {
		for n := range 80 {
			mean := 2.5
			if n >= 20 {
				mean = 4
			}
			l := LabeledItem{Item: fmt.Sprint(g, "-", n), Annotator: annotatorNames[g], Position: n + 1, ItemsSinceBreak: n % 30, TextLength: 600, ActiveSeconds: 40 * math.Exp(0.2*r.NormFloat64())}
			var quality []float64
			for range 5 {
				quality = append(quality, mean+0.9*r.NormFloat64())
			}
			l.Answers = answersTo(r, quality, 0.3)
			labels = append(labels, l)
			if r.Float64() < share {
				l.Annotator, l.Answers = annotatorNames[(g+1)%3], answersTo(r, quality, 0.3)
				labels = append(labels, l)
			}
		}
	}
	return labels
}

// answersTo returns answers on 1–5 with normal errors.
func answersTo(r *rand.Rand, quality []float64, errorSize float64) (answers []int) {
	for _, q := range quality {
		answers = append(answers, min(5, max(1, int(math.Round(q+errorSize*r.NormFloat64())))))
	}
	return answers
}

// countReported returns the share of annotators who are reported for one of some effects (none: for any).
func countReported(runs int, generate func(r *rand.Rand) []LabeledItem, effects ...Effect) float64 {
	reported, annotators := 0, 0
	for run := range runs {
		names, all := map[string]bool{}, map[string]bool{}
		for _, r := range Detect(newEmpathyFields(), generate(rand.New(rand.NewPCG(93, uint64(run)))), stats.IntervalOptions{Resamples: 200, Seed: uint64(run), Workers: 1}) {
			all[r.Annotator] = true
			for _, e := range effects {
				names[r.Annotator] = names[r.Annotator] || r.Detected && r.Effect == e
			}
			names[r.Annotator] = names[r.Annotator] || r.Detected && len(effects) == 0
		}
		annotators += len(all)
		for _, isReported := range names {
			reported += isTrue(isReported)
		}
	}
	return float64(reported) / float64(annotators)
}

// simulatedRuns is the number of simulated studies.
func simulatedRuns() int {
	if require.FullSize() {
		return 200
	}
	return 20
}

// TestDetect_LaterBatch_NoFalseAlarms has annotators whose later items are better. Only items of two
// annotators show whether the scores or the items changed.
func TestDetect_LaterBatch_NoFalseAlarms(t *testing.T) {
	t.Parallel()
	for _, share := range []float64{0, 0.1, 0.3, 1} {
		reported := countReported(simulatedRuns(), func(r *rand.Rand) []LabeledItem { return labelsOfTwoBatches(r, share) })
		t.Logf("%.0f%% of items shared: %.1f%% of annotators are reported", 100*share, 100*reported)
		if reported > 0.05 {
			t.Errorf("%.0f%% of items shared: %.1f%% of annotators without effects are reported", 100*share, 100*reported)
		}
	}
}

// TestMeasureAnchoring_NeedsSharedEarlyItems has an annotator who shares all later items, and some of the
// first ones, with another.
func TestMeasureAnchoring_NeedsSharedEarlyItems(t *testing.T) {
	t.Parallel()
	for early, want := range map[int]UntestableReason{0: TooFewEarlyItems, minEarlyItems - 1: TooFewEarlyItems, minEarlyItems: "", 10: ""} {
		var labels []LabeledItem
		for n := range 40 {
			for g := range 2 {
				if g == 0 || n >= 10 || n < early {
					labels = append(labels, LabeledItem{Item: fmt.Sprint(n), Annotator: annotatorNames[g], Position: n + 1, Answers: []int{1 + n%5, 1, 2, 3, 4}})
				}
			}
		}
		c := newLabelSet(newEmpathyFields(), labels)
		if m := measureAnchoring(c, c.labelsByAnnotator[0]); m.undefined != want || m.itemCount != 30+early {
			t.Errorf("%d of the first 10 items shared: %q from %d items, want %q from %d", early, m.undefined, m.itemCount, want, 30+early)
		}
	}
}
