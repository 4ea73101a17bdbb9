package report

import (
	"math"

	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/mixed"
)

// wellLinked is the link of two groups from which the mixed model adjusts their difference. Below, it would leave so much of the
// leniency of annotators in the difference that up to 18% of studies without one had one; see mixed.EstimateWithin.
const wellLinked = 0.9

const withinAnnotatorsNote = "accounts for the sampling of items, between labels of the same annotators, because the groups had different ones"

// differenceWithin returns the difference between the labels of the same annotators.
func (a adjustedField) differenceWithin(baseline, group int) DifferenceEstimate {
	var labels []mixed.Label
	for l := range int32(a.work.len()) {
		n := a.indexOf[a.work.item[l]]
		if n < 0 || a.field.points[l] == noAnswer || a.grouped[n].group != baseline && a.grouped[n].group != group {
			continue
		}
		labels = append(labels, mixed.Label{Value: float64(a.field.value(l)), Record: a.grouped[n].cluster, Item: n, Annotator: a.work.annotator[l], Condition: int32(boolToInt(a.grouped[n].group == group))})
	}
	e, hasInterval := mixed.EstimateWithin(labels, len(a.annotators))
	few, isSmall := a.findFewUnits([]int{baseline, group})
	switch {
	case isSmall:
		return newEstimate(newNumber(e.Value, stats.Reason{}, stats.Interval{Undefined: few}), math.NaN())
	case !hasInterval:
		return newEstimate(newNumber(e.Value, stats.Reason{}, stats.Interval{Undefined: stats.Reason{Code: stats.NoVariation}}), math.NaN())
	}
	return newEstimate(Number{Value: &e.Value, Low: &e.Low, High: &e.High, IntervalNote: withinAnnotatorsNote}, e.PValue)
}
