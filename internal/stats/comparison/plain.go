package comparison

import (
	"math"

	"github.com/labelwright/labelwright/internal/stats/mixed"
)

// An itemSum is the labels of one item.
type itemSum struct {
	sum, n            float64
	record, condition int32
}

// sumItems returns the items in order of their first label.
func sumItems(labels []mixed.Label) (items []itemSum) {
	numberOf := map[int32]int{}
	for _, l := range labels {
		n, seen := numberOf[l.Item]
		if !seen {
			n = len(items)
			numberOf[l.Item] = n
			items = append(items, itemSum{record: l.Record, condition: l.Condition})
		}
		items[n].sum, items[n].n = items[n].sum+l.Value, items[n].n+1
	}
	return items
}

// plain returns the difference of the means of item means. Its error is that of the sums of deviations in clusters
// (Liang & Zeger 1986, Biometrika 73), each side corrected for its number of clusters; without clusters of several
// items it is Welch's.
func (d Data) plain() Estimate {
	items, s := sumItems(d.Labels), newSides(d.Labels)
	var means [2]float64
	for _, i := range items {
		means[i.condition] += i.sum / i.n / float64(s.items[i.condition])
	}
	var deviations [][2]float64 // by record, in order, so that rounding is always the same
	numberOf := map[int32]int{}
	for _, i := range items {
		number, seen := numberOf[i.record]
		if !seen {
			number = len(deviations)
			numberOf[i.record], deviations = number, append(deviations, [2]float64{})
		}
		n := float64(s.clusters[i.condition])
		deviations[number][i.condition] += (i.sum/i.n - means[i.condition]) / float64(s.items[i.condition]) * math.Sqrt(
			n/max(n-1, 1))
	}
	variance, squares := 0.0, [2]float64{}
	for _, v := range deviations {
		variance += (v[1] - v[0]) * (v[1] - v[0])
		squares[0], squares[1] = squares[0]+v[0]*v[0], squares[1]+v[1]*v[1]
	}
	total, parts := squares[0]+squares[1], 0.0
	for side, v := range squares {
		parts += v * v / max(float64(s.clusters[side])-1, 1)
	}
	degrees := float64(len(deviations) - 1)
	if parts > 0 {
		degrees = min(degrees, total*total/parts)
	}
	e := Estimate{Basis: AllItems, Estimate: mixed.NewEstimate(means[1]-means[0], math.Sqrt(variance), degrees),
		Items: len(items)}
	return d.atLeast(e, s)
}
