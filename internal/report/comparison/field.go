package comparison

import (
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/comparison"
	"github.com/labelwright/labelwright/internal/stats/mixed"
)

// compareField returns a field in each group.
func (c *Groups) compareField(q study.FieldTable, hasLowAgreement bool) []GroupField {
	list := make([]GroupField, len(c.Values))
	for group := range list {
		list[group] = c.newGroupField(q, group)
		if group > 0 {
			list[group].Difference = c.compare(q, group, hasLowAgreement)
		}
	}
	return list
}

// compare compares a group with the baseline.
func (c *Groups) compare(q study.FieldTable, group int, hasLowAgreement bool) *Difference {
	c.oneModel.Lock() // a model of a million labels takes 60 MiB, and its intervals use all processors
	result := comparison.Compare(c.labelsOf(q, group))
	c.oneModel.Unlock()
	d := &Difference{Reason: result.Reason, IsShare: q.Scale.IsBinary(), Conclusion: CannotBeTold,
		Sensitivity: []Estimate{}}
	if d.Reason != "" {
		d.Primary.Number = study.Number{Reason: stats.ReasonCode(d.Reason)}
		return d
	}
	if hasLowAgreement {
		d.Reason = comparison.LowAgreement
	}
	span := float64(q.Values[len(q.Values)-1] - q.Values[0])
	d.Primary = newEstimate(result.Primary, span)
	for _, e := range result.Sensitivity {
		d.Sensitivity = append(d.Sensitivity, newEstimate(e, span))
	}
	return d
}

// newEstimate returns an estimate whose interval ends at the largest differences of the scale.
func newEstimate(e comparison.Estimate, span float64) Estimate {
	value, low, high, p := e.Value, e.Low, e.High, e.PValue
	n := Estimate{Basis: e.Basis, Number: study.Number{Value: &value, Low: &low, High: &high}, P: &p, Items: e.Items,
		Pairs: e.Pairs, estimate: e}
	n.Limit(-span, span)
	return n
}

// labelsOf returns the answers in the baseline and in a group.
func (c *Groups) labelsOf(q study.FieldTable, group int) comparison.Data {
	d := comparison.Data{Annotators: len(c.Annotators), IsShare: q.Scale.IsBinary(), Step: largestStep(q.Values)}
	for l := range int32(c.Work.Len()) {
		n := c.IndexOf[c.Work.Item[l]]
		if n < 0 || q.Points[l] == study.NoAnswer || c.Items[n].Group != 0 && c.Items[n].Group != group {
			continue
		}
		d.Labels = append(d.Labels, mixed.Label{Value: float64(q.ValueOf(l)), Record: c.Items[n].Cluster, Item: n,
			Annotator: c.Work.Annotator[l],
			Condition: int32(study.BoolToInt(c.Items[n].Group == group))})
	}
	if c.PairedBy != "" {
		d.PairOf = make([]int32, len(c.Items))
		numbers := map[string]int32{}
		for n, i := range c.Items {
			if d.PairOf[n] = -1; i.pair != "" {
				number, seen := numbers[i.pair]
				if !seen {
					number = int32(len(numbers))
					numbers[i.pair] = number
				}
				d.PairOf[n] = number
			}
		}
	}
	return d
}

// largestStep returns the largest distance of neighboring points of the scale.
func largestStep(values stats.NumericScale) (step float64) {
	for i := 1; i < len(values); i++ {
		step = max(step, float64(values[i]-values[i-1]))
	}
	return step
}

// newGroupField returns the mean of a group without its difference. Items of one record are resampled together. On a
// yes/no field it is
// a share with the interval of a rate, which allows for a yes that did not occur.
func (c *Groups) newGroupField(q study.FieldTable, group int) GroupField {
	var values []float64
	var clusters []string
	var units []stats.UnitValue
	for _, i := range c.Items {
		sum, n := 0.0, 0.0
		for _, l := range c.ByItem.At(i.Number) {
			if i.Group == group && q.Points[l] != study.NoAnswer {
				sum, n = sum+float64(q.ValueOf(l)), n+1
			}
		}
		if n > 0 {
			cluster := c.ClusterOf(c.AllItems[i.Number])
			values, clusters = append(values, sum/n), append(clusters, cluster)
			units = append(units, stats.UnitValue{Expected: stats.Certain(sum / n), Base: stats.Certain(1),
				Cluster: cluster})
		}
	}
	f := GroupField{Field: q.Key, Items: len(values), Mean: study.MissingNumber(stats.NoAnswers)}
	switch {
	case len(values) == 0:
	case q.Scale.IsBinary():
		share := stats.EstimateShare(units)
		f.Mean = study.NewNumber(share.Value, share.Undefined, share.Interval)
	default:
		if !c.IsClustered() {
			clusters = nil
		}
		f.Mean = study.NewNumber(meanOf(values), stats.Reason{}, stats.MeanInterval(values, clusters, c.Options))
	}
	return f
}

func meanOf(values []float64) (mean float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	return mean
}
