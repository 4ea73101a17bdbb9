package ratereffect

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/stats"
)

// A traitStudy simulates annotators of the same 60 items, whose qualities correlate. The last annotator can have a
// halo effect or give random answers.
type traitStudy struct {
	annotators  int
	correlation float64 // of two qualities
	error       float64 // standard deviation
	random      float64 // share of the last annotator's answers
	hasHalo     bool    // the last annotator
}

func (s traitStudy) generateLabels(r *rand.Rand) (labels []LabeledItem) {
	for i := range 60 {
		overall, quality, general := r.NormFloat64(), make([]float64, 5), make([]float64, 5)
		mean := 0.0
		for f := range quality {
			quality[f] = 3 + 1.2*(math.Sqrt(s.correlation)*overall+math.Sqrt(1-s.correlation)*r.NormFloat64())
			mean += quality[f] / 5
		}
		for f, q := range quality {
			general[f] = 0.15*q + 0.85*(3+1.6*(mean-3))
		}
		for g := range s.annotators {
			l := LabeledItem{Item: fmt.Sprint(i), Annotator: annotatorNames[g], Position: i + 1, Answers: answersTo(r, quality, s.error)}
			if isLast := g == s.annotators-1; isLast && s.hasHalo {
				l.Answers = answersTo(r, general, s.error)
			} else if isLast {
				for f := range l.Answers {
					if r.Float64() < s.random {
						l.Answers[f] = 1 + r.IntN(5)
					}
				}
			}
			labels = append(labels, l)
		}
	}
	return labels
}

// TestDetect_HaloNextToErrors has an annotator who errs often or has a halo effect. The errors make no other one look
// as if it had the effect, and two annotators who do not agree show nothing.
func TestDetect_HaloNextToErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		study    traitStudy
		minFound float64 // share of runs in which the effect is found in the last annotator
		maxState map[ResultState]float64
	}{
		{study: traitStudy{annotators: 2, correlation: 0.7, error: 0.6, random: 1}, maxState: map[ResultState]float64{NotFound: 0.05}},
		{study: traitStudy{annotators: 2, correlation: 0.7, error: 0.6, random: 0.5}},
		{study: traitStudy{annotators: 2, correlation: 0.7, error: 0.6}},
		{study: traitStudy{annotators: 3, correlation: 0.7, error: 0.6, random: 1}},
		{study: traitStudy{annotators: 3, correlation: 0.7, error: 0.6, random: 0.5}},
		{study: traitStudy{annotators: 5, correlation: 0.7, error: 0.6, random: 1}},
		{study: traitStudy{annotators: 2, correlation: 0.25, error: 0.3, hasHalo: true}, minFound: 0.9},
		{study: traitStudy{annotators: 3, correlation: 0.25, error: 0.6, hasHalo: true}, minFound: 0.9},
		{study: traitStudy{annotators: 3, correlation: 0.5, error: 0.6, hasHalo: true}, minFound: 0.9},
		{study: traitStudy{annotators: 5, correlation: 0.5, error: 0.6, hasHalo: true}, minFound: 0.9},
	} {
		t.Run(fmt.Sprintf("%+v", tt.study), func(t *testing.T) {
			t.Parallel()
			runs, found, alarms, states := float64(simulatedRuns()), 0.0, 0.0, map[ResultState]float64{}
			halo := effectSpecs[3]
			for run := range simulatedRuns() {
				options := stats.IntervalOptions{Resamples: 200, Seed: uint64(run), Workers: 1}.WithDefaults()
				results := halo.test(newLabelSet(newEmpathyFields(), tt.study.generateLabels(rand.New(rand.NewPCG(97, uint64(run))))), options)
				for g, r := range results {
					if g == len(results)-1 {
						found += float64(isTrue(r.Detected)) / runs
						continue
					}
					alarms += float64(isTrue(r.Detected)) / runs / float64(len(results)-1)
					states[r.State()] += 1 / runs / float64(len(results)-1)
				}
			}
			t.Logf("found in the last annotator in %.1f%%, in others in %.1f%%: %v", 100*found, 100*alarms, states)
			if found < tt.minFound || tt.minFound == 0 && found > 0.05 || alarms > 0.05 {
				t.Errorf("found in the last annotator in %.1f%%, in others in %.1f%%", 100*found, 100*alarms)
			}
			for state, highest := range tt.maxState {
				if states[state] > highest {
					t.Errorf("%s in %.1f%% of the others", state, 100*states[state])
				}
			}
		})
	}
}

// TestCompareReliability_ByThirdOnes has annotators whose correlations with a third one are given, and their error.
func TestCompareReliability_ByThirdOnes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ ofOwn, ofOther, err, want float64 }{
		{0.8, 0.8, 0, 1}, {0.8, 0.4, 0, 4}, {0.4, 0.8, 0, 1}, {0.8, 0, 0, math.Inf(1)}, {0, 0.8, 0, 1},
		{0.8, 0.4, 0.1, 9}, {0.6, 0.8, 0.1, 1}, {0.8, 0.4, 0.4, math.Inf(1)},
	} {
		errors := [][]float64{{0, 0, tt.err}, {0, 0, tt.err}, {tt.err, tt.err, 0}}
		c := &labelSet{correlations: [][]float64{{0, 0.5, tt.ofOwn}, {0.5, 0, tt.ofOther}, {tt.ofOwn, tt.ofOther, 0}}, correlationErrors: errors}
		if got := c.compareReliability(0, 1); got != tt.want && math.Abs(got-tt.want) > epsilon {
			t.Errorf("%+v: %g", tt, got)
		}
	}
}
