package ratereffect

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
	"github.com/labelwright/labelwright/internal/stats"
)

// TestDetect_StrictOnYesNo_IsNoStraightLining has annotators of yes/no fields with different thresholds: who seldom says
// yes gives all fields the same answer more often. One who copies the first answer to all fields is found.
func TestDetect_StrictOnYesNo_IsNoStraightLining(t *testing.T) {
	t.Parallel()
	runs := 40
	if require.FullSize() {
		runs = 400
	}
	for _, s := range []struct {
		fields, items int
		thresholds    []float64
		copied        float64 // share of the items to which the first annotator copies the first answer, or says no to all
		isNo          bool
	}{
		{4, 100, []float64{0.5, 0.5, 0.5}, 0, false}, {4, 100, []float64{1, 0, 0}, 0, false}, {4, 100, []float64{1, 0.5, 0}, 0, false}, {4, 100, []float64{1, 0}, 0, false}, {3, 200, []float64{1.5, 0.3, 0}, 0, false}, {6, 100, []float64{1.5, 0.5, 0}, 0, false},
		{4, 100, []float64{0.5, 0.5, 0.5}, 0.5, false}, {4, 150, []float64{0, 0.3, 0.3}, 0.5, false}, {6, 100, []float64{0.2, 0.5, 0.5}, 0.5, false},
		{4, 120, []float64{0.3, 0.3, 0.3}, 1, true}, {4, 200, []float64{0, 0, 0}, 0.5, true},
	} {
		specs := make([]FieldSpec, s.fields)
		for f := range specs {
			specs[f].Scale = stats.NewRangeScale(0, 1)
		}
		accused, found := 0, 0
		for run := range runs {
			r := rand.New(rand.NewPCG(99, uint64(run)))
			var labels []LabeledItem
			for i := range s.items {
				quality, overall := make([]float64, s.fields), 0.7*r.NormFloat64()
				for f := range quality {
					quality[f] = overall + 0.7*r.NormFloat64()
				}
				for g, threshold := range s.thresholds {
					l := LabeledItem{Item: fmt.Sprint(i), Annotator: annotatorNames[g], Position: i + 1, ItemsSinceBreak: i % 30, ActiveSeconds: 40, TextLength: 600}
					isCopied := g == 0 && r.Float64() < s.copied
					for f := range quality {
						l.Answers = append(l.Answers, isTrue(quality[f]+0.4*r.NormFloat64() > threshold))
						if isCopied {
							l.Answers[f] = l.Answers[0]
						}
					}
					labels = append(labels, l)
				}
			}
			for _, result := range Detect(specs, labels, stats.IntervalOptions{Resamples: 100}) {
				if result.Effect == StraightLining && result.Detected {
					if s.copied > 0 && result.Annotator == annotatorNames[0] {
						found++
					} else {
						accused++
					}
				}
			}
		}
		careful := len(s.thresholds) - isTrue(s.copied > 0)
		if float64(accused) > upperShare(0.05, careful*runs)*float64(careful*runs) || s.copied > 0 && s.items*s.fields > 400 && 10*found < 6*runs {
			t.Errorf("%+v: found in %d, others accused in %d of %d studies", s, found, accused, runs)
		}
		t.Logf("%+v: found in %.1f%%, others accused in %.1f%%", s, 100*float64(found)/float64(runs), 100*float64(accused)/float64(careful*runs))
	}
}
