package report

import (
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// newGroup returns the group with that number, without fields.
func (c *groupComparison) newGroup(group int) Group {
	include, m := func(i *study.ItemData) bool { return i.Meta[c.column] == c.values[group] }, metrics{builder: c.builder}
	g := Group{Value: c.values[group], Observations: m.computeObservationRates(include)}
	g.Verdicts, _, _ = m.computeVerdictRates(include)
	g.DrawnItems = c.countDrawn(c.itemsOf(group))
	return g
}

// itemsOf returns the numbers of the items of a group.
func (c *groupComparison) itemsOf(group int) (items []int32) {
	for _, i := range c.grouped {
		if i.group == group {
			items = append(items, i.number)
		}
	}
	return items
}

// compareField returns a field in each group, and the differences of all pairs of groups.
func (c *groupComparison) compareField(q fieldTable) ([]GroupField, []*GroupDifference, error) {
	means, list := c.computeItemMeans(q), make([]GroupField, len(c.values))
	for i := range list {
		var err error
		if list[i], err = c.computeGroupField(q, i, means); err != nil {
			return nil, nil, err
		}
	}
	c.oneModel.Lock() // a model of a million labels takes 60 MiB, and its intervals use all processors
	defer c.oneModel.Unlock()
	adjusted := c.adjust(q)
	for i := range list {
		list[i].AdjustedMean = adjusted.mean(i)
	}
	answers := groupAnswers{fieldMeans: means, adjusted: adjusted, unreliable: c.doubts[q.Key].unreliable}
	if questioned := c.doubts[q.Key].annotators; len(questioned) > 0 {
		others, err := c.withoutAnnotators(q, questioned)
		if err != nil {
			return nil, nil, err
		}
		answers.questioned, answers.without = questioned, &groupAnswers{fieldMeans: c.computeItemMeans(others), adjusted: c.adjustWithin(others)}
	}
	for i := range list[1:] {
		list[i+1].Difference = c.comparePair(answers, 0, i+1)
	}
	return list, c.compareAllPairs(answers, list), nil
}

// A groupAnswers is the answers to a field from which groups are compared.
type groupAnswers struct {
	fieldMeans
	adjusted   adjustedField
	unreliable string        // see doubt
	questioned []string      // annotators
	without    *groupAnswers // the answers of the others; nil without questioned annotators
}

// fieldMeans are the values of items in a field; see itemValue.
type fieldMeans struct {
	byItem    []float64 // by grouped item; NaN without an answer
	areShares bool      // of a yes, on a yes/no field

	step, span float64 // the largest step between neighboring points of the scale, and between its ends
}

// largestStep returns the largest distance of neighboring points of the scale.
func (q fieldTable) largestStep() (step float64) {
	for i := 1; i < len(q.Values); i++ {
		step = max(step, float64(q.Values[i]-q.Values[i-1]))
	}
	return step
}

// computeItemMeans returns the value of each item.
func (c *groupComparison) computeItemMeans(q fieldTable) fieldMeans {
	means := make([]float64, len(c.grouped))
	for n, i := range c.grouped {
		means[n] = c.itemValue(i.number, q)
	}
	return fieldMeans{byItem: means, areShares: q.Scale.IsBinary(), step: q.largestStep(), span: float64(q.Values[len(q.Values)-1] - q.Values[0])}
}

// itemValue returns the decision on a labeled item, else the mean of its answers; NaN without an answer.
func (s *builder) itemValue(item int32, q fieldTable) float64 {
	sum, count := 0.0, 0.0
	for _, l := range s.ByItem.At(item) {
		if q.Points[l] != study.NoAnswer {
			sum, count = sum+float64(q.ValueOf(l)), count+1
		}
	}
	if decision, ok := s.Adjudicated[s.AllItems[item].ID][q.Key]; ok && count > 0 {
		return float64(decision)
	}
	return sum / count // 0/0 is NaN
}

func (c *groupComparison) computeGroupField(q fieldTable, group int, means fieldMeans) (GroupField, error) {
	items := c.itemsOf(group)
	slices.Sort(items)
	t, err := c.SelectTable(q.FieldTable, items)
	if err != nil {
		return GroupField{}, err
	}
	figures := study.FiguresFromEstimates(stats.ComputeEstimates(t, c.Options, stats.PercentAgreement(), stats.SharedKappa(stats.Linear), stats.SuitableAlpha(q.Values)))
	answered := make([]itemMean, 0, len(items))
	for n, i := range c.grouped {
		if i.group == group && !math.IsNaN(means.byItem[n]) {
			answered = append(answered, itemMean{i.item, means.byItem[n]})
		}
	}
	return GroupField{Field: q.Key, Items: len(answered), PercentAgreement: figures[0], Kappa: figures[1], Alpha: figures[2], Mean: c.estimateMean(q, answered)}, nil
}

// compareAllItems compares a group with the baseline over all items. Items of one record, or of
// one pair, are resampled together.
func (c *groupComparison) compareAllItems(means fieldMeans, baseline, group int) DifferenceEstimate {
	values, isSecond, clusters := make([]float64, 0, len(c.grouped)), make([]bool, 0, len(c.grouped)), []string(nil)
	if c.clusterNames != nil {
		clusters = make([]string, 0, len(c.grouped))
	}
	for n, i := range c.grouped {
		if (i.group == baseline || i.group == group) && !math.IsNaN(means.byItem[n]) {
			values, isSecond = append(values, means.byItem[n]), append(isSecond, i.group == group)
			if c.clusterNames != nil {
				clusters = append(clusters, c.clusterNames[n])
			}
		}
	}
	var contrast stats.Contrast
	if means.areShares {
		contrast = stats.CompareShares(values, isSecond, clusters, "items in each group", c.Options)
	} else {
		contrast = stats.CompareConditions(values, isSecond, clusters, c.Options)
	}
	e := newEstimate(study.NewNumber(contrast.Difference, contrast.Undefined, contrast.Interval), contrast.PValue)
	e.Items = len(values)
	return e
}

// A pairSum is the sum of the item means on both sides of a pair.
type pairSum struct {
	sums, counts [2]float64
	cluster      string
}

// comparePairs compares a group with the baseline within pairs; nil if there are none.
func (c *groupComparison) comparePairs(means fieldMeans, baseline, group int) *DifferenceEstimate {
	indexOf, pairs, items := map[string]int{}, []pairSum{}, 0
	for n, i := range c.grouped {
		if i.pair == "" || i.group != baseline && i.group != group || math.IsNaN(means.byItem[n]) {
			continue
		}
		index, seen := indexOf[i.pair]
		if !seen {
			index = len(pairs)
			indexOf[i.pair] = index
			pairs = append(pairs, pairSum{cluster: c.clusterNames[n]})
		}
		side := study.BoolToInt(i.group == group)
		pairs[index].sums[side] += means.byItem[n]
		pairs[index].counts[side]++
	}
	pairs = slices.DeleteFunc(pairs, func(p pairSum) bool { return p.counts[0] == 0 || p.counts[1] == 0 })
	if len(pairs) == 0 {
		return nil
	}
	for _, p := range pairs {
		items += int(p.counts[0] + p.counts[1])
	}
	e := c.estimatePairs(pairs, means)
	e.Items, e.Pairs = items, len(pairs)
	return &e
}

// estimatePairs returns the mean difference within pairs. Pairs of one cluster are resampled together.
func (c *groupComparison) estimatePairs(pairs []pairSum, means fieldMeans) DifferenceEstimate {
	differences, clusters := make([]float64, len(pairs)), make([]string, len(pairs))
	for i, p := range pairs {
		differences[i], clusters[i] = p.mean(1)-p.mean(0), p.cluster
	}
	if means.areShares {
		return c.estimateSharePairs(pairs, clusters)
	}
	if !hasRepeated(clusters) {
		clusters = nil
	}
	if e, ok := means.estimateEqualPairs(differences, clusters); ok {
		return e
	}
	interval := stats.MeanInterval(differences, clusters, "pairs", c.Options)
	if interval.Defined() {
		low, high := stats.BoundPairMean(differences, clusters, means.step)
		interval.Low, interval.High = min(interval.Low, low), max(interval.High, high)
	}
	return means.limit(newEstimate(study.NewNumber(meanOf(differences), stats.Reason{}, interval), stats.MeanPValue(differences, clusters)))
}

// limit returns a difference without the values that two items on the scale cannot have.
func (m fieldMeans) limit(e DifferenceEstimate) DifferenceEstimate { return e.limitTo(m.span) }

const equalPairsNote = "all pairs differ by the same, so the interval allows for as many that differ by a step of the scale more or less as could have been missed"

// estimateEqualPairs returns the mean of differences that are all equal: false if they are not, or are too few.
func (m fieldMeans) estimateEqualPairs(differences []float64, clusters []string) (DifferenceEstimate, bool) {
	value, units := differences[0], len(differences)
	if clusters != nil {
		units = countNames(clusters)
	}
	if units < stats.MinIntervalUnits || slices.ContainsFunc(differences, func(v float64) bool { return math.Abs(v-value) > zeroBound }) {
		return DifferenceEstimate{}, false
	}
	low, high, p := stats.EqualMeanInterval(units, value, m.step)
	return m.limit(newEstimate(study.Number{Value: &value, Low: &low, High: &high, IntervalNote: equalPairsNote}, p)), true
}

// estimateSharePairs compares the shares of both sides.
func (c *groupComparison) estimateSharePairs(pairs []pairSum, clusters []string) DifferenceEstimate {
	shares, isSecond := make([]float64, 0, 2*len(pairs)), make([]bool, 0, 2*len(pairs))
	for side := range 2 {
		for _, p := range pairs {
			shares, isSecond = append(shares, p.mean(side)), append(isSecond, side == 1)
		}
	}
	contrast := stats.CompareShares(shares, isSecond, slices.Concat(clusters, clusters), "pairs", c.Options)
	return newEstimate(study.NewNumber(contrast.Difference, contrast.Undefined, contrast.Interval), contrast.PValue)
}

func (p pairSum) mean(side int) float64 { return p.sums[side] / p.counts[side] }

func hasRepeated(names []string) bool { return countNames(names) < len(names) }

// countNames returns the number of different names.
func countNames(names []string) int {
	distinct := map[string]bool{}
	for _, name := range names {
		distinct[name] = true
	}
	return len(distinct)
}

func meanOf(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
