package report

import (
	"math"
	"slices"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/mixed"
)

// An adjustedField is the mixed model of a field.
type adjustedField struct {
	groupModel
	*groupComparison
	linked []groupModel // of groups that annotators link, where they do not link all; else nil
	links  []int        // see linkByAnnotators
	scale  stats.NumericScale
	field  fieldTable
}

// A groupModel is the mixed model of the answers in some groups.
type groupModel struct {
	model      mixed.Model
	missing    stats.ReasonCode
	condition  []int  // by group; −1: it has no answers
	units      []int  // by group: items with answers, or clusters of items
	isConstant []bool // by group: all answers are equal
	answers    answerCounts
}

// answerCounts are the numbers of answers by group and annotator.
type answerCounts [][]float64

// minLink is the smallest link of two groups, as a share of that of annotators who label both equally often, with
// which a difference can be adjusted for annotators: below, up to 28% of studies without a difference had one.
const minLink = 0.5

// link returns how well annotators link two groups: 1 if each labels both in the same proportion, 0 if
// none labels both.
func (counts answerCounts) link(first, second int) float64 {
	link, total := 0.0, [2]float64{}
	for g, a := range counts[first] {
		b := counts[second][g]
		if total[0], total[1] = total[0]+a, total[1]+b; a*b > 0 {
			link += a * b / (a + b)
		}
	}
	return link * (total[0] + total[1]) / (total[0] * total[1])
}

// countAnswers counts the answers to a field.
func (c *groupComparison) countAnswers(q fieldTable) answerCounts {
	counts := c.newAnswerCounts()
	for l := range int32(c.Work.Len()) {
		if n := c.indexOf[c.Work.Item[l]]; n >= 0 && q.Points[l] != study.NoAnswer {
			counts[c.grouped[n].group][c.Work.Annotator[l]]++
		}
	}
	return counts
}

func (c *groupComparison) newAnswerCounts() answerCounts {
	counts := make(answerCounts, len(c.values))
	for group := range counts {
		counts[group] = make([]float64, len(c.Annotators))
	}
	return counts
}

