package report

import (
	"slices"

	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/internal/stats"
)

// measureObservations returns the share of labels with each observation. For adjudicated
// items the decision replaces what the labels ticked.
func (s metrics) measureObservations() MetricGroup {
	m := MetricGroup{Name: ObservationMetrics, Rates: s.computeObservationRates(includeAll)}
	labels, items := s.countAdjudicatedObservations()
	m.Basis = MetricBasis{Count: s.Work.Len(), Unit: WorkLabels, AdjudicatedLabels: labels, AdjudicatedItems: items}
	return m
}

// countAdjudicatedObservations counts the labeled items with adjudicated observations, and their labels.
func (s metrics) countAdjudicatedObservations() (labels, items int) {
	for _, item := range s.Labeled {
		if _, isAdjudicated := s.AdjudicatedObservations[s.AllItems[item].ID]; isAdjudicated {
			labels, items = labels+s.ByItem.Len(item), items+1
		}
	}
	return labels, items
}

// computeObservationRates returns the share of labels of the items to include that tick
// each observation. Labels of one item form a cluster.
func (s metrics) computeObservationRates(include func(*study.ItemData) bool) []Rate {
	rates := []Rate{}
	for _, o := range s.Protocol.Observations {
		clusters := make([]stats.ClusterHits, 0, len(s.Labeled))
		n, isTicked := 0, s.Observations.SetsWith(o.Key)
		for _, item := range s.Labeled {
			if include(s.AllItems[item]) {
				cluster := stats.ClusterHits{Total: s.ByItem.Len(item), Hits: s.countTicks(item, o.Key, isTicked)}
				clusters, n = append(clusters, cluster), n+cluster.Total
			}
		}
		rates = append(rates, Rate{Name: o.Key, Title: o.Title,
			Number: study.NumberFromShare(stats.NewClusteredProportion(clusters)), SampleSize: n})
	}
	return rates
}

// countTicks returns the number of labels of an item for which an observation counts.
func (s metrics) countTicks(item int32, key string, isTicked []bool) (n int) {
	if decision, isAdjudicated := s.AdjudicatedObservations[s.AllItems[item].ID]; isAdjudicated {
		return study.BoolToInt(slices.Contains(decision, key)) * s.ByItem.Len(item)
	}
	if s.Observations.SetOf == nil {
		return 0
	}
	for _, l := range s.ByItem.At(item) {
		n += study.BoolToInt(isTicked[s.Observations.SetOf[l]])
	}
	return n
}
