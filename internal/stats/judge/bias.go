package judge

import (
	"fmt"
	"math"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Bias is how much higher a judge answers than annotators. The alternative annotator test compares distances, so a
// judge with a bias can win it next to annotators with large errors.
type Bias struct {
	WeightedFigure         // mean of the judge's answer − the mean of the annotators'
	ofAnnotators   float64 // the largest mean difference of an annotator from the others, without its sign
	span           float64 // of the scale
}

// maxBiasShare is the bias, as a share of the scale, that is tolerated: half a point of five.
const maxBiasShare = 1.0 / 8

// measureBias returns the bias of a judge over items with two annotators or more; nil without an order of the answers.
func measureBias(people stats.RatingTable, answers map[string]int, o Options) *Bias {
	if o.Score != RMSE {
		return nil
	}
	var pairs []WeightedPair
	sums, weights := make([]float64, len(people.Annotators())), make([]float64, len(people.Annotators()))
	number := 0
	for item := range people.ByItem() {
		number++
		answer, isJudged := answers[item.Item]
		weight := ItemWeight{1, item.Cluster}
		if !people.HasClusters() {
			weight.Unit = number
		}
		if o.Weights != nil {
			weight = o.Weights[item.Item]
		}
		n := float64(len(item.Categories))
		if !isJudged || len(item.Categories) < minPeople || weight.Weight == 0 {
			continue
		}
		sum := 0.0
		for _, c := range item.Categories {
			sum += float64(people.Scale[c])
		}
		pairs = append(pairs, WeightedPair{sum / n, float64(answer), weight.Weight, weight.Unit})
		for i, g := range item.Annotators {
			own := float64(people.Scale[item.Categories[i]])
			sums[g] += weight.Weight * (own - (sum-own)/(n-1))
			weights[g] += weight.Weight
		}
	}
	b := Bias{WeightedFigure: EstimateWeightedMean(pairs), span: float64(people.Scale.Span())}
	for g, w := range weights {
		if w > 0 {
			b.ofAnnotators = max(b.ofAnnotators, math.Abs(sums[g]/w))
		}
	}
	return &b
}

// isLarge reports whether the bias is shown to be more than is tolerated, and more than that of any annotator.
func (b *Bias) isLarge() bool {
	if b == nil || !b.HasInterval {
		return false
	}
	return max(b.Low, -b.High) > max(maxBiasShare*b.span, b.ofAnnotators)
}

func (b *Bias) text() string {
	low, high := math.Abs(b.Low), math.Abs(b.High)
	return fmt.Sprintf("it answers %s than the annotators (95%% CI %.2f to %.2f points), which is more than any of them differs from the others", b.size(), min(low, high), max(low, high))
}

func (b *Bias) shortText() string {
	return fmt.Sprintf("it answers %s than the annotators", b.size())
}

func (b *Bias) size() string {
	direction := "higher"
	if b.Value < 0 {
		direction = "lower"
	}
	return fmt.Sprintf("%.2f points %s", math.Abs(b.Value), direction)
}
