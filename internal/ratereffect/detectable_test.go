package ratereffect

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats"
)

// newFineFields returns five fields on 1–49, on which changes of answers are neither rounded nor cut off.
func newFineFields() []FieldSpec {
	fields := make([]FieldSpec, 5)
	for f := range fields {
		fields[f].Scale = stats.NewRangeScale(1, 49)
	}
	return fields
}

// plantSize gives the first annotator an effect of that size.
func plantSize(r *rand.Rand, labels []LabeledItem, effect Effect, size, clean float64) {
	mean, n, lengthMean, lengthSquares := 0.0, 0.0, 0.0, 0.0
	for _, l := range labels {
		if l.Annotator == annotatorNames[0] {
			for _, v := range l.Answers {
				mean, n = mean+float64(v), n+1
			}
			lengthMean += math.Log(l.TextLength)
			lengthSquares += math.Log(l.TextLength) * math.Log(l.TextLength)
		}
	}
	mean, lengthMean = mean/n, 5*lengthMean/n
	lengthSD := math.Sqrt(5*lengthSquares/n - lengthMean*lengthMean)
	for _, l := range labels {
		if l.Annotator != annotatorNames[0] {
			continue
		}
		isHit, value := r.Float64() < size, 9+8*r.IntN(5)
		for f, v := range l.Answers {
			shift := 0.0
			switch {
			case effect == Leniency, effect == AnchoringEffect && l.Position <= earlyItems:
				shift = size
			case effect == FatigueDrift:
				shift = size * float64(l.ItemsSinceBreak-15) / fatigueSpan
			case effect == LengthBias:
				shift = size * (math.Log(l.TextLength) - lengthMean) / lengthSD
			case effect == ScoreCompression:
				shift = (float64(v) - mean) * (size/clean - 1) / 48
			case effect == CentralTendency && v != 25 && r.Float64() < (size-clean)/(1-clean):
				shift = float64(25-v) / 48
			case effect == StraightLining && isHit:
				shift = float64(value-v) / 48
			}
			l.Answers[f] = v + int(math.Floor(48*shift+r.Float64()))
		}
	}
	for i := range labels {
		if effect == Speeding && labels[i].Annotator == annotatorNames[0] && r.Float64() < size {
			labels[i].ActiveSeconds = 15
		}
	}
}

// TestDetectable_IsFound plants the effect that a test which found nothing says it could have detected: it is
// found in at least 60% of studies; least where an annotator must differ from two others, each with chance of its own.
func TestDetectable_IsFound(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("This test simulates studies and runs only without -short.")
	}
	runs, sizes := 60, []int{60}
	if require.FullSize() {
		runs, sizes = 300, []int{40, 60, 150}
	}
	for _, spec := range effectSpecs {
		if spec.effect == HaloEffect || spec.effect == MissedSafety {
			continue
		}
		for _, size := range sizes {
			if size < spec.minItems {
				continue
			}
			found, n, stated := 0, 0, 0.0
			for run := range runs {
				options := stats.IntervalOptions{Resamples: 200, Seed: uint64(run), Workers: 1}.WithDefaults()
				labels := simulation{rand: rand.New(rand.NewPCG(95, uint64(run))), itemsPerAnnotator: size, hasEqualLevels: true}.generateLabels()
				for _, l := range labels {
					for f := range l.Answers {
						l.Answers[f] = 1 + 8*l.Answers[f]
					}
				}
				r := spec.test(newLabelSet(newFineFields(), labels), options)[0]
				if r.State() != NotFound {
					continue
				}
				n, stated = n+1, stated+r.Detectable
				plantSize(rand.New(rand.NewPCG(96, uint64(run))), labels, spec.effect, r.Detectable, r.Value)
				found += isTrue(spec.test(newLabelSet(newFineFields(), labels), options)[0].Detected)
			}
			t.Logf("%s with %d items: %.3f stated on average, found in %d of %d studies", spec.effect, size, stated/float64(max(n, 1)), found, n)
			if 10*found < 6*n || n < runs/5 {
				t.Errorf("%s with %d items: found in %d of %d studies", spec.effect, size, found, n)
			}
		}
	}
}

// TestShareToExceed_HasChance computes the chance of as many hits on both sides of the share, by the exact and
// by the normal distribution.
func TestShareToExceed_HasChance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fewest, n int
		want      float64
	}{{0, 10, 0}, {6, 10, 0.7327}, {10, 10, 0.9895}, {500, 5000, 0.1056}} {
		if got := shareToExceed(tt.fewest, tt.n); math.Abs(got-tt.want) > 5e-4 {
			t.Errorf("%d of %d: %.4f, want %.4f", tt.fewest, tt.n, got, tt.want)
		}
	}
	for n, want := range map[int]int{20: 7, 60: 15} { // the fewest hits whose Wilson interval is above 15%
		if got := detectableShare(n, 0.15); math.Abs(got-shareToExceed(want, n)) > epsilon {
			t.Errorf("%d items: %.4f, want the share for %d hits, %.4f", n, got, want, shareToExceed(want, n))
		}
	}
	if got := detectableShare(5, 0.9); got != 1 {
		t.Errorf("no number of hits is enough: %g, want 1", got)
	}
}