// adjust fits the mixed model to all answers to a field in any group. Where annotators do not link
// all groups, it fits one for each set of groups that they link.
func (c *groupComparison) adjust(q fieldTable) adjustedField {
	a := adjustedField{groupModel: c.fitModel(q, func(int) bool { return true }), groupComparison: c, scale: q.Values, field: q}
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

// adjustWithin returns what the differences between labels of the same annotators need. It fits no model.
func (c *groupComparison) adjustWithin(q fieldTable) adjustedField {
	m, _ := c.collectLabels(q, func(int) bool { return true }, false)
	m.missing = notFitted
	return adjustedField{groupModel: m, groupComparison: c, scale: q.Values, field: q}
}

// notFitted is the reason for the lack of a model that is not needed.
const notFitted stats.ReasonCode = "not_fitted"

// fitModel fits the mixed model to the answers to a field in the groups to include.
func (c *groupComparison) fitModel(q fieldTable, include func(group int) bool) groupModel {
	m, d := c.collectLabels(q, include, true)
	m.model, m.missing = mixed.Fit(d)
	return m
}

// collectLabels returns a model of the groups to include that is not fitted yet and, if asked for, the labels to fit it to.
func (c *groupComparison) collectLabels(q fieldTable, include func(group int) bool, withLabels bool) (groupModel, mixed.Data) {
	m := groupModel{condition: slices.Repeat([]int{-1}, len(c.values)), units: make([]int, len(c.values)), isConstant: slices.Repeat([]bool{true}, len(c.values)), answers: c.newAnswerCounts()}
	type groupCluster struct {
		group   int
		cluster int32
	}
	seen, points := map[groupCluster]bool{}, make([]uint8, len(c.values))
	d := mixed.Data{Annotators: len(c.Annotators)}
	if withLabels {
		d.Labels = make([]mixed.Label, 0, c.Work.Len())
	}
	for l := range int32(c.Work.Len()) {
		n := c.indexOf[c.Work.Item[l]]
		if n < 0 || q.Points[l] == study.NoAnswer || !include(c.grouped[n].group) {
			continue
		}
		i := c.grouped[n]
		if m.condition[i.group] < 0 {
			m.condition[i.group] = d.Conditions
			points[i.group] = q.Points[l]
			d.Conditions++
		}
		m.isConstant[i.group] = m.isConstant[i.group] && q.Points[l] == points[i.group]
		m.answers[i.group][c.Work.Annotator[l]]++
		if k := (groupCluster{i.group, i.cluster}); !seen[k] {
			seen[k] = true
			m.units[i.group]++
		}
		if withLabels {
			d.Labels = append(d.Labels, mixed.Label{Value: float64(q.ValueOf(l)), Record: i.cluster, Item: n, Annotator: c.Work.Annotator[l], Condition: int32(m.condition[i.group])})
		}
	}
	return m, d
}

// mean returns the adjusted mean of a group, which is on the scale.
func (a adjustedField) mean(group int) study.Number {
	if n, ok := a.unavailable(group); !ok {
		return n
	}
	n, _ := a.estimate(a.model.Mean(a.condition[group]), group)
	for _, v := range []*float64{n.Value, n.Low, n.High} {
		if v != nil {
			*v = min(max(*v, float64(a.scale[0])), float64(a.scale[len(a.scale)-1]))
		}
	}
	return n
}

// difference returns the adjusted difference of a group from a baseline.
func (a adjustedField) difference(baseline, group int) DifferenceEstimate {
	if a.linked != nil && a.links[baseline] == a.links[group] {
		a.groupModel = a.linked[group]
	}
	for _, g := range []int{baseline, group} {
		if n, ok := a.unavailable(g); !ok && (a.condition[g] < 0 || !a.needsNoModel()) {
			return DifferenceEstimate{Number: n}
		}
	}
	switch link := a.answers.link(baseline, group); {
	case link == 0:
		return DifferenceEstimate{Number: study.MissingNumber(mixed.ConfoundedAnnotators)}
	case link >= minLink && a.needsNoModel():
		return a.limit(a.differenceWithin(baseline, group))
	case link < minLink:
		return DifferenceEstimate{Number: study.MissingNumber(study.WeaklyLinked)}
	case link < wellLinked:
		return a.limit(a.differenceWithin(baseline, group))
	}
	return a.limit(newEstimate(a.estimate(a.model.Difference(a.condition[baseline], a.condition[group]), baseline, group)))
}

// limit returns a difference without the values that two means on the scale cannot have.
func (a adjustedField) limit(e DifferenceEstimate) DifferenceEstimate {
	return e.limitTo(float64(a.scale[len(a.scale)-1] - a.scale[0]))
}

// limitTo returns a difference of at most span in either direction.
func (e DifferenceEstimate) limitTo(span float64) DifferenceEstimate {
	for _, v := range []*float64{e.Value, e.Low, e.High} {
		if v != nil {
			*v = min(max(*v, -span), span)
		}
	}
	return e
}

// needsNoModel reports whether there is no model for a reason that does not hinder a comparison within annotators.
func (m groupModel) needsNoModel() bool {
	return m.missing == mixed.ManyAnnotators || m.missing == mixed.NothingUnexplained || m.missing == notFitted
}

// unavailable returns the number without a value of a group that has none.
func (m groupModel) unavailable(group int) (study.Number, bool) {
	switch {
	case m.condition[group] < 0:
		return study.MissingNumber(stats.NoAnswers), false
	case m.missing != "":
		return study.MissingNumber(m.missing), false
	}
	return study.Number{}, true
}

// maxResampledRecords is the number of records up to which a rate is resampled. For more, its
// distribution is normal, and the interval is that of Student's t.
const maxResampledRecords = 5000

// estimate returns the value of a contrast of groups and its p-value. On a yes/no field the interval
// is that of a bootstrap over records, unless a group has only one answer and so nothing to
// resample; on others it is that of the model, or one without the assumption of equal variances if that is wider. There is none
// if no group has two answers.
func (a adjustedField) estimate(contrast mixed.Contrast, groups ...int) (study.Number, float64) {
	e := a.model.Estimate(contrast)
	if few, ok := a.findFewUnits(groups); ok {
		return study.NewNumber(e.Value, stats.Reason{}, stats.Interval{Undefined: few}), math.NaN()
	}
	n := study.Number{Value: &e.Value, Low: &e.Low, High: &e.High, IntervalNote: modelIntervalNote}
	switch constant := countIf(groups, func(g int) bool { return a.isConstant[g] }); {
	case constant == len(groups):
		return study.NewNumber(e.Value, stats.Reason{}, stats.Interval{Undefined: stats.Reason{Code: stats.NoVariation}}), math.NaN()
	case constant > 0:
		return n, e.PValue
	}
	influences := a.model.Influences(contrast)
	if len(a.scale) > 2 {
		if robust := mixed.Jackknife(influences); robust.High-robust.Low > e.High-e.Low {
			n.Low, n.High, e.PValue = &robust.Low, &robust.High, robust.PValue
		}
		return n, e.PValue
	}
	p := stats.MeanPValue(influences, nil)
	if len(influences) <= maxResampledRecords {
		return study.NewNumber(e.Value, stats.Reason{}, stats.MeanInterval(influences, nil, "records", a.Options)), p
	}
	return n, p
}

// findFewUnits returns why there is no interval if a group has too few items or clusters.
func (a adjustedField) findFewUnits(groups []int) (stats.Reason, bool) {
	few := stats.Reason{Code: stats.TooFewUnits, Min: stats.MinIntervalUnits, UnitName: "items"}
	if a.clusterNames != nil {
		few.UnitName = "clusters of items"
	}
	if len(groups) > 1 {
		few.UnitName += " in each group"
	}
	return few, slices.ContainsFunc(groups, func(g int) bool { return a.units[g] < stats.MinIntervalUnits })
}

func countIf[T any](list []T, isCounted func(T) bool) (n int) {
	for _, v := range list {
		n += study.BoolToInt(isCounted(v))
	}
	return n
}
