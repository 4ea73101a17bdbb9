package study

import (
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
)

// A GoldAnswer is the answers to a gold item, by field, and its reference.
type GoldAnswer struct{ Own, Reference map[string]int }

// GoldAccuracy returns the share of right answers to gold items, with an interval over the items. An answer is right
// if it equals the reference; on scales with four points or more, also if it is one point apart.
func GoldAccuracy(p protocol.Protocol, items []GoldAnswer) stats.Proportion {
	var clusters []stats.ClusterHits
	for _, item := range items {
		var hits stats.ClusterHits
		for _, f := range p.Fields {
			own, isAnswered := item.Own[f.Key]
			reference, hasReference := item.Reference[f.Key]
			if !isAnswered || !hasReference {
				continue
			}
			if hits.Total++; max(own-reference, reference-own) <= f.Scale.Tolerance() {
				hits.Hits++
			}
		}
		clusters = append(clusters, hits)
	}
	return stats.NewClusteredProportion(clusters)
}

// minGoldItems is how many gold items a pause needs.
const minGoldItems = 5

// IsBelowMinimum reports whether a share of right answers is below a minimum in percent with its whole interval.
func IsBelowMinimum(accuracy stats.Proportion, minimum int) bool {
	return accuracy.Interval.Units >= minGoldItems && accuracy.Interval.High < float64(minimum)/100
}
