package mixed

import (
	"math"

	"github.com/labelwright/labelwright/internal/stats"
)

// EstimateWithin returns the mean difference of the conditions 1 and 0 between labels of the same annotators: least squares
// with a fixed effect of each annotator, and a variance that counts the labels of a record together (Cameron & Miller
// 2015, Journal of Human Resources 50). The degrees of freedom are one less than the effective number of records.
// False if no annotator has labels of both conditions, or the answers do not vary.
//
// Fit takes severities as random and moves each toward their mean, by more the fewer labels there are. Where lenient
// annotators have most labels of one condition, a part of their leniency then stays in the difference, but not in this one.
func EstimateWithin(labels []Label, annotators int) (Estimate, bool) {
	sums := make([]withinSum, annotators)
	for _, l := range labels {
		s, condition := &sums[l.Annotator], float64(l.Condition)
		s.labels, s.inSecond, s.values, s.valuesInSecond = s.labels+1, s.inSecond+condition, s.values+l.Value, s.valuesInSecond+condition*l.Value
	}
	product, square, active := 0.0, 0.0, 0.0
	for _, s := range sums {
		if s.labels > 0 {
			active++
			square += s.inSecond - s.inSecond*s.inSecond/s.labels
			product += s.valuesInSecond - s.values*s.inSecond/s.labels
		}
	}
	if square <= 0 {
		return Estimate{}, false
	}
	e, records, recordOf := Estimate{Value: product / square}, []withinRecord{}, map[int32]int{}
	for _, l := range labels {
		s := sums[l.Annotator]
		x := float64(l.Condition) - s.inSecond/s.labels
		n, isKnown := recordOf[l.Record]
		if !isKnown {
			n = len(records)
			recordOf[l.Record], records = n, append(records, withinRecord{})
		}
		records[n].score += x * (l.Value - s.values/s.labels - e.Value*x)
		records[n].weight += x * x
	}
	variance, weights, squares, largest := 0.0, 0.0, 0.0, 0.0
	for _, r := range records {
		variance, weights, squares = variance+r.score*r.score, weights+r.weight, squares+r.weight*r.weight
	}
	for _, l := range labels {
		largest = max(largest, math.Abs(l.Value))
	}
	n, total := float64(len(records)), float64(len(labels))
	if variance <= minResidual*minResidual*largest*largest*weights || total < active+2 {
		return e, false
	}
	e.Error = math.Sqrt(variance*n/(n-1)*(total-1)/(total-active-1)) / square
	e.Degrees = max(weights*weights/squares-1, 1)
	margin := stats.StudentQuantile(0.975, e.Degrees) * e.Error
	e.Low, e.High = e.Value-margin, e.Value+margin
	e.PValue = 2 * stats.StudentCDF(-math.Abs(e.Value)/e.Error, e.Degrees)
	return e, true
}

// A withinSum is a sum over the labels of an annotator.
type withinSum struct{ labels, inSecond, values, valuesInSecond float64 }

// A withinRecord is what a record adds to the variance.
type withinRecord struct{ score, weight float64 }

// SeverityShift returns how much of the difference of the conditions 1 and 0, of item means of labels, is the severity of the
// annotators who labeled them, by the same model. 0 if they have the same shares of both; false if there is no model.
func SeverityShift(labels []Label, annotators int) (shift float64, ok bool) {
	e, _ := EstimateWithin(labels, annotators)
	severities, counts := make([]float64, annotators), make([]float64, annotators)
	for _, l := range labels {
		severities[l.Annotator] += l.Value - e.Value*float64(l.Condition)
		counts[l.Annotator]++
	}
	isLinked := false
	inSecond := make([]float64, annotators)
	for _, l := range labels {
		inSecond[l.Annotator] += float64(l.Condition)
	}
	for g, n := range counts {
		severities[g] /= max(n, 1)
		isLinked = isLinked || inSecond[g] > 0 && inSecond[g] < n
	}
	type item struct{ sum, n float64 }
	items, conditionOf := map[int32]item{}, map[int32]int32{}
	for _, l := range labels {
		i := items[l.Item]
		items[l.Item], conditionOf[l.Item] = item{i.sum + severities[l.Annotator], i.n + 1}, l.Condition
	}
	var sums, totals [2]float64
	for number, i := range items {
		condition := conditionOf[number]
		sums[condition], totals[condition] = sums[condition]+i.sum/i.n, totals[condition]+1
	}
	if !isLinked || totals[0] == 0 || totals[1] == 0 {
		return 0, false
	}
	return sums[1]/totals[1] - sums[0]/totals[0], true
}
