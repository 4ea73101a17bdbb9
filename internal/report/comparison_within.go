package report

import (
	"math"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/mixed"
)

// wellLinked is the link of two groups from which the mixed model adjusts their difference. Below, it would leave so much of the
// leniency of annotators in the difference that up to 18% of studies without one had one; see mixed.EstimateWithin.
const wellLinked = 0.9

const withinAnnotatorsNote = "accounts for the sampling of items, between labels of the same annotators, because the groups had different ones"

// labelsOfPair returns the labels of two groups, the first with condition 0.
func (c *groupComparison) labelsOfPair(q fieldTable, baseline, group int) (labels []mixed.Label) {
	for l := range int32(c.Work.Len()) {
		n := c.indexOf[c.Work.Item[l]]
		if n < 0 || q.Points[l] == study.NoAnswer || c.grouped[n].group != baseline && c.grouped[n].group != group {
			continue
		}
		labels = append(labels, mixed.Label{Value: float64(q.ValueOf(l)), Record: c.grouped[n].cluster, Item: n, Annotator: c.Work.Annotator[l], Condition: int32(study.BoolToInt(c.grouped[n].group == group))})
	}
	return labels
}

// differenceWithin returns the difference between the labels of the same annotators.
func (a adjustedField) differenceWithin(baseline, group int) DifferenceEstimate {
	labels := a.labelsOfPair(a.field, baseline, group)
	e, hasInterval := mixed.EstimateWithin(labels, len(a.Annotators))
	few, isSmall := a.findFewUnits([]int{baseline, group})
	switch {
	case isSmall: // the few labels of the same annotators would contradict the means
		return DifferenceEstimate{Number: study.NewNumber(0, few, stats.Interval{})}
	case !hasInterval:
		return newEstimate(study.NewNumber(e.Value, stats.Reason{}, stats.Interval{Undefined: stats.Reason{Code: stats.NoVariation}}), math.NaN())
	}
	return newEstimate(study.Number{Value: &e.Value, Low: &e.Low, High: &e.High, IntervalNote: withinAnnotatorsNote}, e.PValue)
}
