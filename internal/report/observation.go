package report

import (
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/stats"
)

// An observationIndex is the observations that labels tick. Few sets of them differ.
type observationIndex struct {
	sets    [][]string
	numbers map[string]uint32 // by the joined observations of a set
	setOf   []uint32          // label → set; nil if no label ticks any
}

// add adds the observations of a label, which follows the labels so far.
func (x *observationIndex) add(label int, observations []string) {
	if len(observations) == 0 && x.setOf == nil {
		return
	}
	if x.setOf == nil {
		x.setOf, x.sets, x.numbers = make([]uint32, label), [][]string{nil}, map[string]uint32{"": 0}
	}
	key := strings.Join(observations, "\x00")
	n, seen := x.numbers[key]
	if !seen {
		n = uint32(len(x.sets))
		x.numbers[key], x.sets = n, append(x.sets, observations)
	}
	x.setOf = append(x.setOf, n)
}

// setsWith returns the sets that contain an observation.
func (x observationIndex) setsWith(key string) []bool {
	has := make([]bool, len(x.sets))
	for n, set := range x.sets {
		has[n] = slices.Contains(set, key)
	}
	return has
}

// measureObservations returns the share of labels with each observation. For adjudicated
// items the decision replaces what the labels ticked.
func (s metrics) measureObservations() MetricGroup {
	m := MetricGroup{Name: ObservationMetrics, Title: ObservationMetrics.Text(), Rates: s.computeObservationRates(includeAll)}
	labels, items := s.countAdjudicatedObservations()
	m.CountedItems, m.DrawnItems = len(s.labeled), s.countDrawn(s.labeled)
	m.setTexts(observationBasisText(s.work.len(), labels, items))
	return m
}

// countAdjudicatedObservations counts the labeled items with adjudicated observations, and their labels.
func (s metrics) countAdjudicatedObservations() (labels, items int) {
	for _, item := range s.labeled {
		if _, isAdjudicated := s.AdjudicatedObservations[s.items[item].ID]; isAdjudicated {
			labels, items = labels+s.byItem.len(item), items+1
		}
	}
	return labels, items
}

// computeObservationRates returns the share of labels of the items to include that tick
// each observation. Labels of one item form a cluster.
func (s metrics) computeObservationRates(include func(*ItemData) bool) []Rate {
	rates := []Rate{}
	for _, o := range s.Protocol.Observations {
		clusters := make([]stats.ClusterHits, 0, len(s.labeled))
		n, isTicked := 0, s.observations.setsWith(o.Key)
		for _, item := range s.labeled {
			if include(s.items[item]) {
				cluster := stats.ClusterHits{Total: s.byItem.len(item), Hits: s.countTicks(item, o.Key, isTicked)}
				clusters, n = append(clusters, cluster), n+cluster.Total
			}
		}
		rates = append(rates, Rate{Name: o.Key, Title: o.Title, Number: numberFromShare(stats.NewClusteredProportion(clusters)), SampleSize: n})
	}
	return rates
}

// countTicks returns the number of labels of an item for which an observation counts.
func (s metrics) countTicks(item int32, key string, isTicked []bool) (n int) {
	if decision, isAdjudicated := s.AdjudicatedObservations[s.items[item].ID]; isAdjudicated {
		return boolToInt(slices.Contains(decision, key)) * s.byItem.len(item)
	}
	if s.observations.setOf == nil {
		return 0
	}
	for _, l := range s.byItem.at(item) {
		n += boolToInt(isTicked[s.observations.setOf[l]])
	}
	return n
}
