package judge

import (
	"maps"
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// A Figure is a value with its 95% interval; nil where it is not defined.
type Figure struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

func newFigure(e stats.Estimate) (f Figure) {
	if e.Defined() {
		f.Value = &e.Value
	}
	if e.Defined() && e.Interval.Defined() {
		f.Low, f.High = &e.Interval.Low, &e.Interval.High
	}
	return f
}

// An answerPair is two answers to the same item. All pairs of a unit, an item or a cluster of items, depend on each
// other.
type answerPair struct {
	first, second float64
	unit          int
}

// kappaInfluences returns how far each unit moves Cohen's κ between the two sides of pairs: 1 − mean distance / mean
// distance of answers of different pairs. Without expected distance it returns nil.
func kappaInfluences(pairs []answerPair, distance func(a, b float64) float64) map[int]float64 {
	n := float64(len(pairs))
	first, second := map[float64]float64{}, map[float64]float64{} // share by answer
	for _, p := range pairs {
		first[p.first] += 1 / n
		second[p.second] += 1 / n
	}
	toSecond, toFirst := meanDistances(first, second, distance), meanDistances(second, first, distance)
	observed, expected := 0.0, 0.0
	for _, p := range pairs {
		observed += distance(p.first, p.second) / n
		expected += toSecond[p.first] / n
	}
	if expected < 1e-12 {
		return nil
	}
	influences := map[int]float64{}
	for _, p := range pairs {
		chance := toSecond[p.first] + toFirst[p.second] - 2*expected
		influences[p.unit] += (observed*chance/expected - (distance(p.first, p.second) - observed)) / expected / n
	}
	return influences
}

// meanDistances returns the mean distance of each answer from those of the other side.
func meanDistances(answers, others map[float64]float64, distance func(a, b float64) float64) map[float64]float64 {
	// so that sums do not depend on the map
	means, sorted := make(map[float64]float64, len(answers)), slices.Sorted(maps.Keys(others))
	for answer := range answers {
		for _, other := range sorted {
			means[answer] += others[other] * distance(answer, other)
		}
	}
	return means
}

// kappaDifferenceError returns the standard error of the difference of two κ over the same units; 0 if there is none.
func kappaDifferenceError(with, among []answerPair, distance func(a, b float64) float64) (standardError,
	units float64) {
	a, b := kappaInfluences(with, distance), kappaInfluences(among, distance)
	if a == nil || b == nil {
		return 0, 0
	}
	for unit, influence := range b {
		a[unit] -= influence
	}
	sum := 0.0
	for _, unit := range slices.Sorted(maps.Keys(a)) {
		sum += a[unit] * a[unit]
	}
	units = float64(len(a))
	return math.Sqrt(sum * units / max(units-1, 1)), units
}
