package report

import (
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/mixed"
)

// newGroup returns the group with that number, without fields.
func (c *groupComparison) newGroup(group int) Group {
	include, m := func(i *ItemData) bool { return i.Meta[c.column] == c.values[group] }, metrics{study: c.study}
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
		if i > 0 {
			list[i].Difference = c.comparePair(means, adjusted, 0, i)
		}
	}
	return list, c.compareAllPairs(means, adjusted, list), nil
}

// computeItemMeans returns the mean answer to each item; NaN without one.
func (c *groupComparison) computeItemMeans(q fieldTable) []float64 {
	means := make([]float64, len(c.grouped))
	for n, i := range c.grouped {
		sum, count := 0.0, 0.0
		for _, l := range c.byItem.at(i.number) {
			if q.points[l] != noAnswer {
				sum, count = sum+float64(q.value(l)), count+1
			}
		}
		means[n] = sum / count // 0/0 is NaN
	}
	return means
}

func (c *groupComparison) computeGroupField(q fieldTable, group int, means []float64) (GroupField, error) {
	items := c.itemsOf(group)
	slices.Sort(items)
	t, err := c.selectTable(q, items)
	if err != nil {
		return GroupField{}, err
	}
	figures := figuresFromEstimates(stats.ComputeEstimates(t, c.options, stats.PercentAgreement(), stats.CongerKappa(stats.Linear), stats.SuitableAlpha(q.scale)))
	answered := make([]itemMean, 0, len(items))
	for n, i := range c.grouped {
		if i.group == group && !math.IsNaN(means[n]) {
			answered = append(answered, itemMean{i.item, means[n]})
		}
	}
	return GroupField{Field: q.Key, Items: len(answered), PercentAgreement: figures[0], Kappa: figures[1], Alpha: figures[2], Mean: c.estimateMean(answered)}, nil
}

// compareAllItems compares a group with the baseline over all items. Items of one record, or of
// one pair, are resampled together.
func (c *groupComparison) compareAllItems(means []float64, baseline, group int) DifferenceEstimate {
	values, isSecond, clusters := make([]float64, 0, len(c.grouped)), make([]bool, 0, len(c.grouped)), []string(nil)
	if c.clusterNames != nil {
		clusters = make([]string, 0, len(c.grouped))
	}
	for n, i := range c.grouped {
		if (i.group == baseline || i.group == group) && !math.IsNaN(means[n]) {
			values, isSecond = append(values, means[n]), append(isSecond, i.group == group)
			if c.clusterNames != nil {
				clusters = append(clusters, c.clusterNames[n])
			}
		}
	}
	contrast := stats.CompareConditions(values, isSecond, clusters, c.options)
	e := newEstimate(newNumber(contrast.Difference, contrast.Undefined, contrast.Interval), contrast.PValue)
	e.Items = len(values)
	return e
}

// A pairSum is the sum of the item means on both sides of a pair.
type pairSum struct {
	sums, counts [2]float64
	cluster      string
}

// comparePairs compares a group with the baseline within pairs; nil if there are none.
func (c *groupComparison) comparePairs(means []float64, baseline, group int) *DifferenceEstimate {
	indexOf, pairs, items := map[string]int{}, []pairSum{}, 0
	for n, i := range c.grouped {
		if i.pair == "" || i.group != baseline && i.group != group || math.IsNaN(means[n]) {
			continue
		}
		index, seen := indexOf[i.pair]
		if !seen {
			index = len(pairs)
			indexOf[i.pair] = index
			pairs = append(pairs, pairSum{cluster: c.clusterNames[n]})
		}
		side := boolToInt(i.group == group)
		pairs[index].sums[side] += means[n]
		pairs[index].counts[side]++
	}
	var differences []float64
	var clusters []string
	for _, p := range pairs {
		if p.counts[0] > 0 && p.counts[1] > 0 {
			differences, clusters = append(differences, p.sums[1]/p.counts[1]-p.sums[0]/p.counts[0]), append(clusters, p.cluster)
			items += int(p.counts[0] + p.counts[1])
		}
	}
	if len(differences) == 0 {
		return nil
	}
	e := c.estimatePairs(differences, clusters)
	e.Items, e.Pairs = items, len(differences)
	return &e
}

// estimatePairs returns the mean difference within pairs. Pairs of one cluster are resampled together.
func (s *study) estimatePairs(differences []float64, clusters []string) DifferenceEstimate {
	distinct := map[string]bool{}
	for _, name := range clusters {
		distinct[name] = true
	}
	if len(distinct) == len(clusters) {
		clusters = nil
	}
	interval := stats.MeanInterval(differences, clusters, "pairs", s.options)
	return newEstimate(newNumber(meanOf(differences), stats.Reason{}, interval), stats.MeanPValue(differences, clusters))
}

