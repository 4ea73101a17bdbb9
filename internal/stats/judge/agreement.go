package judge

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
)

// setAgreement sets κ, bias, the figures by value, the disagreements and the conclusion.
func (c judgeComparison) setAgreement(r *Result, o stats.IntervalOptions) {
	var pairs []stats.PairedAnswers
	var with, among []answerPair
	number, unitNumbers := 0, map[int]int32{}
	for item := range c.shared.ByItem() {
		unit, answer := c.unit(item, number), c.answerOf[item.Item]
		number++
		if _, isKnown := unitNumbers[unit]; !isKnown {
			unitNumbers[unit] = int32(len(unitNumbers))
		}
		for i, category := range item.Categories {
			label := c.shared.Scale[category]
			pairs = append(pairs, stats.PairedAnswers{First: label, Second: answer, Cluster: unitNumbers[unit]})
			with = append(with, answerPair{float64(label), float64(answer), unit})
			for j, other := range item.Categories {
				if i != j {
					among = append(among, answerPair{float64(label), float64(c.shared.Scale[other]), unit})
				}
			}
		}
		r.Items += boolToInt(len(item.Categories) > 1)
	}
	r.People = newFigure(stats.ComputeEstimates(c.shared, o, stats.SharedKappa(c.weighting))[0])
	r.Values = []ValueAgreement{}
	if table, err := stats.NewPairTable(c.shared.Scale, pairs); err == nil {
		r.WithPeople = newFigure(stats.ComputeEstimates(table, o, stats.LightKappa(c.weighting))[0])
		ofPeople, ofJudge := stats.ComputeEstimates(c.shared, o, c.shared.SpecificAgreements()...),
			stats.ComputeEstimates(table, o, table.SpecificAgreements()...)
		for i, value := range c.people.NamedScale().PointNames() {
			r.Values = append(r.Values, ValueAgreement{value, newFigure(ofPeople[i]), newFigure(ofJudge[i])})
		}
	}
	isBiased := c.setBias(r)
	c.listDisagreements(r)
	distance := func(a, b float64) float64 { return math.Abs(a - b) }
	if c.weighting == stats.Unweighted {
		distance = func(a, b float64) float64 { return float64(boolToInt(a != b)) }
	}
	standardError, units := kappaDifferenceError(with, among, distance)
	r.Conclusion = r.conclude(isBiased, standardError, units)
}

// conclude returns the conclusion from κ, the standard error of the difference of both, and whether a bias is shown.
func (r Result) conclude(isBiased bool, standardError, units float64) Conclusion {
	if r.Items < MinItems || r.People.Low == nil || r.WithPeople.Low == nil || units < 2 {
		return TooFewItems
	}
	// that the judge agrees as people do
	difference, probability := *r.WithPeople.Value-*r.People.Value+AgreementMargin, 0.0
	switch {
	case standardError > 1e-9:
		probability = stats.StudentCDF(difference/standardError, units-1)
	case difference >= 0:
		probability = 1
	}
	isLess, isAboveChance := probability <= 1-certainty, *r.WithPeople.Low > 0
	switch {
	case isLess && !isAboveChance: // a bias is the least of its problems
		return LessThanPeople
	case isBiased:
		return Biased
	case isLess:
		return LessThanPeople
	case probability >= certainty && isAboveChance:
		return AsPeople
	}
	return TooFewItems
}

// setBias sets the bias over items whose labels count, and reports whether it is shown to be more than is tolerated,
// and more than that of any annotator.
func (c judgeComparison) setBias(r *Result) (isBiased bool) {
	if c.points == nil {
		return false
	}
	sums, sizes := map[int]float64{}, map[int]float64{} // by unit
	leftOut, counts := make([]float64, len(c.shared.Annotators())), make([]float64, len(c.shared.Annotators()))
	total, n, number := 0.0, 0.0, 0
	for item := range c.shared.ByItem() {
		unit, sum, size := c.unit(item, number), 0.0, float64(len(item.Categories))
		number++
		for _, category := range item.Categories {
			sum += c.points[category]
		}
		answer, _ := c.shared.Scale.Index(c.answerOf[item.Item])
		difference := c.points[answer] - sum/size
		total, n = total+difference, n+1
		sums[unit], sizes[unit] = sums[unit]+difference, sizes[unit]+1
		for i, g := range item.Annotators {
			if own := c.points[item.Categories[i]]; size > 1 {
				leftOut[g], counts[g] = leftOut[g]+own-(sum-own)/(size-1), counts[g]+1
			}
		}
	}
	if n == 0 {
		return false
	}
	bias, units, squares := total/n, float64(len(sums)), 0.0
	r.Bias.Value = &bias
	if units < minConcludedUnits {
		return false
	}
	for _, unit := range slices.Sorted(maps.Keys(sums)) { // in an order, so that rounding is always the same
		squares += math.Pow((sums[unit]-bias*sizes[unit])/n, 2)
	}
	margin, span := stats.StudentQuantile(0.975, units-1)*math.Sqrt(squares*units/(units-1)),
		c.points[len(c.points)-1]-c.points[0]
	low, high := max(bias-margin, -span), min(bias+margin, span)
	r.Bias.Low, r.Bias.High = &low, &high
	tolerated := MaxBiasShare * span
	for g, sum := range leftOut {
		if counts[g] >= MinItems {
			tolerated = max(tolerated, math.Abs(sum/counts[g]))
		}
	}
	return max(low, -high) > tolerated
}

// listDisagreements lists the items on which the judge is furthest from the annotators.
func (c judgeComparison) listDisagreements(r *Result) {
	type found struct {
		item     stats.RatedItem
		distance float64
	}
	var list []found
	for item := range c.shared.ByItem() {
		answer, _ := c.shared.Scale.Index(c.answerOf[item.Item])
		sum, others := 0.0, 0.0
		for _, category := range item.Categories {
			others += float64(boolToInt(int(category) != answer)) / float64(len(item.Categories))
			if c.points != nil {
				sum += (c.points[answer] - c.points[category]) / float64(len(item.Categories))
			}
		}
		if c.points != nil {
			others = math.Abs(sum)
		}
		if others > 1e-9 {
			list = append(list, found{item, others})
		}
	}
	slices.SortFunc(list, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.distance, a.distance), cmp.Compare(a.item.Item, b.item.Item))
	})
	r.Disagreements, r.DisagreementCount = []Disagreement{}, len(list)
	names := c.people.NamedScale().PointNames()
	for _, f := range list[:min(len(list), maxDisagreements)] {
		answer, _ := c.shared.Scale.Index(c.answerOf[f.item.Item])
		d := Disagreement{Item: f.item.Item, Judge: names[answer], Distance: f.distance}
		for _, category := range slices.Sorted(slices.Values(f.item.Categories)) {
			d.Labels = append(d.Labels, names[category])
		}
		r.Disagreements = append(r.Disagreements, d)
	}
}
