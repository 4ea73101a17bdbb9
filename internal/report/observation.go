package report

import (
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/stats"
)

// measureObservations returns the share of labels with each observation. For adjudicated
// items the decision replaces what the labels ticked.
func (s metrics) measureObservations() MetricGroup {
	m := MetricGroup{Name: ObservationMetrics, Title: ObservationMetrics.Text(), Rates: s.computeObservationRates(includeAll)}
	labels, items := s.countAdjudicatedObservations()
	m.Message = m.describe(observationBasisText(len(s.work), labels, items))
	return m
}

// countAdjudicatedObservations counts the labeled items with adjudicated observations, and their labels.
func (s metrics) countAdjudicatedObservations() (labels, items int) {
	for id, itemLabels := range s.byItem {
		if _, isAdjudicated := s.AdjudicatedObservations[id]; isAdjudicated {
			labels, items = labels+len(itemLabels), items+1
		}
	}
	return labels, items
}

// computeObservationRates returns the share of labels of the items to include that tick
// each observation. Labels of one item form a cluster.
func (s metrics) computeObservationRates(include func(*ItemData) bool) []Rate {
	rates := []Rate{}
	for _, o := range s.Protocol.Observations {
		var clusters []stats.ClusterHits
		n := 0
		for _, id := range s.labeledItems() {
			if include(s.itemsByID[id]) {
				cluster := stats.ClusterHits{Total: len(s.byItem[id]), Hits: s.countTicks(id, o.Key)}
				clusters, n = append(clusters, cluster), n+cluster.Total
			}
		}
		rates = append(rates, Rate{Name: o.Key, Title: o.Title, Number: numberFromShare(stats.NewClusteredProportion(clusters)), SampleSize: n})
	}
	return rates
}

// countTicks returns the number of labels of an item for which an observation counts.
func (s metrics) countTicks(item project.ItemID, key string) (n int) {
	if decision, isAdjudicated := s.AdjudicatedObservations[item]; isAdjudicated {
		return boolToInt(slices.Contains(decision, key)) * len(s.byItem[item])
	}
	for _, l := range s.byItem[item] {
		n += boolToInt(slices.Contains(l.Observations, key))
	}
	return n
}
