package ratereffect

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/stats"
)

// TestFit_EqualsVisitingEachLabel fits offsets and trends to random labels, of which some answers are missing and some items
// have one label or two of one annotator, and does the same by visiting each label in each round.
func TestFit_EqualsVisitingEachLabel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 30 {
		fields := []FieldSpec{{Scale: stats.NumericScale{1, 2, 3, 4, 5}}, {Scale: stats.NumericScale{0, 1}}, {Scale: stats.NumericScale{1}}}
		var labels []LabeledItem
		annotators := 1 + n%6
		for i := range 60 * annotators {
			answers := []int{1 + r.IntN(5), r.IntN(3), 1} // 2 is off its scale
			labels = append(labels, LabeledItem{Annotator: fmt.Sprint("a-", r.IntN(annotators)), Item: fmt.Sprint(r.IntN(60)),
				Position: i, ItemsSinceBreak: i % 20, TextLength: 500 * r.Float64(), Answers: answers})
		}
		c := newLabelSet(fields, labels)
		for f := range fields {
			checkEqual(t, fmt.Sprint(n, " offsets of field ", f), c.fitOffsets(f), c.fitOffsetsByLabel(f))
		}
		for effect, fitted := range c.trends {
			checkEqual(t, fmt.Sprint(n, " ", effect), fitted.slopes, c.fitSlopesByLabel(fitted, minItemsOf(effect)))
		}
	}
}

func checkEqual(t *testing.T, name string, got, want []float64) {
	t.Helper()
	for g := range want {
		if !(math.Abs(got[g]-want[g]) <= 1e-12) {
			t.Fatalf("%s: %v, want %v", name, got, want)
		}
	}
}

func minItemsOf(effect Effect) int {
	for _, spec := range effectSpecs {
		if spec.effect == effect {
			return spec.minItems
		}
	}
	panic("no such effect: " + effect)
}

func (c *labelSet) fitOffsetsByLabel(field int) []float64 {
	offsets, row := make([]float64, len(c.Annotators)), c.rowPoints(field)
	for range 20 {
		next := make([]float64, len(c.Annotators))
		for g, own := range c.labelsByAnnotator {
			sum, n := 0.0, 0.0
			for _, l := range own {
				score, ok := c.score(l, field)
				if !ok {
					continue
				}
				if mean, ok := c.othersMean(l, field, row, offsets); ok {
					sum, n = sum+score-mean, n+1
				}
			}
			next[g] = (sum/n + offsets[g]) / 2
		}
		offsets = c.centerOnOthers(next)
	}
	return offsets
}

func (c *labelSet) fitSlopesByLabel(fitted trend, minItems int) []float64 {
	t := fitted
	t.slopes, t.itemSums = make([]float64, len(c.Annotators)), make([]float64, len(fitted.itemSums))
	for range trendRounds {
		next := make([]float64, len(t.slopes))
		for g, own := range c.labelsByAnnotator {
			_, squares := c.spreadOf(own, t.property, minItems)
			products := 0.0
			for _, l := range own {
				if d, ok := c.meanDeviation(l); ok {
					products += (t.property(l) - t.means[g]) * (d + c.othersTrend(t, l))
				}
			}
			next[g] = math.NaN()
			if squares > epsilon {
				next[g] = (products/squares + t.slopes[g]) / 2
			}
		}
		t.slopes = c.centerOnCohorts(t, next)
		c.sumTrend(&t)
	}
	return t.slopes
}