func meanOf(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func boolToInt(value bool) int {
	if value {
		return 1
	}
	return 0
}

// An adjustedField is the mixed model of a field.
type adjustedField struct {
	groupModel
	*groupComparison
	linked   []groupModel // of groups that annotators link, where they do not link all; else nil
	links    []int        // see linkByAnnotators
	isBinary bool
}

// A groupModel is the mixed model of the answers in some groups.
type groupModel struct {
	model     mixed.Model
	missing   stats.ReasonCode
	condition []int // by group; −1: it has no answers
}

// adjust fits the mixed model to all answers to a field in any group. Where annotators do not link
// all groups, it fits one for each set of groups that they link.
func (c *groupComparison) adjust(q fieldTable) adjustedField {
	a := adjustedField{groupModel: c.fitModel(q, func(int) bool { return true }), groupComparison: c, isBinary: len(q.scale) == 2}
	if a.missing != mixed.ConfoundedAnnotators || len(c.values) < 3 {
		return a
	}
	a.links, a.linked = c.linkByAnnotators(q), make([]groupModel, len(c.values))
	for group, link := range a.links {
		if first := slices.Index(a.links, link); first < group {
			if a.linked[first].condition == nil {
				a.linked[first] = c.fitModel(q, func(g int) bool { return a.links[g] == link })
			}
			a.linked[group] = a.linked[first]
		}
	}
	return a
}

// fitModel fits the mixed model to the answers to a field in the groups to include.
func (c *groupComparison) fitModel(q fieldTable, include func(group int) bool) groupModel {
	m := groupModel{condition: slices.Repeat([]int{-1}, len(c.values))}
	d := mixed.Data{Annotators: len(c.annotators), Labels: make([]mixed.Label, 0, c.work.len())}
	for l := range int32(c.work.len()) {
		n := c.indexOf[c.work.item[l]]
		if n < 0 || q.points[l] == noAnswer || !include(c.grouped[n].group) {
			continue
		}
		i := c.grouped[n]
		if m.condition[i.group] < 0 {
			m.condition[i.group] = d.Conditions
			d.Conditions++
		}
		d.Labels = append(d.Labels, mixed.Label{Value: float64(q.value(l)), Record: i.cluster, Item: n, Annotator: c.work.annotator[l], Condition: int32(m.condition[i.group])})
	}
	m.model, m.missing = mixed.Fit(d)
	return m
}

// mean returns the adjusted mean of a group.
func (a adjustedField) mean(group int) Number {
	if n, ok := a.unavailable(group); !ok {
		return n
	}
	n, _ := a.estimate(a.model.Mean(a.condition[group]))
	return n
}

// difference returns the adjusted difference of a group from a baseline.
func (a adjustedField) difference(baseline, group int) DifferenceEstimate {
	if a.linked != nil && a.links[baseline] == a.links[group] {
		a.groupModel = a.linked[group]
	}
	for _, g := range []int{baseline, group} {
		if n, ok := a.unavailable(g); !ok {
			return DifferenceEstimate{Number: n}
		}
	}
	return newEstimate(a.estimate(a.model.Difference(a.condition[baseline], a.condition[group])))
}

// unavailable returns the number without a value of a group that has none.
func (m groupModel) unavailable(group int) (Number, bool) {
	switch {
	case m.condition[group] < 0:
		return missingNumber(stats.NoAnswers), false
	case m.missing != "":
		return missingNumber(m.missing), false
	}
	return Number{}, true
}

// maxResampledRecords is the number of records up to which a rate is resampled. For more, its
// distribution is normal, and the interval is that of Student's t.
const maxResampledRecords = 5000

// estimate returns the value of a contrast and its p-value. On a yes/no field the interval is that
// of a bootstrap over records; on others it is that of the model.
func (a adjustedField) estimate(contrast mixed.Contrast) (Number, float64) {
	e := a.model.Estimate(contrast)
	n := Number{Value: &e.Value, Low: &e.Low, High: &e.High, IntervalNote: modelIntervalNote}
	if !a.isBinary {
		return n, e.PValue
	}
	influences := a.model.Influences(contrast)
	p := stats.MeanPValue(influences, nil)
	if len(influences) <= maxResampledRecords {
		return newNumber(e.Value, stats.Reason{}, stats.MeanInterval(influences, nil, "records", a.options)), p
	}
	return n, p
}
