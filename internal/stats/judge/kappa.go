package judge

import "math"

// A WeightedPair is two answers to the same item. All pairs of a unit, an item or a cluster of items,
// depend on each other.
type WeightedPair struct {
	First, Second float64
	Weight        float64
	Unit          int
}

// A WeightedFigure is a figure of weighted pairs with its 95% interval.
type WeightedFigure struct {
	IsDefined        bool
	HasInterval      bool
	Value, Low, High float64
}

// EstimateKappa returns Cohen's κ with linear weights between the two sides of weighted pairs: 1 − mean
// distance / mean distance of answers of different pairs. The variance is that of the influences,
// summed by unit, with a t quantile for the effective number of units.
func EstimateKappa(pairs []WeightedPair) WeightedFigure {
	total := 0.0
	first, second := map[float64]float64{}, map[float64]float64{} // weight by answer
	for _, p := range pairs {
		total += p.Weight
		first[p.First] += p.Weight
		second[p.Second] += p.Weight
	}
	toSecond, toFirst := meanDistances(first, second, total), meanDistances(second, first, total)
	observed, expected := 0.0, 0.0
	for _, p := range pairs {
		observed += p.Weight * math.Abs(p.First-p.Second) / total
		expected += p.Weight * toSecond[p.First] / total
	}
	if expected < 1e-12 {
		return WeightedFigure{}
	}
	influences := make([]float64, len(pairs))
	for i, p := range pairs {
		chance := toSecond[p.First] + toFirst[p.Second] - 2*expected
		influences[i] = p.Weight / total * (observed*chance/expected - (math.Abs(p.First-p.Second) - observed)) / expected
	}
	return newWeightedFigure(1-observed/expected, pairs, influences)
}

// meanDistances returns the mean distance of each answer from those of the other side, which have
// weights with this total.
func meanDistances(answers, others map[float64]float64, total float64) map[float64]float64 {
	means, sorted := make(map[float64]float64, len(answers)), sortedKeys(others)
	for answer := range answers {
		for _, other := range sorted {
			means[answer] += others[other] * math.Abs(answer-other) / total
		}
	}
	return means
}

// EstimateAnswerAgreement returns the specific agreement on an answer: of the answers of both sides that are equal to it, the
// share whose counterpart is, too. Its variance is that of a ratio.
func EstimateAnswerAgreement(pairs []WeightedPair, answer float64) WeightedFigure {
	both, either := 0.0, 0.0
	given := func(p WeightedPair) (n float64) {
		if p.First == answer {
			n++
		}
		if p.Second == answer {
			n++
		}
		return n
	}
	for _, p := range pairs {
		n := given(p)
		either += p.Weight * n
		if n == 2 {
			both += p.Weight * 2
		}
	}
	if either == 0 {
		return WeightedFigure{}
	}
	share, influences := both/either, make([]float64, len(pairs))
	for i, p := range pairs {
		n := given(p)
		influences[i] = -p.Weight * n * share / either
		if n == 2 {
			influences[i] += p.Weight * 2 / either
		}
	}
	f := newWeightedFigure(share, pairs, influences)
	f.Low, f.High = max(f.Low, 0), min(f.High, 1)
	return f
}

// EstimateWeightedMean returns the weighted mean of second − first.
func EstimateWeightedMean(pairs []WeightedPair) WeightedFigure {
	if len(pairs) == 0 {
		return WeightedFigure{}
	}
	mean, influences := weightedMean(pairs)
	return newWeightedFigure(mean, pairs, influences)
}

// weightedMean returns the weighted mean of second − first, and how far each pair moves it. Pairs have
// weights above 0.
func weightedMean(pairs []WeightedPair) (mean float64, influences []float64) {
	total := 0.0
	for _, p := range pairs {
		total += p.Weight
	}
	for _, p := range pairs {
		mean += p.Weight * (p.Second - p.First) / total
	}
	influences = make([]float64, len(pairs))
	for i, p := range pairs {
		influences[i] = p.Weight / total * (p.Second - p.First - mean)
	}
	return mean, influences
}

// newWeightedFigure adds the interval of a value, if there are enough units with an influence.
func newWeightedFigure(value float64, pairs []WeightedPair, influences []float64) WeightedFigure {
	f, p := WeightedFigure{IsDefined: true, Value: value}, newWeightedPrediction(value, pairs, influences)
	if p.units < minWeightedUnits || p.variance() == 0 {
		return f
	}
	f.HasInterval = true
	e := p.withInterval()
	f.Low, f.High = e.Low, e.High
	return f
}

// newWeightedPrediction sums influences by unit.
func newWeightedPrediction(value float64, pairs []WeightedPair, influences []float64) prediction {
	numbers, sums, weights := map[int]int{}, []float64(nil), []float64(nil)
	for i, p := range pairs {
		number, isKnown := numbers[p.Unit]
		if !isKnown {
			number = len(sums)
			numbers[p.Unit], sums, weights = number, append(sums, 0), append(weights, 0)
		}
		sums[number] += influences[i]
		weights[number] += p.Weight
	}
	return prediction{Estimate: Estimate{Value: value}, influences: sums, units: EffectiveSize(weights), isDrawn: true}
}

// minWeightedUnits is the effective number of items or clusters from which intervals of weighted
// figures cover in simulation.
const minWeightedUnits = 15
