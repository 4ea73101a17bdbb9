package ratereffect

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats"
)

// A lateStudy is a study of 160 items in the same order for everyone, which some annotators start later than others. One
// scores its first items higher.
type lateStudy struct {
	starts   []int // by annotator: its first item
	anchored int
}

func (s lateStudy) simulate(r *rand.Rand) (labels []LabeledItem) {
	for i := range 160 {
		var quality []float64
		for range 5 {
			quality = append(quality, 2+2*r.Float64())
		}
		for g, start := range s.starts {
			if i < start {
				continue
			}
			l := LabeledItem{Item: fmt.Sprint(i), Annotator: annotatorNames[g], Position: i - start + 1, ItemsSinceBreak: (i - start) % 30, ActiveSeconds: 40, TextLength: 600}
			own := quality
			if g == s.anchored && l.Position <= earlyItems {
				own = make([]float64, 5)
				for f := range own {
					own[f] = quality[f] + 1.2
				}
			}
			l.Answers = answersTo(r, own, 0.4)
			labels = append(labels, l)
		}
	}
	return labels
}

// TestDetect_LateStarters_AccuseNoOther checks that the anchoring of one annotator is not seen as the opposite one of
// others who started together, whoever started at another item.
func TestDetect_LateStarters_AccuseNoOther(t *testing.T) {
	t.Parallel()
	runs := 12
	if require.FullSize() {
		runs = 200
	}
	for _, s := range []lateStudy{
		{[]int{0, 0, 0, 0, 0}, 0}, {[]int{0, 0, 0, 40, 40}, 0}, {[]int{0, 0, 0, 40}, 0}, {[]int{0, 0, 40, 40, 40}, 2}, {[]int{0, 0, 0, 20, 40}, 0}, {[]int{0, 0, 0, 40, 40}, 3}, {[]int{0, 0, 40, 40}, 0}, {[]int{0, 10, 20, 30, 40}, 0}, {[]int{0, 0, 0, 40, 40}, -1},
	} {
		found, accused := 0, 0
		for run := range runs {
			for _, result := range Detect(newEmpathyFields(), s.simulate(rand.New(rand.NewPCG(97, uint64(run)))), stats.IntervalOptions{Resamples: 200}) {
				if result.Effect == AnchoringEffect && result.Detected {
					if isPair := len(s.starts) == 4 && s.starts[2] == 40; isPair != result.EitherCanBeRight() {
						t.Errorf("%+v: %s", s, result.Message())
					}
					if result.Annotator != annotatorNames[max(s.anchored, 0)] && result.EitherCanBeRight() {
						continue
					}
					if s.anchored >= 0 && result.Annotator == annotatorNames[s.anchored] {
						found++
					} else {
						accused++
					}
				}
			}
		}
		others := len(s.starts) - isTrue(s.anchored >= 0)
		if limit := upperShare(0.05, others*runs); float64(accused) > limit*float64(others*runs) || s.anchored >= 0 && s.starts[1] != 10 && 10*found < 9*runs {
			t.Errorf("%+v: found in %d, accused %d others in %d studies", s, found, accused, runs)
		}
		t.Logf("%+v: found in %.0f%%, accused %.1f%% of the others", s, 100*float64(found)/float64(runs), 100*float64(accused)/float64(others*runs))
	}
}
